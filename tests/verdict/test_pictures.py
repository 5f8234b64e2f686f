"""The data behind the pictures says what the leaderboard says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.validation.tables import regression
from tests.verdict.cases import BASELINE, RIDGE, TREE, judged
from venire.verdict.pictures import pictures


@pytest.mark.parametrize("fields", [{}, {"time": np.arange(60.0)}], ids=["random", "time"])
def test_a_path_has_the_figures_of_the_leaderboard_at_its_choice(tmp_path: Path, fields: dict[str, Any]) -> None:
    judgement = judged(tmp_path, regression(60, noise=3.0, **fields), [BASELINE, RIDGE, TREE], folds=5)
    rows = {row.family: row for row in judgement.rows}
    paths = pictures(judgement)["paths"]
    assert set(paths) == {"ridge", "cart"}
    for name, path in paths.items():
        assert path["held_out"][path["chosen"]] == pytest.approx(rows[name].one_layer_error)
        candidate = judgement.candidate(name)
        if set(candidate.settings.values()) == {path["chosen"]}:
            assert path["training"][path["chosen"]] == pytest.approx(rows[name].training_error)
