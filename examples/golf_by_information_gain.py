"""Shall we play golf? A decision tree, one branch a value, by information gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt
import drawing
import pandas as pd

from venire.data.datasets import dataset
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.models.tree.measures import gain, gain_ratio, impurity, split_information
from venire.models.tree.view import TreeNode


def main() -> None:
    days = pd.read_csv(dataset("play_golf").path, dtype=str)
    X, y = days.drop(columns="play"), days["play"]
    gains = {name: gain(X[name], y) for name in X}

    print(f"Info(D) = {impurity(y):.3f}")
    for name, value in gains.items():
        print(f"Gain({name}) = {value:.3f}")
    print(f"SplitInfo(temp) = {split_information(X['temp']):.3f}")
    print(f"GainRatio(temp) = {gain_ratio(X['temp'], y):.3f}")

    tree = DecisionTreeClassifier(criterion="entropy", categorical="multiway").fit(X, y)
    print(f"root = {tree.nodes_[0].branches[0][0].feature}\n")
    print(tree.export_text())
    for rule in tree.rules():
        print(rule)
    drawing.save(alt.vconcat(drawing.bars(gains, "information gain (bits)"), picture_of(tree)), __file__)


def picture_of(tree: DecisionTreeClassifier) -> alt.LayerChart:
    """The tree with its root on top: leaves side by side, a parent in the middle above its children."""
    nodes = tree.nodes_
    across: dict[int, float] = {}
    leaves = [node.number for node in in_order(nodes, 0) if node.is_leaf]
    for node in reversed(nodes):  # children come after their parents
        children = [across[child] for _, child in node.branches]
        across[node.number] = sum(children) / len(children) if children else leaves.index(node.number)
    edges = [(node, condition, nodes[child]) for node in nodes for condition, child in node.branches]
    ends = [(across[n.number], -n.depth, i) for i, (a, _, b) in enumerate(edges) for n in (a, b)]
    middles = [((across[a.number] + across[b.number]) / 2, -(a.depth + b.depth) / 2) for a, _, b in edges]
    labels = [
        f"{tree.classes_[max(range(len(n.value)), key=n.value.__getitem__)]} ({n.rows})"
        if n.is_leaf
        else n.branches[0][0].feature
        for n in nodes
    ]
    x, y = alt.X("x:Q", axis=None, scale=alt.Scale(padding=30)), alt.Y("y:Q", axis=None, scale=alt.Scale(padding=20))
    twigs = alt.Chart(drawing.data(x=[e[0] for e in ends], y=[e[1] for e in ends], edge=[e[2] for e in ends]))
    named = drawing.data(
        x=[m[0] for m in middles], y=[m[1] for m in middles], text=[", ".join(c.categories) for _, c, _ in edges]
    )
    answers = alt.Chart(named).encode(x, y, text="text:N")
    placed = drawing.data(x=[across[n.number] for n in nodes], y=[-n.depth for n in nodes], text=labels)
    words = alt.Chart(placed).encode(x, y, text="text:N")
    return alt.layer(
        twigs.mark_line(color=drawing.GREY).encode(x, y, detail="edge:N"),
        answers.mark_text(stroke="white", strokeWidth=5),
        answers.mark_text(color=drawing.BLUE),
        words.mark_text(fontWeight="bold", fontSize=13, stroke="white", strokeWidth=5),
        words.mark_text(fontWeight="bold", fontSize=13),
    ).properties(width=460, height=220)


def in_order(nodes: Sequence[TreeNode], at: int) -> Iterator[TreeNode]:
    """The nodes from left to right."""
    yield nodes[at]
    for _, child in nodes[at].branches:
        yield from in_order(nodes, child)


if __name__ == "__main__":
    main()
