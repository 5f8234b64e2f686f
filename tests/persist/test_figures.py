"""The figures of a verdict in a file are what a verdict gives, or are refused: they are printed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.persist.make_files import FILES
from venire import ModelFormatError, load
from venire.persist.figures import checked_figures


@pytest.mark.parametrize(
    ("damage", "wrong"),
    [
        ({"error": "small"}, "error is no number"),
        ({"error": float("nan")}, "error is not finite"),
        ({"interval": [0.1]}, "interval has a size of 1 where 2 is needed"),
        ({"columns": [{"name": "a"}]}, "columns item 0 has no kind"),
        ({"columns": [{"name": "a", "kind": "odd", "missing": 0}]}, "columns item 0 kind is 'odd'"),
        ({"task": "clustering"}, "task is 'clustering'"),
        ({"more": 1}, "about_ is no dictionary of just what is known"),
    ],
)
def test_other_figures_are_refused(damage: dict[str, Any], wrong: str) -> None:
    model = load(FILES / "verdict_tree.venire")
    checked_figures(model)
    model.about_ = {**model.about_, **damage}
    with pytest.raises(ModelFormatError, match=wrong):
        checked_figures(model)
