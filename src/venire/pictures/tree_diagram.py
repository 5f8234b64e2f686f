"""A decision tree as a diagram; of a deep one the upper part, with a slider for how much of it is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import altair as alt
import numpy as np

from venire.data.table import label_text
from venire.errors import UsageError
from venire.models.input import column_names
from venire.models.tree.view import Condition, TreeNode
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import PALETTE, QUIET, Chart, finish, plot, short
from venire.wording import count, percent

_LEVEL, _LEAST_LEVEL = 92, 66  # points from one level to the next, as drawn at first and when more are open
_BOX = 108  # points that a box is wide; ends stand apart by more
_MOST_DEPTH = 6  # that the slider opens: more levels do not fit on a screen
_MOST_BOXES = 40  # of one drawing; below that the tree is folded


@dataclass(frozen=True, slots=True)
class _Box:
    """One node in one drawing."""

    node: TreeNode
    x: float
    folded: bool  # it has a question, and what is below is not drawn


def tree_diagram(
    tree: Any,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    depth: int = 3,
) -> Figure:
    """A fitted tree as a diagram: questions on the branches, and in every node its rows and what it predicts.

    Of a tree that is deeper than `depth` the upper part is drawn. In a notebook or a page a slider folds and unfolds
    it, level by level.

    Parameters
    ----------
    tree
        A fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`.
    names
        The names of the columns, where the tree was fitted on an array without any.
    classes
        What the classes are called, in the order of `classes_`, where the tree was fitted on codes.
    categories
        What the categories of a column are called, in the order of their codes, likewise.
    depth
        How many levels of questions are open at first.

    Returns
    -------
    Figure
        The picture.

    Examples
    --------
    >>> from venire import DecisionTreeClassifier
    >>> from venire.data.generators import banana
    >>> X, y = banana(100, np.random.default_rng(0))
    >>> figure = tree_diagram(DecisionTreeClassifier(max_depth=2).fit(X, y))
    >>> len(figure.numbers.rows), figure.numbers.rows[0][:3]
    (5, ('0', '100', '44 % 0, 56 % 1'))
    """
    if depth < 1:
        raise UsageError(f"at least one level is open, not {depth}", code="bad_depth")
    nodes = _named(tree.nodes_, column_names(tree), names, categories or {})
    labels = [label_text(label) for label in np.asarray(getattr(tree, "classes_", ())).tolist()]
    if classes is not None and labels:
        labels = [str(classes[int(code)]) for code in labels]
    deepest = max(node.depth for node in nodes)
    levels = [level for level in range(1, min(deepest, _MOST_DEPTH) + 1) if _boxes(nodes, level) <= _MOST_BOXES] or [1]
    first = min(depth, levels[-1])
    drawings = {level: _placed(nodes, level) for level in (levels if deepest > depth else [levels[-1]])}
    chart = _drawn(drawings, nodes, labels, first if deepest > depth else levels[-1])
    said = {child: condition.to_text() for node in nodes for condition, child in node.branches}
    rows = tuple((str(node.number), count(node.rows), _said(node, labels), said.get(node.number, "")) for node in nodes)
    leaves = count(sum(node.is_leaf for node in nodes), "leaf", "leaves")
    caption = f"{count(len(nodes), 'node')}, {leaves}, {count(deepest, 'level')} deep."
    if deepest > first:
        caption += f" Drawn: the first {count(first, 'level')}; a node with … goes on below."
    numbers = Numbers(("node", "rows", "predicts", "reached if"), rows)
    return Figure("tree_diagram", "The tree", caption, chart, numbers)


def _named(
    nodes: Sequence[TreeNode],
    known: Sequence[str],
    names: Sequence[str] | None,
    categories: Mapping[str, Sequence[str]],
) -> Sequence[TreeNode]:
    """The nodes, with other names for the columns that they ask about, and for their categories."""
    if names is not None and len(names) != len(known):
        raise UsageError(f"the tree was fitted on {len(known)} columns, and {len(names)} names were given")
    new = dict(zip(known, map(str, names or known), strict=True))

    def renamed(condition: Condition) -> Condition:
        feature = new.get(condition.feature, condition.feature)
        words = categories.get(feature)
        if words is None:
            return replace(condition, feature=feature)
        return replace(condition, feature=feature, categories=tuple(_word(one, words) for one in condition.categories))

    return [replace(node, branches=tuple((renamed(c), child) for c, child in node.branches)) for node in nodes]


def _word(code: str, words: Sequence[str]) -> str:
    """The word of a category's code; what is no code stays."""
    return words[int(float(code))] if code.replace(".0", "").isdigit() and int(float(code)) < len(words) else code


def _boxes(nodes: Sequence[TreeNode], level: int) -> int:
    return sum(node.depth <= level for node in nodes)


def _placed(nodes: Sequence[TreeNode], level: int) -> list[_Box]:
    """The nodes down to a level; ends stand side by side in their order, and a parent above the middle of its own."""
    x: dict[int, float] = {}
    ends = 0
    stack = [(0, False)]
    while stack:  # children before parents, without recursion: trees can be deep
        number, back = stack.pop()
        node = nodes[number]
        if node.is_leaf or node.depth == level:
            x[number] = float(ends)
            ends += 1
        elif back:
            below = [x[child] for _, child in node.branches]
            x[number] = (below[0] + below[-1]) / 2
        else:
            stack.append((number, True))
            stack.extend((child, False) for _, child in reversed(node.branches))
    return [_Box(nodes[n], (at + 0.5) / ends, nodes[n].depth == level and not nodes[n].is_leaf) for n, at in x.items()]


def _drawn(drawings: dict[int, list[_Box]], nodes: Sequence[TreeNode], classes: list[str], first: int) -> Chart:
    boxes: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    for level, placed in drawings.items():
        at = {box.node.number: box for box in placed}
        for box in placed:
            node = box.node
            boxes.append(
                {"open": level, "x": round(box.x, 5), "y": float(node.depth), "rows": f"{count(node.rows, 'row')}"}
                | {"says": short(_headline(node, classes)), "class": _class(node, classes), "number": node.number}
                | {"share": round(max(node.value), 4) if classes else 1.0, "asks": _question(node, folded=box.folded)}
            )
            for condition, child in () if box.folded else node.branches:
                ends = {
                    "x": round(box.x, 5),
                    "y": float(node.depth),
                    "x2": round(at[child].x, 5),
                    "y2": node.depth + 1.0,
                }
                lines.append({"open": level, **ends, "label": node.depth + 0.6, "answer": _answer(condition)})
    widest = max(sum(box.node.is_leaf or box.folded for box in placed) for placed in drawings.values())
    chosen = max(sum(box.node.is_leaf or box.folded for box in drawings[first]), 2)
    width = min(max(_BOX * (chosen if len(drawings) == 1 else min(widest, 12)), 360), 1100)
    return _layers(boxes, lines, classes, first, list(drawings), width)


def _layers(
    boxes: list[dict[str, Any]],
    lines: list[dict[str, Any]],
    classes: list[str],
    first: int,
    levels: list[int],
    width: int,
) -> Chart:
    slider = alt.binding_range(min=levels[0], max=levels[-1], step=1, name="levels open ")
    opened = alt.param(name="open_levels", value=first, bind=slider) if len(levels) > 1 else None
    shown = "datum.open == open_levels" if opened is not None else "true"
    deepest = first if opened is not None else max(box["y"] for box in boxes)
    last = alt.ExprRef("open_levels + 0.3") if opened is not None else deepest + 0.3
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 1]))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domainMin=-0.3, domainMax=last, reverse=True, nice=False, zero=False))
    colours = [PALETTE[at % len(PALETTE)] for at in range(len(classes))] or [PALETTE[0]]
    legend = alt.Legend(symbolType="square") if classes else None
    fill = alt.Fill(
        "class:N", title="class", scale=alt.Scale(domain=classes or ["value"], range=colours), legend=legend
    )
    strong = alt.FillOpacity("share:Q", scale=alt.Scale(domain=[0, 1], range=[0.05, 0.5]), legend=None)
    tips = [alt.Tooltip("says:N", title="predicts"), alt.Tooltip("rows:N"), alt.Tooltip("number:O", title="node")]
    data, joins = plot(boxes).transform_filter(shown), plot(lines).transform_filter(shown)
    shape: dict[str, Any] = {
        "shape": "M-1,-0.53H1V0.53H-1Z",
        "size": (0.92 * _BOX) ** 2,
        "filled": True,
        "opacity": 1,
    }
    words: dict[str, tuple[int, Literal[400, 600]]] = {"says": (-13, 600), "rows": (1, 400), "asks": (15, 400)}
    layers: list[alt.Chart] = []
    if lines:
        layers.append(joins.mark_rule(color=QUIET, strokeWidth=1.2).encode(x, y, x2="x2:Q", y2="y2:Q"))
        at = {"x": alt.X("x2:Q", axis=None), "y": alt.Y("label:Q", axis=None), "text": "answer:N"}
        layers.append(joins.mark_text(fontSize=10.5, stroke="white", strokeWidth=5).encode(**at))
        layers.append(joins.mark_text(fontSize=10.5).encode(**at))
    layers.append(data.mark_point(fill="white", strokeWidth=0, **shape).encode(x, y))
    layers.append(data.mark_point(strokeWidth=0, **shape).encode(x, y, fill, strong, tooltip=tips))
    for field, (down, weight) in words.items():
        layers.append(
            data.mark_text(dy=down, fontSize=10.5, fontWeight=weight, limit=0.9 * _BOX).encode(x, y, text=f"{field}:N")
        )
    chart = alt.LayerChart(layer=layers, view=alt.ViewBackground(strokeOpacity=0))
    if opened is not None:
        chart = chart.add_params(opened)
    height = max(_LEVEL * (deepest + 0.6), _LEAST_LEVEL * (levels[-1] + 0.6))
    return finish(chart, "A decision tree.", width=width, height=int(height))


def _question(node: TreeNode, *, folded: bool) -> str:
    if node.is_leaf:
        return ""
    return "…" if folded else f"{_fitting(node.branches[0][0].feature, 14)}?"


def _answer(condition: Condition) -> str:
    """What leads down a branch, short enough to stand above its end."""
    if condition.operator == "missing":
        return "missing"
    if condition.operator == "in":
        return _fitting(", ".join(condition.categories), 14)
    return f"{'≤' if condition.operator == '<=' else '>'} {condition.bound:.4g}"


def _class(node: TreeNode, classes: list[str]) -> str:
    return classes[max(range(len(node.value)), key=node.value.__getitem__)] if classes else "value"


def _headline(node: TreeNode, classes: list[str]) -> str:
    if not classes:
        return f"{node.value[0]:.4g}"
    return f"{_class(node, classes)} {percent(max(node.value))}"


def _said(node: TreeNode, classes: list[str]) -> str:
    if not classes:
        return f"{node.value[0]:.4g}"
    return ", ".join(f"{percent(value)} {label}" for value, label in zip(node.value, classes, strict=True))


def _fitting(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
