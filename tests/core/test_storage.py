"""Stored trees: they come back the same, and damaged ones are turned away before they can be walked."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venire._core import Forest, boosted_sums
from venire.ensembles.forest.estimators import RandomForestClassifier
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor


def make_forests() -> dict[str, tuple[Forest, np.ndarray]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    x[:, 3] = rng.integers(0, 6, size=300)
    x[rng.random(x.shape) < 0.05] = np.nan
    y = (np.nan_to_num(x[:, 0] * x[:, 1]) > 0).astype(int) + (x[:, 3] > 3)
    options: dict[str, Any] = {"categorical_features": [3], "random_state": 0}
    fitted = {
        "subset": DecisionTreeClassifier(**options).fit(x, y),
        "multiway": DecisionTreeClassifier(categorical="multiway", **options).fit(x, y),
        "numbers": DecisionTreeRegressor(max_depth=4, **options).fit(x, y),
        "forest": RandomForestClassifier(n_estimators=3, **options).fit(x, y),
        "combinations": RandomForestClassifier(n_estimators=3, combinations=2, **options).fit(x, y),
    }
    return {name: (model._forest, x) for name, model in fitted.items()}


FORESTS = make_forests()


def use(forest: Forest, x: np.ndarray) -> None:
    """Whatever can be done with trees: none of it may leave their arrays."""
    forest.average(x, [forest.trees], votes=True, threads=1)
    forest.leaves(x, threads=1)
    forest.describe(0)
    forest.sizes(0)
    for do in (
        lambda: forest.pruned(0.01),
        lambda: forest.pruning_path(),
        lambda: forest.levels(x, [0.0, 0.01, 1.0], threads=1),
        lambda: forest.shap(x[:5], x[:9], trees=1, outputs=outputs_of(forest), votes=False, scale=1.0, threads=1),
        lambda: boosted_sums(forest, x, [0.0], [forest.trees], threads=1),
    ):
        try:
            do()
        except ValueError:  # said of trees without statistics, of combinations, of several outputs
            continue


def outputs_of(forest: Forest) -> int:
    return int(forest.to_arrays()["outputs"])


@pytest.mark.parametrize("name", FORESTS)
def test_arrays_come_back_as_the_same_trees(name: str) -> None:
    forest, x = FORESTS[name]
    again = Forest.from_arrays(forest.to_arrays())
    assert np.array_equal(again.leaves(x, threads=1), forest.leaves(x, threads=1))
    predict = [f.average(x, [f.trees], votes=False, threads=1) for f in (forest, again)]
    assert predict[0].tobytes() == predict[1].tobytes()
    assert again.describe(0) == forest.describe(0)


def test_pickling_gives_the_same_bytes() -> None:
    forest, _ = FORESTS["forest"]
    assert pickle.dumps(pickle.loads(pickle.dumps(forest))) == pickle.dumps(forest)  # noqa: S301  # our own bytes


@pytest.mark.parametrize(
    ("array", "place", "value", "message"),
    [
        ("nodes", 0, 0xFFFF_FFF0, "a child does not exist"),
        ("nodes", 1, 0xFFFF_F000, "asks about a column that does not exist"),
        ("value", -1, 10_000, "value does not exist"),
        ("value", -1, -1, "a node with statistics has no value"),
        ("node_start", 1, 5, "nodes do not match"),
        ("edge_start", 1, -4, "edges do not match"),
        ("edges", 0, np.nan, "edges are not in order"),
        ("bin_of", 0, 254, "a category has no bin"),
    ],
)
def test_damage_is_named(array: str, place: int, value: float, message: str) -> None:
    arrays = FORESTS["subset"][0].to_arrays()
    arrays[array][place] = value
    with pytest.raises(ValueError, match=message):
        Forest.from_arrays(arrays)


def test_a_missing_array_is_an_error() -> None:
    arrays = FORESTS["subset"][0].to_arrays()
    del arrays["values"]
    with pytest.raises(KeyError, match="values"):
        Forest.from_arrays(arrays)


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(sorted(FORESTS)), data=st.data())
def test_altered_arrays_are_refused_or_harmless(name: str, data: st.DataObject) -> None:
    forest, x = FORESTS[name]
    arrays = forest.to_arrays()
    names = sorted(key for key, value in arrays.items() if isinstance(value, np.ndarray) and value.size)
    chosen = data.draw(st.sampled_from(names))
    raw = arrays[chosen].view(np.uint8)
    place = data.draw(st.integers(0, raw.size - 1))
    raw[place] = data.draw(st.integers(0, 255))
    try:
        altered = Forest.from_arrays(arrays)
    except ValueError:
        return
    use(altered, x)
