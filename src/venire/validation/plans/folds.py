"""Split rows into folds.

At random by default: strict stratification makes a fold's class shares depend on the rest, which biases the
estimate (a shrunk classifier on pure noise looks better than it is). A split is thrown away only when it would
leave some training part without a class, which is possible for a class with very few rows; where so many classes are
rare that luck does not do, single rows of theirs change places.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.table import Table, Task
from venire.errors import DataError, UsageError
from venire.validation.plans.copies import Cases, EqualRows, described_copies, equal_rows, kept_together
from venire.validation.plans.grouped_time import beginnings, equal_windows, with_spare_fold, without_late_rows
from venire.validation.plans.plan import Plan
from venire.wording import DEFAULT_FOLDS

# Two folds are left out at once, so a class in three folds is in every training part.
_FOLDS_A_CLASS_NEEDS = 3
_MOST_DRAWS = 100
# Up to so many rows ten folds, five or three. With n rows an error rate has a standard error of √(p (1 − p) / n): the
# more rows, the fewer folds measure as well, and K folds cost K (K + 1) / 2 trials.
FOLDS_BY_ROWS = ((10, 5_000), (5, 50_000), (3, math.inf))

Folds = NDArray[np.int32]


def make_plan(
    table: Table,
    *,
    folds: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    stratified: bool = False,
    layers: int = 2,
) -> Plan:
    """Split the rows of a table: in time order, by groups or both when it has them, at random otherwise.

    With `layers=1` nothing is chosen inside the training parts, so two folds are enough and no pair is left out.
    """
    for name, number in (("folds", folds), ("repeats", repeats)):
        if number is not None and not isinstance(number, Integral):
            raise UsageError(f"{name} must be a whole number, not {number!r}", hint=Advice("such as ", Option(name, 5)))
    if repeats < 1:
        raise UsageError(
            f"repeats must be at least 1, not {repeats}", hint=Advice(Option("repeats", 1), " splits the rows once")
        )
    if stratified and (table.groups is not None or table.time is not None):
        raise UsageError(
            "folds cannot be stratified and also keep groups or time order", hint="leave out one of the two options"
        )
    equal = equal_rows(table)
    together = kept_together(table, equal.cases)
    k = _number_of_folds(table, folds, layers, together)
    if table.time is not None:
        if repeats > 1:
            raise UsageError(
                "in time order there is one split only",
                hint=Advice("leave out ", Option("repeats"), ", or ", Option("time")),
            )
        assigned, spare = with_spare_fold(_in_time_order(table, k), k)
        plan = Plan(assigned[None, :], k + spare, "time", seed, layers=layers, spare=spare)
        return with_copies(table, plan, equal)
    splitting = "grouped" if table.groups is not None else "stratified" if stratified else "random"
    each = [draw_folds(table, k, splitting, np.random.default_rng([seed, 0xB10C, r]), together) for r in range(repeats)]
    return with_copies(table, Plan(np.stack(each), k, splitting, seed, layers=layers), equal)


def folds_by_rows(rows: int) -> int:
    """How many folds a table of so many rows is split into, unless somebody says otherwise.

    >>> folds_by_rows(150), folds_by_rows(20_000), folds_by_rows(1_000_000)
    (10, 5, 3)
    """
    return next(folds for folds, most in FOLDS_BY_ROWS if rows <= most)


def with_copies(table: Table, plan: Plan, equal: EqualRows) -> Plan:
    """The plan that knows which rows are copies of one another, and says what became of them."""
    known = replace(plan, cases=equal.cases)
    apart = any(bool(known.copies_apart(repeat).any()) for repeat in range(plan.repeats))
    return replace(known, notes=(*plan.notes, *described_copies(table, equal, apart)))


def _number_of_folds(table: Table, folds: int | None, layers: int, together: Cases | None) -> int:
    """The number asked for, or fewer the more rows there are; never more than there are units to split."""
    least = 2 if layers == 1 else 4 if table.time is not None else 3
    if table.groups is not None:
        units, what = int(table.groups.max()) + 1, "groups"
    elif together is not None:
        units, what = int(together.max()) + 1, "different rows"
    else:
        units, what = table.rows, "rows"
    if folds is None:
        folds = max(least, folds_by_rows(table.rows))
        if (table.groups is not None or together is not None) and units < folds:
            folds = max(units, least)
    if folds < least:
        doing = "judging" if layers == 1 else "choosing and judging"
        raise UsageError(
            f"{folds} folds are too few: {doing} on unseen rows needs at least {least}",
            code="too_few_folds",
            hint=Advice("use ", Option("folds", least), f" or more; the default is {DEFAULT_FOLDS}"),
        )
    if units < folds:
        raise DataError(
            f"the table has {units} {what} with a target, fewer than the {folds} folds they are to be split into",
            code="fewer_rows_than_folds",
            file=table.source or None,
            hint=Advice(
                f"give more {what}", *((", or fewer folds: ", Option("folds", units)) if units >= least else ())
            ),
        )
    return folds


def draw_folds(table: Table, k: int, splitting: str, rng: np.random.Generator, together: Cases | None = None) -> Folds:
    """The fold of every row: "random", "stratified", "grouped" or "time", which needs no generator.

    Rows that are `together` (copies of one row) share a fold, where neither groups nor a time decide. Of groups in time
    order −1 stands for rows that are left out (see `grouped_time`).
    """
    if splitting == "time":
        return _in_time_order(table, k)
    if splitting == "grouped":
        assert table.groups is not None
        groups = table.groups
        return _keeping_classes(_classes(table), groups, k, lambda: _by_groups(groups, k, rng))
    if together is not None:
        return _by_cases(table, k, splitting, rng, together)
    if splitting == "stratified":
        return _stratified(table, k, rng)
    assigned = _keeping_classes(_classes(table), None, k, lambda: _at_random(table.rows, k, rng))
    if table.target is not None and table.target.task is Task.CLASSIFICATION:
        _swap_rare_rows(assigned, table.y, k, rng)
    return assigned


def _by_cases(table: Table, k: int, splitting: str, rng: np.random.Generator, together: Cases) -> Folds:
    """Copies of a row as one: those with most copies first, then single rows where there is most room.

    So folds are as even as those of single rows, or differ by the copies of one row where there are too few of these.
    """
    _, first, copied = np.unique(together, return_index=True, return_counts=True)
    classes = None if _classes(table) is None else table.y[first]

    def spread() -> Folds:
        order = np.lexsort((rng.permutation(len(first)), -copied))
        several = int((copied > 1).sum())
        assigned = np.empty(len(first), dtype=np.int32)
        assigned[order[:several]] = np.arange(several, dtype=np.int32) % k
        filled = np.bincount(assigned[order[:several]], weights=copied[order[:several]], minlength=k).astype(np.intp)
        assigned[order[several:]] = np.repeat(np.arange(k, dtype=np.int32), _room(filled, len(first) - several))
        return rng.permutation(k).astype(np.int32)[assigned]

    if splitting == "stratified":
        return _evenly(table.y[first], classes is not None, k, rng, -copied)[together]
    assigned = _keeping_classes(classes, None, k, spread)
    if classes is not None:
        _swap_rare_rows(assigned, classes, k, rng)
    return assigned[together]


def _room(filled: NDArray[np.intp], rows: int) -> NDArray[np.intp]:
    """How many of some rows each fold gets, so that all folds are as even as what is in them allows.

    >>> _room(np.array([4, 0, 2]), 6).tolist(), _room(np.array([9, 0, 0]), 3).tolist()
    ([0, 4, 2], [0, 2, 1])
    """
    order = np.argsort(filled, kind="stable")
    below = np.cumsum(filled[order])
    ahead = np.append(filled[order][1:], np.iinfo(np.intp).max)
    share = np.arange(1, len(filled) + 1)
    reached = int(np.argmax((below + rows) // share <= ahead))  # so many folds are filled up to one level
    level, rest = divmod(int(below[reached]) + rows, reached + 1)
    room = np.zeros(len(filled), dtype=np.intp)
    room[order[: reached + 1]] = level - filled[order[: reached + 1]] + (np.arange(reached + 1) < rest)
    return room


def _classes(table: Table) -> NDArray[np.int32] | None:
    return table.y if table.target is not None and table.target.task is Task.CLASSIFICATION else None


def _at_random(rows: int, k: int, rng: np.random.Generator) -> Folds:
    assigned = np.empty(rows, dtype=np.int32)
    assigned[rng.permutation(rows)] = np.arange(rows, dtype=np.int32) % k
    return assigned


def _by_groups(groups: NDArray[np.int32], k: int, rng: np.random.Generator) -> Folds:
    """Whole groups in random order, each to the fold that is smallest so far."""
    sizes = np.bincount(groups)
    filled = np.zeros(k, dtype=np.int64)
    fold_of_group = np.zeros(len(sizes), dtype=np.int32)
    for group in rng.permutation(len(sizes)):
        smallest = int(np.argmin(filled))
        fold_of_group[group] = smallest
        filled[smallest] += sizes[group]
    return fold_of_group[groups]


def _stratified(table: Table, k: int, rng: np.random.Generator) -> Folds:
    """Each class (or each run of similar target values) spread evenly over the folds."""
    regression = table.target is not None and table.target.task is Task.REGRESSION
    return _evenly(table.y, not regression, k, rng)


def _evenly(
    y: NDArray[Any], classes: bool, k: int, rng: np.random.Generator, before: NDArray[np.intp] | None = None
) -> Folds:
    """Runs of the same target over all folds; where several have it, those with less of `before` come first."""
    rows = len(y)
    order = np.lexsort((rng.permutation(rows), y) if before is None else (rng.permutation(rows), before, y))
    assigned = np.empty(rows, dtype=np.int32)
    if not classes:
        for start in range(0, rows, k):
            run = order[start : start + k]
            assigned[run] = rng.permutation(k)[: len(run)]
        return assigned
    assigned[order] = np.arange(rows, dtype=np.int32) % k
    return assigned


def _keeping_classes(
    y: NDArray[np.int32] | None, groups: NDArray[np.int32] | None, k: int, draw_folds: Callable[[], Folds]
) -> Folds:
    """Split until every class is in enough folds, or as well as can be; numbers (None) are split once."""
    if y is None:
        return draw_folds()
    classes = int(y.max()) + 1
    wanted = np.minimum(_units_with(y, groups, classes), _FOLDS_A_CLASS_NEEDS)
    best: Folds | None = None
    fewest = np.inf
    for _ in range(_MOST_DRAWS):
        assigned = draw_folds()
        present = np.zeros((classes, k), dtype=bool)
        present[y, assigned] = True
        lacking = int(np.maximum(wanted - present.sum(axis=1), 0).sum())
        if lacking < fewest:
            best, fewest = assigned, lacking
        if lacking == 0:
            break
    assert best is not None
    return best


def _swap_rare_rows(assigned: Folds, y: NDArray[np.int32], k: int, rng: np.random.Generator) -> None:
    """Bring every class into as many folds as it needs: its rows trade places with rows that can be spared."""
    count = np.zeros((int(y.max()) + 1, k), dtype=np.int64)
    np.add.at(count, (y, assigned), 1)
    wanted = np.minimum(count.sum(axis=1), _FOLDS_A_CLASS_NEEDS)
    for rare in np.flatnonzero((count > 0).sum(axis=1) < wanted):
        for row in rng.permutation(np.flatnonzero(y == rare)):
            here = assigned[row]
            if (count[rare] > 0).sum() >= wanted[rare] or count[rare, here] < 2:
                continue
            away = np.flatnonzero(count[rare, assigned] == 0)
            spare = count > 1  # a row can go if its class stays in the fold, or is in folds enough without it
            spare |= ((count > 0).sum(axis=1) > wanted)[:, None]
            away = away[spare[y[away], assigned[away]]]
            if len(away):
                other = int(rng.choice(away))
                there = assigned[other]
                for code, gone, come in ((rare, here, there), (y[other], there, here)):
                    count[code, gone] -= 1
                    count[code, come] += 1
                assigned[row], assigned[other] = there, here


def _units_with(y: NDArray[np.int32], groups: NDArray[np.int32] | None, classes: int) -> NDArray[np.int64]:
    """How many rows (or groups) hold each class."""
    if groups is None:
        return np.bincount(y, minlength=classes)
    pairs = np.unique(np.stack([y.astype(np.int64), groups.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=classes)


def _in_time_order(table: Table, k: int) -> Folds:
    """Folds of equal length along time, with groups where they begin; rows of the same moment are never torn apart."""
    moments, rank, count = np.unique(beginnings(table), return_inverse=True, return_counts=True)
    if len(moments) < k:
        what = "the time column has" if table.groups is None else "its groups begin at"
        raise DataError(
            f"{what} {len(moments)} different moments, fewer than the {k} folds",
            code="fewer_moments_than_folds",
            file=table.source or None,
            hint=Advice(
                "use fewer folds with ",
                Option("folds"),
                ", or a finer time column",
                "" if table.groups is None else "; or leave out groups, or time",
            ),
        )
    return without_late_rows(table, equal_windows(count, k)[rank])
