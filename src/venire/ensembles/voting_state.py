"""What the parameters and the fitted attributes of voting may be."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from venire.combine.greedy import GreedyPath
from venire.sklearn_private import Interval
from venire.states.checked import Fitted
from venire.states.constraints import array, count, learner, number, optional, record, sequence, whole

CONSTRAINTS: dict[str, Any] = {
    "estimators": "no_validation",  # looked at by `named`
    "weights": ["array-like", None],
    "prefit": ["boolean"],
    "cv": "no_validation",  # looked at by `parts_of`
    "steps": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}
OTHER_NAMES = {"hard": "crisp", "soft": "average"}  # those of scikit-learn


VOTED: Fitted = {
    "n_features_in_": optional(count("features")),  # documents have none
    "estimators_": sequence(learner, "members"),
    "weights_": array("f8", "members"),
    "errors_": optional(array("f8", "members")),
    "path_": optional(record(GreedyPath, picks=sequence(whole(), kind=tuple), losses=sequence(number(), kind=tuple))),
}
