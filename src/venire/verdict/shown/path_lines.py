"""The lines of a complexity curve: where a path varies several things, one line for each choice of all but one.

The settings of a support vector machine are "linear, C = 0.01", …, "rbf, C = 100": an axis of C with a line a kernel.
One behind the other on one axis they would be a line that goes back and forth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from venire.validation.trials.family import Setting

Parts = dict[str, str]  # what is shown of a setting, by name; a part without a name is its own value


@dataclass(frozen=True, slots=True)
class PathLines:
    """The settings of a path laid out for a picture, one entry a setting in the order of the path."""

    label: str  # of the axis
    values: tuple[str, ...]  # along the axis
    lines: tuple[str, ...]  # the line each setting is on; all empty where there is but one
    axis: tuple[str, ...]  # the different values, from simple to complex


def path_lines(settings: Sequence[Setting]) -> PathLines:
    """One line where one thing varies; else the thing with the most values is the axis, and the others make the lines.

    A setting that shows no parts is its label, whole.

    >>> found = path_lines([Setting.of({}, {"": kernel, "C": c}) for kernel in ("linear", "rbf") for c in (1, 10)])
    >>> found.label, found.axis, found.lines
    ('C', ('1', '10'), ('linear', 'linear', 'rbf', 'rbf'))
    >>> path_lines([Setting.of({}, {"k": k}) for k in (5, 3, 1)]).values
    ('5', '3', '1')
    """
    shown = [dict(setting.shown) or {"": setting.label} for setting in settings]
    names = list(dict.fromkeys(name for parts in shown for name in parts))
    varying = [name for name in names if len({parts.get(name) for parts in shown}) > 1]
    if len(varying) < 2:
        along = varying[0] if varying else names[-1]
        if all(along in parts for parts in shown):
            return _laid_out(along, [parts[along] for parts in shown], [""] * len(shown))
        return _one_line(settings)
    everywhere = [name for name in varying if all(name in parts for parts in shown)]
    # Of equals the last: it is what a grid varies fastest.
    along = max(reversed(everywhere), key=lambda name: len({parts[name] for parts in shown}), default="")
    lines = [_without(parts, along, varying) for parts in shown]
    if not everywhere or len(set(lines)) > len(settings) // 2 or _collide(shown, along, lines):
        return _one_line(settings)  # things that vary together are one walk, not a grid
    return _laid_out(along, [parts[along] for parts in shown], lines)


def _one_line(settings: Sequence[Setting]) -> PathLines:
    """Every setting by all that is said of it."""
    return _laid_out("", [setting.label for setting in settings], [""] * len(settings))


def _laid_out(along: str, values: list[str], lines: list[str]) -> PathLines:
    return PathLines(along or "setting", tuple(values), tuple(lines), _in_order(values, lines))


def _without(parts: Parts, along: str, varying: Sequence[str]) -> str:
    """The line a setting is on: all that varies and is not the axis."""
    named = [(name, parts[name]) for name in varying if name != along and name in parts]
    return ", ".join(f"{name} = {value}" if name else value for name, value in named)


def _collide(shown: Sequence[Parts], along: str, lines: Sequence[str]) -> bool:
    """Whether two settings would fall on one point."""
    return len({(line, parts[along]) for line, parts in zip(lines, shown, strict=True)}) < len(shown)


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
