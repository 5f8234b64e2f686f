"""The trees of a boosting, each as the regression tree it would be alone; made when they are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import Forest
from venire.errors import DataError
from venire.models.tree.estimators import DecisionTreeRegressor
from venire.models.tree.first_trees import first_trees
from venire.models.tree.storage import arrays_of, single_tree


@dataclass(frozen=True, slots=True)
class Stage:
    """The rounds of one fit of a warm start, and the parameters that shaped their trees."""

    rounds: int
    learning_rate: float
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: float | None
    min_samples_split: float | None
    min_impurity_decrease: float


def stage_of(model: Any, rounds: int) -> Stage:
    """The parameters of a model now."""
    names = [name for name in Stage.__dataclass_fields__ if name != "rounds"]
    return Stage(rounds, **{name: getattr(model, name) for name in names})


def cut_stages(stages: list[Stage], rounds: int) -> list[Stage]:
    """The first so many rounds."""
    kept: list[Stage] = []
    for stage in stages:
        left = rounds - sum(one.rounds for one in kept)
        if left > 0:
            kept.append(replace(stage, rounds=min(stage.rounds, left)))
    return kept


def joined_rounds(before: Forest, count: int, more: Forest) -> Forest:
    """The first `count` trees of a fit before, and the trees of this one, which must have grown on the same bins."""
    try:
        return Forest.joined([first_trees(before, count), more])
    except ValueError as error:
        raise DataError(f"warm_start: {error}", code="other_data", hint="fit again without warm_start") from None


def single_trees(model: Any) -> NDArray[Any]:
    """[round, output]: scores are those of the start plus the learning rate times what each tree says."""
    arrays = arrays_of(model._forest)
    outputs = len(model._start)
    trees: list[DecisionTreeRegressor] = []
    for stage in model._stages or [stage_of(model, model.n_rounds_)]:
        scaled = {**arrays, "values": arrays["values"] / stage.learning_rate}
        some = range(len(trees), min(len(trees) + stage.rounds * outputs, model.n_rounds_ * outputs))
        trees += [_tree(model, stage, single_tree(scaled, place)) for place in some]
    out = np.empty(len(trees), dtype=object)
    out[:] = trees
    return out.reshape(-1, outputs)


def _tree(model: Any, stage: Stage, grown: Any) -> DecisionTreeRegressor:
    tree = DecisionTreeRegressor(
        max_depth=stage.max_depth,
        max_leaf_nodes=stage.max_leaf_nodes,
        min_samples_leaf=1 if stage.min_samples_leaf is None else stage.min_samples_leaf,
        min_samples_split=2 if stage.min_samples_split is None else stage.min_samples_split,
        min_impurity_decrease=stage.min_impurity_decrease,
        max_features=model.max_features,
    )
    shared = ("n_features_in_", "feature_names_in_", "_layout")
    tree.__dict__.update({name: value for name, value in vars(model).items() if name in shared})
    tree._widths = None
    tree._forest = grown
    return tree
