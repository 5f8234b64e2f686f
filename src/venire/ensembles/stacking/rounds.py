"""What the single rounds of a fitted ensemble say: ours by their own word, scikit-learn's by their kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble

from venire.ensembles.members import aligned, votes
from venire.ensembles.rows import take_columns
from venire.errors import UsageError

Floats = NDArray[np.float64]

_FORESTS = (
    ensemble.RandomForestClassifier,
    ensemble.RandomForestRegressor,
    ensemble.ExtraTreesClassifier,
    ensemble.ExtraTreesRegressor,
)
_BAGS = (ensemble.BaggingClassifier, ensemble.BaggingRegressor)
_BOOSTS = (ensemble.AdaBoostClassifier, ensemble.AdaBoostRegressor)


def round_outputs(member: Any, X: Any, classes: NDArray[Any] | None) -> Floats:
    """[round, row, output] of an ensemble: probabilities of `classes`, or numbers where there are none."""
    if hasattr(member, "round_outputs"):
        predicted = np.asarray(member.round_outputs(X), dtype=np.float64)
        if classes is None or len(member.classes_) == len(classes):
            return predicted
        return np.stack([aligned(one, member.classes_, classes) for one in predicted])
    if not isinstance(member, _FORESTS + _BAGS + _BOOSTS):
        raise UsageError(
            f"{type(member).__name__} has no single rounds to look at",
            hint="rounds_of may name a bagging, a forest or an AdaBoost",
        )
    columns = getattr(member, "estimators_features_", [None] * len(member.estimators_))
    rows = X if isinstance(member, _BOOSTS) else np.asarray(X)
    return np.stack(
        [
            _ask(one, take_columns(rows, chosen), member, classes)
            for one, chosen in zip(member.estimators_, columns, strict=True)
        ]
    )


def _ask(one: Any, X: Any, member: Any, classes: NDArray[Any] | None) -> Floats:
    if classes is None:
        return np.asarray(one.predict(X), dtype=np.float64).reshape(-1, 1)
    # Members of scikit-learn's bags and forests know classes by their codes, those of its AdaBoost by their labels.
    known = one.classes_ if isinstance(member, _BOOSTS) else member.classes_[one.classes_.astype(np.intp)]
    if hasattr(one, "predict_proba"):
        return aligned(np.asarray(one.predict_proba(X), dtype=np.float64), known, classes)
    if isinstance(member, _BOOSTS):
        return votes(one, X, classes)
    predicted = np.searchsorted(classes, member.classes_[np.asarray(one.predict(X)).astype(np.intp)])
    return np.asarray(np.eye(len(classes))[predicted])
