"""States made by hand to pass for trees: refused before anything is read or allocated by what they claim."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from venire import GradientBoostingRegressor, RandomForestRegressor
from venire._core import Bins, Forest

ROOT = Path(__file__).parents[2]
THRESHOLD, SUBSET, MULTIWAY, OBLIQUE = range(4)
LEAF = 255  # the packed half of a leaf: a threshold on column 0 that no code exceeds
CODES = 256


def question(branch: int = THRESHOLD, *, feature: int = 0, cut: int = 0) -> int:
    """The packed half of a node that asks."""
    return feature << 12 | branch << 9 | cut


def state(nodes: Sequence[tuple[int, int]], value: Sequence[int], **changed: Any) -> dict[str, Any]:
    """One tree on two numeric columns, as arrays: nodes are (child, packed); one output, a value row for each node."""
    count = len(nodes)
    arrays: dict[str, Any] = {
        "outputs": 1,
        "classes": False,
        "categorical": np.zeros(2, dtype=np.uint8),
        "edge_start": np.array([0, 1, 2]),
        "edges": np.zeros(2),
        "center_start": np.array([0, 2, 4]),
        "centers": np.array([-1.0, 1.0, -1.0, 1.0]),
        "code_start": np.zeros(3, dtype=np.int64),
        "bin_of": np.zeros(0, dtype=np.uint8),
        "mean": np.zeros(2),
        "deviation": np.ones(2),
        "node_start": np.array([0, count]),
        "nodes": np.array(nodes, dtype=np.uint32).reshape(-1),
        "value": np.array(value, dtype=np.int32),
        "table": np.full(count, -1, dtype=np.int32),
        "value_start": np.array([0, count]),
        "values": np.arange(count, dtype=np.float64),
        "subset_start": np.zeros(2, dtype=np.int64),
        "subsets": np.zeros(0, dtype=np.uint8),
        "slot_start": np.zeros(2, dtype=np.int64),
        "slots": np.zeros(0, dtype=np.uint8),
        "cut_start": np.zeros(2, dtype=np.int64),
        "term_cut": np.zeros(0),
        "term_count": np.zeros(0, dtype=np.int32),
        "term_start": np.zeros(2, dtype=np.int64),
        "term_feature": np.zeros(0, dtype=np.uint32),
        "term_coefficient": np.zeros(0, dtype=np.float32),
        "rows": np.zeros(0, dtype=np.uint32),
        "weight": np.zeros(0),
        "impurity": np.zeros(0),
        "importance": np.zeros(2),
    }
    return arrays | changed


def statistics(count: int) -> dict[str, Any]:
    return {"rows": np.full(count, 9, dtype=np.uint32), "weight": np.full(count, 9.0), "impurity": np.full(count, 0.5)}


def combination(nodes: int, counts: Sequence[int], terms: int, table: Sequence[int]) -> dict[str, Any]:
    return {
        "table": np.array([*table, *[-1] * (nodes - len(table))], dtype=np.int32),
        "cut_start": np.array([0, len(counts)]),
        "term_cut": np.zeros(len(counts)),
        "term_count": np.array(counts, dtype=np.int32),
        "term_start": np.array([0, terms]),
        "term_feature": np.zeros(terms, dtype=np.uint32),
        "term_coefficient": np.ones(terms, dtype=np.float32),
    }


STUMP = [(1, question()), (1, LEAF), (2, LEAF)]
X = np.array([[-1.0, 0.5], [1.0, -0.5], [np.nan, np.nan]])


def test_the_states_of_these_tests_are_trees_but_for_what_they_change() -> None:
    stump = Forest.from_arrays(state(STUMP, [0, 1, 2], **statistics(3)))
    assert stump.average(X, [1], votes=False, threads=1)[0, :, 0].tolist() == [1.0, 2.0, 2.0]
    assert stump.pruned(10.0).average(X, [1], votes=False, threads=1)[0, :, 0].tolist() == [0.0, 0.0, 0.0]
    oblique = Forest.from_arrays(state([(1, question(OBLIQUE)), *STUMP[1:]], [-1, 1, 2], **combination(3, [2], 2, [0])))
    assert oblique.average(X, [1], votes=False, threads=1)[0, :2, 0].tolist() == [1.0, 2.0]


def test_counts_of_terms_do_not_wrap() -> None:
    # 4096 times 2^20 is 0 in 32 bits: as many terms as there are. The node asks for some far beyond them.
    counts = combination(3, [1 << 20] * 4096, 0, [2048])
    with pytest.raises(ValueError, match="combinations do not add up"):
        Forest.from_arrays(state([(1, question(OBLIQUE)), *STUMP[1:]], [-1, 1, 2], **counts))


@pytest.mark.parametrize("counts", [[3, 3], [1, 2], [2, -1, 3]])
def test_combinations_have_the_terms_they_count(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="combination"):
        Forest.from_arrays(state([(1, question(OBLIQUE)), *STUMP[1:]], [-1, 1, 2], **combination(3, counts, 4, [0])))


def test_a_node_where_pruning_may_stop_has_a_value() -> None:
    with pytest.raises(ValueError, match="a node with statistics has no value"):
        Forest.from_arrays(state(STUMP, [-1, 1, 2], **statistics(3)))


@pytest.mark.parametrize(("leaf", "value"), [((1, LEAF), -1), ((1, LEAF - 1), 1), ((1, question(SUBSET)), 1)])
def test_a_leaf_has_a_value_and_asks_nothing(leaf: tuple[int, int], value: int) -> None:
    with pytest.raises(ValueError, match=r"a leaf is not a leaf|a side table is missing"):
        Forest.from_arrays(state([STUMP[0], leaf, STUMP[2]], [0, value, 2]))


@pytest.mark.parametrize("missing", ["rows", "weight", "impurity"])
def test_statistics_are_numbers(missing: str) -> None:
    stats = statistics(3)
    if missing == "rows":
        stats["rows"] = stats["rows"][:2]
    else:
        stats[missing][1] = np.nan
    with pytest.raises(ValueError, match="statistics"):
        Forest.from_arrays(state(STUMP, [0, 1, 2], **stats))


def test_levels_by_depth_need_values_on_the_way() -> None:
    # Inner nodes of boosted trees have none, and no statistics that would ask for them.
    grown = GradientBoostingRegressor(n_estimators=1, min_samples_leaf=1).fit(X[:2], [0.0, 1.0])._forest
    bins = Bins.of(X, np.zeros(2, dtype=bool), None, max_bins=255, threads=1)
    assert grown.sizes(0)[0] == 3
    with pytest.raises(ValueError, match="values of its inner nodes"):
        grown.levels_coded(bins, np.arange(3), by="depth", levels=[-1.0, 0.0], threads=1)


def shared_children(depth: int) -> dict[str, Any]:
    """Nodes that ask, each with the next for both children: 2^depth ways through few nodes."""
    nodes = [(i + 1, question()) for i in range(depth)] + [(depth, LEAF), (depth + 1, LEAF)]
    return state(nodes, [-1] * depth + [depth, depth + 1])


def test_a_node_has_one_parent() -> None:
    with pytest.raises(ValueError, match="a node has two parents"):
        Forest.from_arrays(shared_children(60))


def test_a_node_is_somebodys_child() -> None:
    with pytest.raises(ValueError, match="a node has no parent"):
        Forest.from_arrays(state([(0, LEAF), (1, LEAF), (2, LEAF)], [0, 1, 2]))


def test_children_come_after_their_parents() -> None:
    with pytest.raises(ValueError, match="a child does not exist"):
        Forest.from_arrays(state([(1, question()), (0, question()), (2, LEAF)], [0, 1, 2]))


@pytest.mark.parametrize("children", [0, 1])
def test_a_many_way_question_has_more_than_one_answer(children: int) -> None:
    slots = np.full(CODES, children, dtype=np.uint8)
    crafted = state(
        [(1, question(MULTIWAY)), *STUMP[1:]],
        [0, 1, 2],
        table=np.array([0, -1, -1], dtype=np.int32),
        slots=slots,
        slot_start=np.array([0, CODES]),
    )
    with pytest.raises(ValueError, match="a branch table names fewer than two children"):
        Forest.from_arrays(crafted)


@pytest.mark.parametrize("branch", [SUBSET, MULTIWAY, OBLIQUE])
def test_no_two_nodes_share_a_side_table(branch: int) -> None:
    # One table of a million terms behind a million nodes would be 2^40 terms once the tree is copied.
    nodes = [(1, question(branch)), (3, question(branch)), (2, LEAF), (3, LEAF), (4, LEAF)]
    tables: dict[str, Any] = combination(5, [1], 1, [0, 0]) if branch == OBLIQUE else {}
    if branch == SUBSET:
        tables = {"subsets": np.zeros(CODES // 8, dtype=np.uint8), "subset_start": np.array([0, CODES // 8])}
    elif branch == MULTIWAY:
        slots = np.arange(CODES, dtype=np.uint8) % 2 + 1
        tables = {"slots": slots.astype(np.uint8), "slot_start": np.array([0, CODES])}
    tables["table"] = np.array([0, 0, -1, -1, -1], dtype=np.int32)
    with pytest.raises(ValueError, match="two nodes share a side table"):
        Forest.from_arrays(state(nodes, [0, 1, 2, 3, 4], **tables))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"centers": np.zeros(3), "center_start": np.array([0, 1, 3])}, "centers do not match its edges"),
        ({"categorical": np.array([1, 0], dtype=np.uint8)}, "a column is both numeric and categorical"),
        ({"bin_of": np.zeros(4, dtype=np.uint8), "code_start": np.array([0, 4, 4])}, "both numeric and categorical"),
        ({"outputs": 1 << 40}, "number of outputs is out of range"),
        ({"outputs": 0}, "number of outputs is out of range"),
        ({"node_start": np.array([0, 1 << 62])}, "nodes do not match"),
        ({"value_start": np.array([0, -1])}, "values do not match"),
    ],
)
def test_columns_and_sizes_are_checked_before_they_are_used(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Forest.from_arrays(state(STUMP, [0, 1, 2], **changed))


def test_refusing_takes_no_memory_to_speak_of() -> None:
    # In a process of its own, for the most memory that a process ever had is all that the system tells.
    script = """
import resource
from tests.core.test_storage_crafted import X, shared_children
from venire._core import Forest, boosted_sums
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    boosted_sums(Forest.from_arrays(shared_children(28)), X.repeat(99, axis=0), [0.0], [1], threads=1)
except ValueError as error:
    print(error, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    message, _, kilobytes = done.stdout.rpartition(" ")
    assert "a node has two parents" in message
    assert int(kilobytes) < 50_000


def test_real_trees_pass_all_of_it() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(200, 5))
    for combinations in (None, 2):
        model = RandomForestRegressor(n_estimators=3, combinations=combinations, random_state=0).fit(x, x[:, 0])
        again = Forest.from_arrays(model._forest.to_arrays())
        assert again.describe(2) == model._forest.describe(2)
