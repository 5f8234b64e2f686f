"""Grown trees as the operator TreeEnsemble (ai.onnx.ml 5): doubles in, doubles out.

A leaf of that operator adds one number to one output. Where a leaf has several (the shares of many classes), each tree
gives the number of its leaf instead, a table has the leaves' values, and the rows of the table are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

from venire.export.onnx.graph import ML, Graph

_LEQ: Final = 0
_MEMBER: Final = 6
_SUM: Final = 1
_AT_ONCE: Final = 256  # numbers a row that stand in memory together while trees are added up
_COMBINED: Final = 2048  # combinations of columns a row that do
Node = dict[str, Any]
# What the leaf of a tree is worth: (number of the tree, the leaf's own values) → values.
Worth = Callable[[int, Sequence[float]], Sequence[float]]


def tree_sums(graph: Graph, rows: str, forest: Any, worth: Worth, outputs: int, trees: int | None = None) -> str:
    """The sum over trees of what the leaves are worth: [row, output]."""
    arrays = forest.to_arrays()
    total: str | None = None
    for some in _stretches(forest, range(forest.trees if trees is None else trees), outputs):
        seen = _with_combinations(graph, rows, arrays, [node for _, nodes in some for node in nodes])
        part = _one_each(graph, seen, some, worth) if outputs == 1 else _by_table(graph, seen, some, worth)
        total = part if total is None else graph.op("Add", total, part)
    assert total is not None  # an ensemble has a tree
    return total


def boosted_sums(graph: Graph, rows: str, forest: Any, start: Sequence[float], trees: int) -> str:
    """The scores of a boosting: tree t adds to the output t modulo their number."""
    ensemble = Ensemble(len(start))
    for t in range(trees):
        ensemble.add(forest.describe(t), t % len(start), lambda values: values[0])
    return graph.op("Add", ensemble.written(graph, rows), graph.constant([start]))


class Ensemble:
    """The attributes of the operator while they are collected."""

    def __init__(self, targets: int) -> None:
        self._targets = targets
        self._roots: list[int] = []
        self._features: list[int] = []
        self._splits: list[float] = []
        self._modes: list[int] = []
        self._missing: list[int] = []
        self._ways: list[tuple[int, int, int, int]] = []  # true: leaf?, number; false: leaf?, number
        self._members: list[float] = []
        self._leaf_target: list[int] = []
        self._leaf_weight: list[float] = []

    def add(self, nodes: Sequence[Node], target: int, weight: Callable[[Sequence[float]], float]) -> None:
        """A tree as the core describes it."""
        base = len(self._ways)
        self._roots.append(base)
        tree = _Questions(nodes)
        if not isinstance(tree.root, int):  # a leaf alone: both answers of a question lead to it
            leaf = self._leaf(target, weight(tree.root))
            self._ask(_Question(0), (1, leaf), (1, leaf))
        for question in tree.listed:
            yes, no = (
                (0, base + end) if isinstance(end, int) else (1, self._leaf(target, weight(end)))
                for end in question.ends
            )
            self._ask(question, yes, no)

    def _ask(self, question: _Question, yes: tuple[int, int], no: tuple[int, int]) -> None:
        self._features.append(question.column)
        self._modes.append(_MEMBER if question.codes else _LEQ)
        self._splits.append(question.split)
        self._missing.append(int(question.missing_is_yes))
        self._ways.append((*yes, *no))
        if question.codes:
            self._members += [*question.codes, np.nan]

    def _leaf(self, target: int, weight: float) -> int:
        self._leaf_target.append(target)
        self._leaf_weight.append(weight)
        return len(self._leaf_weight) - 1

    def written(self, graph: Graph, rows: str) -> str:
        """The operator, [row, target]."""
        yes_leaf, yes, no_leaf, no = zip(*self._ways, strict=True)
        members = {"membership_values": _tensor(self._members)} if self._members else {}
        return graph.op(
            "TreeEnsemble",
            rows,
            domain=ML,
            n_targets=self._targets,
            aggregate_function=_SUM,
            post_transform=0,
            tree_roots=self._roots,
            nodes_featureids=self._features,
            nodes_splits=_tensor(self._splits),
            nodes_modes=numpy_helper.from_array(np.array(self._modes, dtype=np.uint8)),
            nodes_truenodeids=yes,
            nodes_trueleafs=yes_leaf,
            nodes_falsenodeids=no,
            nodes_falseleafs=no_leaf,
            nodes_missing_value_tracks_true=self._missing,
            leaf_targetids=self._leaf_target,
            leaf_weights=_tensor(self._leaf_weight),
            **members,
        )


End = int | Sequence[float]  # the number of the next question, or the values of a leaf


@dataclass(frozen=True, slots=True)
class _Question:
    """`column <= split`, or whether its code is among some; `ends` are where yes and no lead to."""

    column: int
    split: float = 0.0
    codes: tuple[float, ...] = ()
    missing_is_yes: bool = False
    ends: list[End] = field(default_factory=lambda: [0, 0])


class _Questions:
    """A tree as questions with two answers each."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.listed: list[_Question] = []
        self._nodes = nodes
        self._open: list[tuple[_Question, int, int]] = []  # the answer that leads to a node, for want of its question
        self.root = self._enter(0)
        while self._open:
            question, answer, node = self._open.pop()
            question.ends[answer] = self._enter(node)

    def _enter(self, number: int) -> End:
        node = self._nodes[number]
        if node["branch"] == "leaf":
            return _values(node)
        if node["branch"] not in ("threshold", "oblique"):
            return self._by_codes(node)
        column = node["column"] if node["branch"] == "oblique" else node["feature"]
        question = _Question(column, node["threshold"], missing_is_yes=node.get("missing_left", False))
        self._open += [(question, answer, node["child"] + answer) for answer in (0, 1)]
        return self._listed(question)

    def _by_codes(self, node: Node) -> End:
        """One question for each way that some codes go and missing values do not; what is left goes with these."""
        *by_code, missing = node["child_of_code"]
        order = sorted(range(len(by_code)), key=lambda code: by_code[code])
        ways = groupby(order, key=lambda code: by_code[code])
        asked = [(way, _Question(node["feature"], codes=tuple(map(float, codes)))) for way, codes in ways]
        asked = [(way, question) for way, question in asked if way != missing]
        if not asked:
            return self._enter(node["child"] + missing) if missing >= 0 else _values(node)
        numbers = [self._listed(question) for _, question in asked]
        for place, (way, question) in enumerate(asked):
            self._lead(question, 0, node, way)
            if place + 1 < len(asked):
                question.ends[1] = numbers[place + 1]
            else:
                self._lead(question, 1, node, missing)
        return numbers[0]

    def _lead(self, question: _Question, answer: int, node: Node, way: int) -> None:
        """To a child, or nowhere: then the node itself says what it knows."""
        if way < 0:
            question.ends[answer] = _values(node)
        else:
            self._open.append((question, answer, node["child"] + way))

    def _listed(self, question: _Question) -> int:
        self.listed.append(question)
        return len(self.listed) - 1


def _values(node: Node) -> Sequence[float]:
    values: Sequence[float] = node["value"]
    return values


def _one_each(graph: Graph, rows: str, some: Sequence[tuple[int, list[Node]]], worth: Worth) -> str:
    ensemble = Ensemble(1)
    for t, nodes in some:
        ensemble.add(nodes, 0, lambda values, t=t: worth(t, values)[0])  # type: ignore[misc]  # t is bound now
    return ensemble.written(graph, rows)


def _by_table(graph: Graph, rows: str, some: Sequence[tuple[int, list[Node]]], worth: Worth) -> str:
    ensemble, table = Ensemble(len(some)), list[Sequence[float]]()

    def place(t: int, values: Sequence[float]) -> float:
        table.append(worth(t, values))
        return float(len(table) - 1)

    for target, (t, nodes) in enumerate(some):
        ensemble.add(nodes, target, lambda values, t=t: place(t, values))  # type: ignore[misc]  # t is bound now
    leaves = graph.cast(ensemble.written(graph, rows), TensorProto.INT64)
    found = graph.op("Gather", graph.constant(np.array(table)), leaves, axis=0)  # [row, tree, output]
    return graph.op("ReduceSum", found, graph.constant([1], np.int64), keepdims=0)


def _stretches(forest: Any, trees: range, outputs: int) -> Iterator[list[tuple[int, list[Node]]]]:
    """Trees in order, as many together as their numbers a row allow."""
    held: list[tuple[int, list[Node]]] = []
    combined = 0
    most = len(trees) if outputs == 1 else max(1, _AT_ONCE // outputs)
    for t in trees:
        nodes = forest.describe(t)
        more = sum(node["branch"] == "oblique" for node in nodes)
        if held and (len(held) >= most or combined + more > _COMBINED):
            yield held
            held, combined = [], 0
        held.append((t, nodes))
        combined += more
    yield held


def _with_combinations(graph: Graph, rows: str, arrays: Any, nodes: Sequence[Node]) -> str:
    """The rows with a column more for every combination that a node asks about."""
    asking = [node for node in nodes if node["branch"] == "oblique"]
    if not asking:
        return rows
    width = len(arrays["mean"])
    weights: NDArray[np.float64] = np.zeros((width, len(asking)))
    for place, node in enumerate(asking):
        node["column"] = width + place
        for column, coefficient in node["terms"]:
            weights[column, place] += coefficient
    numeric = arrays["categorical"] == 0
    mean, deviation = np.where(numeric, arrays["mean"], 0.0), np.where(numeric, arrays["deviation"], 1.0)
    scaled = graph.op("Div", graph.op("Sub", rows, graph.constant(mean)), graph.constant(deviation))
    # Missing values count as the mean; the core keeps the scaled ones in single precision.
    filled = graph.op("Where", graph.op("IsNaN", rows), graph.constant(0.0), scaled)
    rounded = graph.cast(graph.cast(filled, TensorProto.FLOAT))
    return graph.op("Concat", rows, graph.op("MatMul", rounded, graph.constant(weights)), axis=1)


def _tensor(values: Sequence[float]) -> TensorProto:
    return numpy_helper.from_array(np.array(values, dtype=np.float64))
