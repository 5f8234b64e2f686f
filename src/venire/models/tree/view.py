"""A fitted tree as plain data: nodes with their questions, the text of it, and its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from venire._core import Forest
from venire.models.input import Layout


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row must satisfy to go down one branch."""

    feature: str
    operator: str  # "<=", ">", "in", or "missing"
    bound: float = 0.0
    categories: tuple[str, ...] = ()
    missing: bool = False  # rows without a value go this way too

    def to_text(self, decimals: int = 2) -> str:
        """The condition as a person writes it.

        >>> Condition("age", "<=", 16.5, missing=True).to_text(1)
        'age <= 16.5 or missing'
        """
        if self.operator == "missing":
            return f"{self.feature} missing"
        if self.operator == "in":
            inside = ", ".join(self.categories)
            text = f"{self.feature} = {inside}" if len(self.categories) == 1 else f"{self.feature} in {{{inside}}}"
        else:
            text = f"{self.feature} {self.operator} {self.bound:.{decimals}f}"
        return f"{text} or missing" if self.missing else text


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node: what reached it while fitting, what it predicts, and where rows go from here."""

    number: int
    depth: int
    rows: int
    weight: float
    impurity: float
    value: tuple[float, ...]  # shares of the classes, or the one predicted number
    branches: tuple[tuple[Condition, int], ...]  # condition and number of the child; empty for a leaf

    @property
    def is_leaf(self) -> bool:
        """Does the node have no question?"""
        return not self.branches


@dataclass(frozen=True, slots=True)
class Rule:
    """A way from the root to a leaf, with the conditions on one feature drawn together."""

    conditions: tuple[Condition, ...]
    prediction: Any
    share: float  # of the leaf's weight that has the predicted class; 1 for numbers
    rows: int

    def __str__(self) -> str:
        when = " and ".join(condition.to_text() for condition in self.conditions) or "always"
        return f"if {when} then {self.consequence}"

    @property
    def consequence(self) -> str:
        """What follows for the rows that it covers."""
        return f"{self.prediction} ({self.rows} rows, {self.share:.0%})"


def read_nodes(forest: Forest, tree: int, layout: Layout, names: Sequence[str]) -> tuple[TreeNode, ...]:
    """All nodes of a tree that kept its statistics; node 0 is the root, children come after their parents."""
    described = forest.describe(tree)
    depth = [0] * len(described)
    nodes = []
    for number, one in enumerate(described):
        branches = tuple(_branches(one, layout, names))
        for _, child in branches:
            depth[child] = depth[number] + 1
        value, rows = tuple(one["value"]), one["rows"]
        nodes.append(TreeNode(number, depth[number], rows, one["weight"], one["impurity"], value, branches))
    return tuple(nodes)


def _branches(node: dict[str, Any], layout: Layout, names: Sequence[str]) -> Iterator[tuple[Condition, int]]:
    first = node["child"]
    if node["branch"] == "leaf":
        return
    if node["branch"] == "threshold":
        yield from _threshold_branches(node, names[node["feature"]], first)
    elif node["branch"] == "oblique":
        combination = " + ".join(f"{c:.3g}·{names[j]}" for j, c in node["terms"])
        yield Condition(combination, "<=", node["threshold"]), first
        yield Condition(combination, ">", node["threshold"]), first + 1
    else:
        *by_code, missing = node["child_of_code"]
        labels = layout.categories.get(node["feature"], range(len(by_code)))
        for slot in range(node["children"]):
            inside = tuple(str(label) for label, child in zip(labels, by_code, strict=True) if child == slot)
            operator = "in" if inside else "missing"
            yield Condition(names[node["feature"]], operator, categories=inside, missing=missing == slot), first + slot


def _threshold_branches(node: dict[str, Any], name: str, first: int) -> Iterator[tuple[Condition, int]]:
    left = node["missing_left"]
    if node["threshold"] == float("inf"):  # only "is it missing?" was asked
        yield Condition(name, "<=", node["threshold"]), first
        yield Condition(name, "missing", missing=True), first + 1
    else:
        yield Condition(name, "<=", node["threshold"], missing=left), first
        yield Condition(name, ">", node["threshold"], missing=not left), first + 1


def _walk(nodes: Sequence[TreeNode]) -> Iterator[tuple[TreeNode, tuple[Condition, ...]]]:
    """Nodes from left to right, each with the conditions on the way to it. No recursion: trees can be deep."""
    stack: list[tuple[TreeNode, tuple[Condition, ...]]] = [(nodes[0], ())]
    while stack:
        node, way = stack.pop()
        yield node, way
        stack.extend((nodes[child], (*way, condition)) for condition, child in reversed(node.branches))


def to_text(nodes: Sequence[TreeNode], outcomes: Sequence[str] | None, *, decimals: int, max_depth: int | None) -> str:
    """The tree as indented lines, one a branch. `outcomes` names the classes; None prints numbers."""
    lines: list[str] = []
    for node, way in _walk(nodes):
        if max_depth is not None and node.depth > max_depth:
            continue
        if way:
            lines.append(f"{'|   ' * (node.depth - 1)}|--- {_plain(way[-1]).to_text(decimals)}")
        if node.is_leaf or node.depth == max_depth:
            cut = "" if node.is_leaf else " …"
            lines.append(f"{'|   ' * node.depth}|--- {_outcome(node, outcomes, decimals)} ({node.rows}){cut}")
    return "\n".join(lines) + "\n"


def _plain(condition: Condition) -> Condition:
    """Without the default direction of missing values, which every question has and few readers want."""
    if condition.operator == "missing":
        return condition
    return Condition(condition.feature, condition.operator, condition.bound, condition.categories)


def _outcome(node: TreeNode, outcomes: Sequence[str] | None, decimals: int) -> str:
    if outcomes is None:
        return f"value: {node.value[0]:.{decimals}f}"
    return f"class: {outcomes[_largest(node.value)]}"


def _largest(value: tuple[float, ...]) -> int:
    return max(range(len(value)), key=value.__getitem__)


def to_rules(nodes: Sequence[TreeNode], outcomes: Sequence[Any] | None) -> list[Rule]:
    """One rule a leaf, in the order of the leaves from left to right."""
    rules: list[Rule] = []
    for node, way in _walk(nodes):
        if node.is_leaf:
            best = _largest(node.value)
            prediction = node.value[0] if outcomes is None else outcomes[best]
            share = 1.0 if outcomes is None else node.value[best]
            rules.append(Rule(_drawn_together(way), prediction, share, node.rows))
    return rules


def _drawn_together(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Of the conditions on one feature by one operator, what holds for all of them."""
    kept: dict[tuple[str, str], Condition] = {}
    for new in conditions:
        old = kept.get((new.feature, new.operator))
        if old is not None:
            # Further down, bounds only get narrower; categories the node has not seen may come back, and are cut off.
            both = tuple(category for category in new.categories if category in old.categories)
            new = Condition(new.feature, new.operator, new.bound, both, old.missing and new.missing)
        kept[new.feature, new.operator] = new
    return tuple(kept.values())
