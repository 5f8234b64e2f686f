"""The recipes of boosting in the bucket: trees of several sizes, steps and penalties, and a search among more.

In one turn the cheapest recipe goes first. Large trees have a later one: where the time is short they take most of it,
and bring least (decision 66).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.families import fit_seconds as costs
from venire.families import paths
from venire.families.trees.boosting import BoostingFamily, LargeTreesFamily
from venire.families.trees.rates import RatesFamily
from venire.families.trees.searched import SearchedBoostingFamily
from venire.validation.trials.family import Turn

# Three recipes beside the plain one, chosen together with it on some tables and shown on others (decision 37).
_SMALL_TREES: dict[str, Any] = {
    "learning_rate": 0.03, "max_leaf_nodes": 10, "min_samples_leaf": 5, "l2_regularization": 1.0, "colsample": 0.4,
    "n_jobs": 1,
}  # fmt: skip
_SMALL_STEPS: dict[str, Any] = {
    "learning_rate": 0.03, "min_samples_leaf": 8, "l2_regularization": 5.0, "colsample": 0.5, "n_jobs": 1,
}  # fmt: skip
_LARGE_TREES: dict[str, Any] = {**_SMALL_STEPS, "learning_rate": 0.06, "max_leaf_nodes": 64}
# A penalty would have a unit there, that of the target (decision 66).
_RATES: dict[str, Any] = {**_SMALL_STEPS, "l2_regularization": 0.0, "loss": "poisson"}
# The rest is found (decision 52).
_SEARCHED: dict[str, Any] = {"learning_rate": 0.04, "min_samples_leaf": 20, "n_jobs": 1}


def boosting_families() -> tuple[BoostingFamily, ...]:
    """Boosting as it comes, then the recipes beside it."""
    return (
        _boosting("boosting", {"n_jobs": 1, "min_samples_leaf": 20}, paths.ROUNDS, costs.boosting, Turn.PROMISING),
        _boosting("boosting_small", _SMALL_TREES, paths.SMALL_TREES, costs.boosting_small, Turn.SECOND),
        _boosting("boosting_slow", _SMALL_STEPS, paths.SLOW_ROUNDS, costs.boosting_slow, Turn.SECOND),
        _boosting(
            "boosting_large", _LARGE_TREES, paths.LARGE_TREES, costs.boosting_large, Turn.THIRD, LargeTreesFamily
        ),
        RatesFamily(
            "boosting_log",
            regressor=GradientBoostingRegressor(**_RATES),
            path=paths.boosting_rounds(paths.SLOW_ROUNDS, _RATES["min_samples_leaf"]),
            path_label="T",
            encoding="none",
            seconds=costs.boosting_slow,
            turn=Turn.SECOND,
        ),
        _boosting(
            "boosting_searched", _SEARCHED, paths.SEARCHED, costs.boosting_searched, Turn.SECOND, SearchedBoostingFamily
        ),
    )


def _boosting(
    name: str,
    recipe: dict[str, Any],
    rounds: tuple[int, ...],
    seconds: Callable[[int, int, int], float],
    turn: Turn,
    kind: type[BoostingFamily] = BoostingFamily,
) -> BoostingFamily:
    return kind(
        name,
        classifier=GradientBoostingClassifier(**recipe),
        regressor=GradientBoostingRegressor(**recipe),
        path=paths.boosting_rounds(rounds, recipe["min_samples_leaf"]),
        path_label="T",
        encoding="none",
        seconds=seconds,
        turn=turn,
    )
