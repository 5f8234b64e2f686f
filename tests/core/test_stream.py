"""A large tree grown from the matrix itself asks what growing from codes asks, on any number of threads."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from venire._core import Bins, Edges, Forest
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.models.tree.growth import STREAMED_ROWS, Growth, Problem

ROWS = 40_000  # more than a piece may hold, so that the tree has a top

Question = tuple[Any, ...]


def table(dtype: type = np.float32, *, classes: int = 2, rows: int = ROWS) -> tuple[NDArray[Any], Problem]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 4)) * 10
    x[:, 3] = rng.integers(0, 7, size=rows)
    z = x[:, 0] + x[:, 1] * (x[:, 3] % 3 - 1) + rng.normal(size=rows) * 5
    labels = np.digitize(z, np.quantile(z, np.arange(1, classes) / classes))
    if dtype is np.uint8:
        x = np.abs(x)
    return x.astype(dtype), Problem(classes, labels.astype(np.int32), None, None)


def grown(
    x: NDArray[Any], problem: Problem, *, streamed: bool, threads: int = 1, categorical: bool = False, **rules: Any
) -> Forest:
    mask = np.array([False] * (x.shape[1] - 1) + [categorical])
    growth = Growth(**{"criterion": "gini", "threads": threads} | rules)
    bins = (Edges if streamed else Bins).of(x, mask, None, max_bins=255, threads=threads)
    return growth.grow(bins, x, problem)


def questions(forest: Forest) -> list[Question]:
    """The tree from top to bottom and from left to right, without the numbers of its nodes."""
    nodes, found, stack = forest.describe(0), [], [0]
    while stack:
        node = nodes[stack.pop()]
        found.append(tuple((name, node[name]) for name in sorted(node) if name != "child"))
        if node["branch"] != "leaf":
            stack.extend(node["child"] + slot for slot in reversed(range(node["children"])))
    return found


def assert_same_tree(x: NDArray[Any], problem: Problem, **rules: Any) -> list[Question]:
    ours, expected = grown(x, problem, streamed=True, **rules), grown(x, problem, streamed=False, **rules)
    found = questions(ours)
    assert found == questions(expected)
    assert np.allclose(ours.importances(), expected.importances(), rtol=1e-12, atol=0)
    return found


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"criterion": "entropy", "min_samples_leaf": 30},
        {"criterion": "error", "max_depth": 6},
        {"criterion": "gain_ratio", "min_samples_split": 100},
        {"min_weight_fraction_leaf": 0.001},
        {"min_impurity_decrease": 1e-4},
        {"max_depth": 1},
        {"ccp_alpha": 1e-4},
        {"keep_stats": False},
    ],
    ids=str,
)
def test_the_questions_are_those_of_growing_from_codes(rules: dict[str, Any]) -> None:
    assert len(assert_same_tree(*table(), **rules)) > 1


@pytest.mark.parametrize("classes", [2, 3, 9])
@pytest.mark.parametrize("multiway", [False, True])
def test_categories_and_missing_values(classes: int, multiway: bool) -> None:
    x, problem = table(classes=classes)
    x[::7, 0] = np.nan
    x[::11, 3] = np.nan
    assert_same_tree(x, problem, categorical=True, multiway=multiway, min_samples_leaf=5)


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_scalar_and_order(dtype: type, order: Literal["C", "F"]) -> None:
    x, problem = table(dtype)
    assert_same_tree(np.array(x, order=order), problem, max_depth=8)


def test_a_view_with_strides() -> None:
    x, problem = table(rows=2 * ROWS)
    assert problem.labels is not None
    half = Problem(2, np.ascontiguousarray(problem.labels[::2]), None, None)
    assert_same_tree(x[::2, ::-1], half, max_depth=8)


def test_a_tree_so_one_sided_that_its_top_ends_early() -> None:
    """Every question parts off one row in 25: there are more levels above the pieces than passes."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 25, size=ROWS)
    x = (group[:, None] == np.arange(24)).astype(np.uint8)
    chance = np.where(group < 24, np.linspace(1.0, 0.6, 25)[group], 0.05)
    labels = (rng.random(ROWS) < chance).astype(np.int32)
    found = assert_same_tree(x, Problem(2, labels, None, None))
    assert len(found) == 2 * 25 - 1


def test_nothing_to_ask() -> None:
    x, problem = table()
    one_class = Problem(2, np.ones(ROWS, dtype=np.int32), None, None)
    assert len(assert_same_tree(x, one_class)) == 1
    assert len(assert_same_tree(np.ones_like(x), problem)) == 1


def test_few_rows() -> None:
    x, problem = table(rows=300)
    assert_same_tree(x, problem)


@pytest.mark.parametrize("classes", [2, 5])
def test_threads_change_no_byte(classes: int) -> None:
    x, problem = table(classes=classes)
    seen = {pickle.dumps(grown(x, problem, streamed=True, threads=threads)) for threads in (1, 2, 3, 8)}
    assert len(seen) == 1


SCRIPT = """
import hashlib, pickle, numpy as np
from venire.models.tree.estimators import DecisionTreeClassifier
rng = np.random.default_rng(0)
x = rng.normal(size=(66_000, 5)).astype(np.float32)
y = (x[:, 0] * x[:, 1] + rng.normal(size=len(x)) > 0).astype(int)
forests = [DecisionTreeClassifier(min_samples_leaf=3).fit(x[:rows], y[:rows])._forest for rows in (9_000, len(x))]
# One by one: within one pickle a name that two forests share is written once or twice, as chance has it.
print(hashlib.sha256(b"".join(map(pickle.dumps, forests))).hexdigest())
"""


def test_vectors_change_no_byte() -> None:
    """Gains and codes are the same whichever instructions found them."""
    seen = set()
    for simd in ("baseline", "avx2", None):
        settings = {key: value for key, value in os.environ.items() if key != "VENIRE_SIMD"}
        if simd is not None:
            settings["VENIRE_SIMD"] = simd
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=settings)
        seen.add(done.stdout)
    assert len(seen) == 1


def test_what_cannot_be_streamed_is_refused() -> None:
    x, problem = table()
    refused: list[tuple[Problem, dict[str, Any]]] = [
        (Problem(2, problem.labels, None, np.full(ROWS, 2.0)), {}),
        (problem, {"max_features": 2}),
        (problem, {"sampling": "bootstrap", "draws": ROWS}),
    ]
    for other, rules in refused:
        with pytest.raises(ValueError, match="grows from edges alone"):
            grown(x, other, streamed=True, **rules)
    edges = Edges.of(x, np.zeros(4, dtype=bool), None, max_bins=255, threads=1)
    with pytest.raises(ValueError, match="need the matrix"):
        Forest.grow(edges, None, **problem.as_arguments(), **grow_settings())
    with pytest.raises(ValueError, match="not the one that the edges are of"):
        Forest.grow(edges, x[:, :3], **problem.as_arguments(), **grow_settings())


def grow_settings() -> dict[str, Any]:
    growth = Growth("gini")
    return {name: getattr(growth, name) for name in growth.__dataclass_fields__}


def test_an_estimator_streams_where_that_saves_memory() -> None:
    x, problem = table(rows=2 * STREAMED_ROWS)
    assert Growth("gini").streams(x, problem)
    assert not Growth("gini").streams(x[1:], problem)
    for rules in ({"max_features": 2}, {"random_cuts": True}, {"among_best": 2}, {"max_leaf_nodes": 9}):
        assert not Growth("gini", **rules).streams(x, problem)
    weights = np.ones(len(x))
    assert not Growth("gini").streams(x, Problem(2, problem.labels, None, weights))
    streamed = DecisionTreeClassifier(min_samples_leaf=9).fit(x, problem.labels)
    from_codes = DecisionTreeClassifier(min_samples_leaf=9).fit(x, problem.labels, sample_weight=weights)
    assert streamed.export_text() == from_codes.export_text()
    assert np.array_equal(streamed.predict_proba(x), from_codes.predict_proba(x))
