"""What `Verdict.fit` hands over, and what it says while it works."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB

from tests.flows import quickly
from venire.errors import VenireError, VenireWarning
from venire.validation.trials.generic import GenericFamily


class Grumbling(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Warns whenever it is fitted."""

    def fit(self, X: Any, y: Any) -> Grumbling:
        warnings.warn(
            "lbfgs failed to converge (status=1):\nSTOP: TOTAL NO. OF ITERATIONS", ConvergenceWarning, stacklevel=1
        )
        return super().fit(X, y)  # type: ignore[no-any-return]  # scikit-learn has no types


def test_what_members_warn_of_while_they_are_fitted_is_told_once(tmp_path: Path) -> None:
    found = quickly(models=["tree", GenericFamily("own", classifier=Grumbling())], home=tmp_path)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = found.fit("own")
    assert [(each.category, str(each.message)) for each in seen] == [
        (
            VenireWarning,
            "while it was fitted on all rows, own: ConvergenceWarning: lbfgs failed to converge (status=1)",
        )
    ]
    assert seen[0].filename == __file__
    assert model.fit_warnings_ == {"own": ("ConvergenceWarning: lbfgs failed to converge (status=1)",)}
    assert found.fit("tree").fit_warnings_ == {}


class OnlyParts(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Leaves Python when it is given all rows, and warns whenever it predicts."""

    def __init__(self, rows: int = 0) -> None:
        super().__init__()
        self.rows = rows

    def fit(self, X: Any, y: Any) -> OnlyParts:
        if len(X) == self.rows:
            raise SystemExit("no more rows")
        return super().fit(X, y)  # type: ignore[no-any-return]  # scikit-learn has no types

    def predict_proba(self, X: Any) -> Any:
        warnings.warn("I do not know", UserWarning, stacklevel=1)
        return super().predict_proba(X)


def test_a_model_that_fails_on_all_rows_is_named_and_takes_no_other_along(tmp_path: Path) -> None:
    whole, some = (GenericFamily(name, classifier=OnlyParts(rows)) for name, rows in (("whole", 60), ("some", 0)))
    found = quickly(models=["tree", whole, some], home=tmp_path)
    assert found.judgement.docket.table.rows == 60
    with pytest.raises(
        VenireError, match=r"^whole could not be fitted on all rows: SystemExit: no more rows$"
    ) as caught:
        found.fit("whole")
    assert caught.value.code == "not_fitted"
    assert "tree" in str(caught.value.hint)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        board = found.leaderboard()
    assert not seen
    seconds = dict(zip(board["model"], board["fit_seconds"], strict=True))
    assert math.isnan(seconds["whole"])
    assert seconds["tree"] > 0
    assert seconds["some"] > 0
