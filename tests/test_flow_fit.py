"""What `Verdict.fit` hands over, and what it says while it works."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB

from tests.flows import quickly
from venire.errors import VenireWarning
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
