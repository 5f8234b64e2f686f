"""The axis of a complexity curve: along numbers where the settings are numbers, with ticks at round ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10
from typing import Any

import altair as alt

_WIDE = 100.0  # times the smallest setting from which the largest is seen better by powers of ten
_FEWEST = 3  # settings that make a scale; fewer are names
_MOST_TICKS = 5
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def setting_axis(settings: Sequence[str], title: str) -> alt.X:
    """The horizontal axis, from simple to complex; its field is `at` where there are numbers, else `setting`."""
    plain = alt.Axis(labelAngle=0, labelOverlap=True)
    numbers = on_a_scale(settings)
    if numbers is None:
        return alt.X("setting:O", sort=list(settings), title=title, axis=plain)
    falling = numbers[0] > numbers[-1]
    low, high = min(numbers), max(numbers)
    if low > 0 and high / low >= _WIDE:
        scale = alt.Scale(type="log", domain=[low, high], reverse=falling, padding=10, nice=False)
        return alt.X("at:Q", title=title, scale=scale, axis=_by_powers(low, high))
    scale = alt.Scale(domain=[low, high], reverse=falling, padding=10, nice=False)
    step: dict[str, Any] = {"tickMinStep": 1} if all(number == floor(number) for number in numbers) else {}
    return alt.X("at:Q", title=title, scale=scale, axis=alt.Axis(labelAngle=0, grid=False, tickCount=5, **step))


def on_a_scale(settings: Sequence[str]) -> list[float] | None:
    """The settings as numbers, where they rise or fall all the way; None where they are names, or too few.

    >>> on_a_scale(["10", "5", "1"]), on_a_scale(["1", "8", "2"]), on_a_scale(["sqrt", "2", "3"])
    ([10.0, 5.0, 1.0], None, None)
    >>> on_a_scale(["0.1", "0.01", "0.001", "0"])  # none is no power of ten
    """
    try:
        numbers = [float(setting) for setting in settings]
    except ValueError:
        return None
    if len(numbers) < _FEWEST or not all(map(isfinite, numbers)) or numbers not in (
        sorted(numbers),
        sorted(numbers, reverse=True),
    ):  # fmt: skip
        return None
    positive = [number for number in numbers if number > 0]
    zero_apart = len(positive) < len(numbers) and positive and max(positive) / min(positive) >= _WIDE
    return None if zero_apart else numbers


def _by_powers(low: float, high: float) -> alt.Axis:
    """Ticks at powers of ten, every one or as many as there is room for."""
    first, last = floor(log10(low) + 1 - 1e-9), floor(log10(high) + 1e-9)
    step = max(1, -(-(last - first + 1) // _MOST_TICKS))
    powers = range(first, last + 1, step)
    words = ", ".join(f"'{power}': '{power_words(power)}'" for power in powers)
    label = f"({{{words}}})[toString(round(log(datum.value) / LN10))]"
    return alt.Axis(values=[10.0**power for power in powers], labelExpr=label, labelAngle=0, grid=False)


def power_words(power: int) -> str:
    """A power of ten as an axis has it.

    >>> power_words(-6), power_words(-2), power_words(0), power_words(5)
    ('10⁻⁶', '0.01', '1', '10⁵')
    """
    return f"{10.0**power:g}" if -3 <= power <= 3 else f"10{str(power).translate(_RAISED)}"
