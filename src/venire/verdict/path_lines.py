"""The lines of a complexity curve: where a path varies several things, one line for each choice of all but one.

The settings of a support vector machine are "linear, C = 0.01", …, "rbf, C = 100": an axis of C with a line a kernel.
One behind the other on one axis they would be a line that goes back and forth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_OPENING, _CLOSING = "([{", ")]}"

Parts = dict[str, str]  # what a label says, by name; a part that is no "name = value" is its own value


@dataclass(frozen=True, slots=True)
class PathLines:
    """The settings of a path laid out for a picture, one entry a setting in the order of the path."""

    label: str  # of the axis
    values: tuple[str, ...]  # along the axis
    lines: tuple[str, ...]  # the line each setting is on; all empty where there is but one
    axis: tuple[str, ...]  # the different values, from simple to complex


def path_lines(labels: Sequence[str]) -> PathLines:
    """One line where one thing varies; else the thing with the most values is the axis, and the others make the lines.

    >>> found = path_lines(["linear, C = 1", "linear, C = 10", "rbf, C = 1", "rbf, C = 10"])
    >>> found.label, found.axis, found.lines
    ('C', ('1', '10'), ('linear', 'linear', 'rbf', 'rbf'))
    >>> path_lines(["k = 5", "k = 3", "k = 1"]).values
    ('5', '3', '1')
    """
    predicted = [_parts(label) for label in labels]
    names = list(dict.fromkeys(name for parts in predicted for name in parts))
    varying = [name for name in names if len({parts.get(name) for parts in predicted}) > 1]
    if len(varying) < 2:
        along = varying[0] if varying else names[-1]
        if all(along in parts for parts in predicted):
            return _laid_out(along, [parts[along] for parts in predicted], [""] * len(predicted))
        return _one_line(labels)
    everywhere = [name for name in varying if all(name in parts for parts in predicted)]
    # Of equals the last: it is what a grid varies fastest.
    along = max(reversed(everywhere), key=lambda name: len({parts[name] for parts in predicted}), default="")
    lines = [_without(parts, along, varying) for parts in predicted]
    if not everywhere or len(set(lines)) > len(labels) // 2 or _collide(predicted, along, lines):
        return _one_line(labels)  # things that vary together are one walk, not a grid
    return _laid_out(along, [parts[along] for parts in predicted], lines)


def _one_line(labels: Sequence[str]) -> PathLines:
    """Every setting by all that is said of it."""
    return _laid_out("", list(labels), [""] * len(labels))


def _laid_out(along: str, values: list[str], lines: list[str]) -> PathLines:
    return PathLines(along.strip() or "setting", tuple(values), tuple(lines), _in_order(values, lines))


def _parts(label: str) -> Parts:
    """What a label says, split at its commas but not at those inside brackets.

    >>> _parts("rbf, C = 10")
    {'': 'rbf', 'C': '10'}
    >>> _parts("hidden_layer_sizes = (8, 4), alpha = 0.1")
    {'hidden_layer_sizes': '(8, 4)', 'alpha': '0.1'}
    """
    pieces, depth = [""], 0
    for sign in label:
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if sign == "," and depth <= 0:
            pieces.append("")
        else:
            pieces[-1] += sign
    found: Parts = {}
    for piece in pieces:
        name, equals, value = piece.strip().partition(" = ")
        if equals:
            found[name] = value
        else:
            found[" " * sum(not known.strip() for known in found)] = name  # unnamed parts by their place
    return found


def _without(parts: Parts, along: str, varying: Sequence[str]) -> str:
    """The line a setting is on: all that varies and is not the axis."""
    named = [(name, parts[name]) for name in varying if name != along and name in parts]
    return ", ".join(f"{name} = {value}" if name.strip() else value for name, value in named)


def _collide(predicted: Sequence[Parts], along: str, lines: Sequence[str]) -> bool:
    """Whether two settings would fall on one point."""
    return len({(line, parts[along]) for line, parts in zip(lines, predicted, strict=True)}) < len(predicted)


def _in_order(values: Sequence[str], lines: Sequence[str]) -> tuple[str, ...]:
    """The different values in an order that suits every line: rising or falling where all of them do."""
    different = list(dict.fromkeys(values))
    try:
        sizes = {value: float(value) for value in different}
    except ValueError:
        return tuple(different)
    of_lines = [[sizes[v] for v, on in zip(values, lines, strict=True) if on == line] for line in dict.fromkeys(lines)]
    for falling in (False, True):
        if all(walk == sorted(walk, reverse=falling) for walk in of_lines):
            return tuple(sorted(different, key=sizes.__getitem__, reverse=falling))
    return tuple(different)
