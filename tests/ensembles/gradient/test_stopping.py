"""How many rounds a boosting keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from venire.ensembles.gradient.estimators import GradientBoostingClassifier
from venire.errors import DataError, UsageError


def test_scikit_learns_rule_keeps_the_rounds_it_ran() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=500, n_iter_no_change=5, tol=1e-3, random_state=0).fit(x, y)
    assert model.stopping_ is not None
    assert model.n_estimators_ == len(model.stopping_.losses) - 1 < 500
    last, recent = model.stopping_.losses[-1], model.stopping_.losses[-6:-1]
    assert 2 * last + 1e-3 >= 2 * recent.max()


def test_both_rules_at_once_are_refused() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(UsageError, match="both end the rounds"):
        GradientBoostingClassifier(n_iter_no_change=5, early_stopping=5).fit(x, y)


def test_a_class_without_training_rows_is_refused() -> None:
    with pytest.raises(DataError, match="after the early stopping split is missing some classes"):
        GradientBoostingClassifier(n_iter_no_change=5, validation_fraction=0.8, random_state=0).fit(
            [[1]] * 10, [0, 0] + [1] * 8
        )


def test_a_monitor_ends_the_rounds() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    seen: list[tuple[int, float]] = []

    def watch(i: int, model: Any, known: dict[str, Any]) -> bool:
        seen.append((i, float(np.abs(known["raw_predictions"]).max())))
        return i == 6

    model = GradientBoostingClassifier(n_estimators=50).fit(x, y, monitor=watch)
    assert [i for i, _ in seen] == list(range(7))
    assert model.n_estimators_ == 7
    assert seen[-1][1] == pytest.approx(np.abs(model.decision_function(x)).max())
