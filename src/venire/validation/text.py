"""Results as plain text: numbers, intervals and columns that line up."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from venire.inference.intervals import Interval
from venire.validation.plans.plan import Plan

_DEALT = {
    "random": "dealt at random",
    "stratified": "stratified",
    "grouped": "of whole groups",
    "time": "in time order",
    "leave_one_out": "a row each",
    "leave_one_group_out": "a group each",
    "given": "as given",
}


def number(value: float) -> str:
    """Four digits, or a dash where there is nothing.

    >>> number(0.123456), number(1234.5), number(float("nan"))
    ('0.1235', '1234', '—')
    >>> number(0.0), number(4.9e-06), number(24512.3)
    ('0.0000', '4.9e-06', '24512')
    """
    if isnan(value):
        return "—"
    size = abs(value)
    if 1e3 <= size < 1e8:
        return f"{value:.0f}"
    return f"{value:.4f}" if 1e-4 <= size < 10 or size == 0 else f"{value:.4g}"


def with_interval(value: float, interval: Interval) -> str:
    """A figure with its interval behind it.

    >>> with_interval(0.25, Interval(0.2, 0.3))
    '0.2500 [0.2000, 0.3000]'
    """
    return f"{number(value)} [{number(interval.low)}, {number(interval.high)}]" if interval.defined else number(value)


def table_of(header: Sequence[str], lines: Sequence[Sequence[str]], right: int = 2) -> str:
    """Columns that line up; where there is a header, the last `right` of them on their right side.

    >>> print(table_of(["k", "error"], [["1", "0.2"], ["11", "0.15"]]))
     k  error
     1    0.2
    11   0.15
    """
    every = [list(header), *lines] if header else [list(line) for line in lines]
    columns = len(every[0])
    widths = [max(len(line[c]) for line in every) for c in range(columns)]
    first = columns - right if header else columns
    shown = [
        "  ".join(
            cell.rjust(widths[c]) if c >= first else cell.ljust(widths[c]) for c, cell in enumerate(line)
        ).rstrip()
        for line in every
    ]
    return "\n".join(shown)


def described_plan(plan: Plan) -> str:
    """What a plan does, in words."""
    return "; ".join((_splits(plan), *plan.notes))


def _splits(plan: Plan) -> str:
    if plan.nested:
        order = " in time order" if plan.windows else ""
        folds = f", {len(plan.inner_folds)} inner folds{order} each" if plan.layers > 1 else ""
        return f"{plan.repeats} parts{folds}"
    repeats = f", {plan.repeats} times" if plan.repeats > 1 else ""
    if plan.dealing == "holdout":
        return ("train and test" if plan.blocks == 2 else "train, validate and test") + repeats
    return f"{plan.blocks} blocks {_DEALT.get(plan.dealing, plan.dealing)}{repeats}"
