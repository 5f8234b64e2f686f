"""Properties that every tree must have, whatever the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from venire.ensembles.forest.estimators import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor

quick = settings(max_examples=30)


@dataclass(frozen=True)
class Data:
    x: NDArray[np.float64]
    y: NDArray[np.int64]
    weight: NDArray[np.float64]


@st.composite
def tables(draw: Any) -> Data:
    """Small tables with ties, repeated rows and missing values; weights are whole numbers, some of them 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows, columns = draw(st.integers(2, 60)), draw(st.integers(1, 5))
    values = draw(st.sampled_from([2, 5, 40]))
    x = rng.integers(-values, values, size=(rows, columns)).astype(float)
    if draw(st.booleans()):
        x[rng.random(x.shape) < 0.2] = np.nan
    y = rng.integers(0, draw(st.integers(1, 4)), size=rows)
    weight = rng.integers(0, 4, size=rows).astype(float)
    weight[rng.integers(rows)] = 1.0
    return Data(x, y, weight)


CRITERIA = st.sampled_from(["gini", "entropy", "gain_ratio", "error"])


def leaves_of(data: Data, x: NDArray[np.float64], criterion: str) -> NDArray[np.int32]:
    """Where the rows that were fitted end; others may fall between two of them, on either side of a midpoint."""
    leaves: NDArray[np.int32] = DecisionTreeClassifier(criterion=criterion).fit(x, data.y, data.weight).apply(x)
    return leaves[data.weight > 0]


@quick
@given(tables(), CRITERIA, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(data: Data, criterion: str, random: Any) -> None:
    order = np.array(random.sample(range(len(data.y)), len(data.y)))
    one = DecisionTreeClassifier(criterion=criterion).fit(data.x, data.y, data.weight)
    other = DecisionTreeClassifier(criterion=criterion).fit(data.x[order], data.y[order], data.weight[order])
    assert other.nodes_ == one.nodes_


@quick
@given(tables(), CRITERIA, st.randoms(use_true_random=False))
def test_the_order_of_columns_changes_no_gain(data: Data, criterion: str, random: Any) -> None:
    order = random.sample(range(data.x.shape[1]), data.x.shape[1])
    stumps = [
        DecisionTreeClassifier(criterion=criterion, max_depth=1).fit(x, data.y, data.weight)
        for x in (data.x, data.x[:, order])
    ]
    weighted = [sum(node.impurity * node.weight for node in stump.nodes_[1:]) for stump in stumps]
    if (
        criterion != "gain_ratio"
    ):  # of two questions with one ratio, the lower column's is asked; their gains may differ
        assert weighted[0] == pytest.approx(weighted[1], abs=1e-9)
    assert len(stumps[0].nodes_) == len(stumps[1].nodes_)


@quick
@given(tables(), CRITERIA, st.sampled_from(["cube", "exponential", "offset", "scale"]))
def test_monotone_transforms_change_nothing(data: Data, criterion: str, kind: str) -> None:
    change = {
        "cube": lambda x: x**3,
        "exponential": lambda x: np.exp(x / 4),
        "offset": lambda x: x + 1e8,
        "scale": lambda x: x * 1e-30,
    }[kind]
    assert np.array_equal(leaves_of(data, change(data.x), criterion), leaves_of(data, data.x, criterion))


@quick
@given(tables(), CRITERIA, st.sampled_from(["copy", "constant", "missing"]))
def test_columns_that_add_nothing_change_nothing(data: Data, criterion: str, kind: str) -> None:
    more = {"copy": data.x, "constant": np.full((len(data.y), 1), 7.0), "missing": np.full((len(data.y), 2), np.nan)}[
        kind
    ]
    assert np.array_equal(leaves_of(data, np.hstack([data.x, more]), criterion), leaves_of(data, data.x, criterion))


@quick
@given(tables(), CRITERIA)
def test_a_row_without_weight_is_no_row(data: Data, criterion: str) -> None:
    kept = data.weight > 0
    one = DecisionTreeClassifier(criterion=criterion).fit(data.x, data.y, data.weight)
    other = DecisionTreeClassifier(criterion=criterion).fit(data.x[kept], data.y[kept], data.weight[kept])
    shares = one.predict_proba(data.x)
    assert np.array_equal(shares[:, np.isin(one.classes_, other.classes_)], other.predict_proba(data.x))
    assert shares.sum(axis=1) == pytest.approx(1.0)


@quick
@given(tables(), st.sampled_from(["variance", "absolute"]))
def test_numbers_far_from_zero_split_alike(data: Data, criterion: str) -> None:
    near = DecisionTreeRegressor(criterion=criterion).fit(data.x, data.y.astype(float), data.weight)
    far = DecisionTreeRegressor(criterion=criterion).fit(data.x, data.y + 1e8, data.weight)
    assert np.array_equal(far.apply(data.x), near.apply(data.x))  # the centre of y is taken off first
    assert far.predict(data.x) - 1e8 == pytest.approx(near.predict(data.x), abs=1e-6)


@quick
@given(tables(), st.sampled_from([RandomForestClassifier, ExtraTreesClassifier]), st.booleans())
def test_a_bootstrap_may_miss_a_class(data: Data, kind: Any, combined: bool) -> None:
    forest = kind(n_estimators=5, bootstrap=True, combinations=2 if combined else None, random_state=0)
    shares = forest.fit(data.x, data.y, data.weight).predict_proba(data.x)
    assert shares.shape == (len(data.y), len(forest.classes_))
    assert shares.sum(axis=1) == pytest.approx(1.0)


@quick
@given(tables())
def test_a_forest_stays_within_the_numbers_it_saw(data: Data) -> None:
    forest = RandomForestRegressor(n_estimators=5, random_state=0).fit(data.x, data.y.astype(float), data.weight)
    seen = data.y[data.weight > 0]
    predicted = forest.predict(data.x)
    assert predicted.min() >= seen.min() - 1e-9
    assert predicted.max() <= seen.max() + 1e-9


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier])
def test_one_row_is_enough(kind: Any) -> None:
    assert kind().fit([[1.0, np.nan]], [3]).predict([[np.nan, 2.0]]).tolist() == [3]
