"""Dealing rows into blocks.

At random by default: strict stratification makes a block's class shares depend on the rest, which biases the
estimate (a shrunk classifier on pure noise looks better than it is). A dealing is thrown away only when it would
leave some training part without a class, which is possible for a class with very few rows; where so many classes are
rare that luck does not do, single rows of theirs change places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.table import Table, Task
from venire.errors import DataError, UsageError
from venire.validation.plans.copies import Cases, copies, described_copies, kept_together
from venire.validation.plans.grouped_time import beginnings, equal_windows, with_spare_block, without_late_rows
from venire.validation.plans.plan import Plan

# Two blocks are left out at once, so a class in three blocks is in every training part.
_BLOCKS_A_CLASS_NEEDS = 3
_MOST_DEALS = 100
_SMALL = 20_000

Blocks = NDArray[np.int32]


def make_plan(
    table: Table,
    *,
    blocks: int | None = None,
    repeats: int = 1,
    seed: int = 0,
    stratified: bool = False,
    layers: int = 2,
) -> Plan:
    """Deal the rows of a table: in time order, by groups or both when it has them, at random otherwise.

    With `layers=1` nothing is chosen inside the training parts, so two blocks are enough and no pair is left out.
    """
    for name, number in (("folds", blocks), ("repeats", repeats)):
        if number is not None and not isinstance(number, Integral):
            raise UsageError(f"{name} must be a whole number, not {number!r}", hint=Advice("such as ", Option(name, 5)))
    if repeats < 1:
        raise UsageError(
            f"repeats must be at least 1, not {repeats}", hint=Advice(Option("repeats", 1), " deals the rows once")
        )
    if stratified and (table.groups is not None or table.time is not None):
        raise UsageError(
            "blocks cannot be stratified and also keep groups or time order", hint="leave out one of the two options"
        )
    cases = copies(table)
    together = kept_together(table, cases)
    k = _number_of_blocks(table, blocks, layers, together)
    if table.time is not None:
        if repeats > 1:
            raise UsageError(
                "in time order there is one split only",
                hint=Advice("leave out ", Option("repeats"), ", or ", Option("time")),
            )
        dealt, spare = with_spare_block(_in_time_order(table, k), k)
        plan = Plan(dealt[None, :], k + spare, "time", seed, layers=layers, spare=spare)
        return with_copies(table, plan, cases)
    dealing = "grouped" if table.groups is not None else "stratified" if stratified else "random"
    each = [deal(table, k, dealing, np.random.default_rng([seed, 0xB10C, r]), together) for r in range(repeats)]
    return with_copies(table, Plan(np.stack(each), k, dealing, seed, layers=layers), cases)


def with_copies(table: Table, plan: Plan, cases: Cases | None) -> Plan:
    """The plan that knows which rows are copies of one another, and says what became of them."""
    known = replace(plan, cases=cases)
    apart = any(bool(known.copies_apart(repeat).any()) for repeat in range(plan.repeats))
    return replace(known, notes=(*plan.notes, *described_copies(table, cases, apart)))


def _number_of_blocks(table: Table, blocks: int | None, layers: int, together: Cases | None) -> int:
    """The number asked for, or ten, or five for a large table; never more than there are units to deal."""
    least = 2 if layers == 1 else 4 if table.time is not None else 3
    if table.groups is not None:
        units, what = int(table.groups.max()) + 1, "groups"
    elif together is not None:
        units, what = int(together.max()) + 1, "different rows"
    else:
        units, what = table.rows, "rows"
    if blocks is None:
        blocks = 10 if table.rows <= _SMALL else 5
        if (table.groups is not None or together is not None) and units < blocks:
            blocks = max(units, least)
    if blocks < least:
        doing = "judging" if layers == 1 else "choosing and judging"
        raise UsageError(
            f"{blocks} blocks are too few: {doing} on unseen rows needs at least {least}",
            code="too_few_blocks",
            hint=Advice("use ", Option("folds", least), f" or more; the default is 10, and 5 above {_SMALL:,} rows"),
        )
    if units < blocks:
        raise DataError(
            f"the table has {units} {what} with a target, fewer than the {blocks} blocks they are to be dealt into",
            code="fewer_rows_than_blocks",
            file=table.source or None,
            hint=Advice(
                f"give more {what}", *((", or fewer blocks: ", Option("folds", units)) if units >= least else ())
            ),
        )
    return blocks


def deal(table: Table, k: int, dealing: str, rng: np.random.Generator, together: Cases | None = None) -> Blocks:
    """The fold of every row: "random", "stratified", "grouped" or "time", which needs no generator.

    Rows that are `together` (copies of one row) share a fold, where neither groups nor a time decide. Of groups in time
    order −1 stands for rows that are left out (see `grouped_time`).
    """
    if dealing == "time":
        return _in_time_order(table, k)
    if dealing == "grouped":
        assert table.groups is not None
        groups = table.groups
        return _keeping_classes(_classes(table), groups, k, lambda: _by_groups(groups, k, rng))
    if together is not None:
        return _by_cases(table, k, dealing, rng, together)
    if dealing == "stratified":
        return _stratified(table, k, rng)
    dealt = _keeping_classes(_classes(table), None, k, lambda: _at_random(table.rows, k, rng))
    if table.target is not None and table.target.task is Task.CLASSIFICATION:
        _swap_rare_rows(dealt, table.y, k, rng)
    return dealt


def _by_cases(table: Table, k: int, dealing: str, rng: np.random.Generator, together: Cases) -> Blocks:
    """Copies of a row as one: those with most copies first, then single rows where there is most room.

    So blocks are as even as those of single rows, or differ by the copies of one row where there are too few of these.
    """
    _, first, copied = np.unique(together, return_index=True, return_counts=True)
    classes = None if _classes(table) is None else table.y[first]

    def spread() -> Blocks:
        order = np.lexsort((rng.permutation(len(first)), -copied))
        several = int((copied > 1).sum())
        dealt = np.empty(len(first), dtype=np.int32)
        dealt[order[:several]] = np.arange(several, dtype=np.int32) % k
        filled = np.bincount(dealt[order[:several]], weights=copied[order[:several]], minlength=k).astype(np.intp)
        dealt[order[several:]] = np.repeat(np.arange(k, dtype=np.int32), _room(filled, len(first) - several))
        return rng.permutation(k).astype(np.int32)[dealt]

    if dealing == "stratified":
        return _evenly(table.y[first], classes is not None, k, rng, -copied)[together]
    dealt = _keeping_classes(classes, None, k, spread)
    if classes is not None:
        _swap_rare_rows(dealt, classes, k, rng)
    return dealt[together]


def _room(filled: NDArray[np.intp], rows: int) -> NDArray[np.intp]:
    """How many of some rows each block gets, so that all blocks are as even as what is in them allows.

    >>> _room(np.array([4, 0, 2]), 6).tolist(), _room(np.array([9, 0, 0]), 3).tolist()
    ([0, 4, 2], [0, 2, 1])
    """
    order = np.argsort(filled, kind="stable")
    below = np.cumsum(filled[order])
    ahead = np.append(filled[order][1:], np.iinfo(np.intp).max)
    share = np.arange(1, len(filled) + 1)
    reached = int(np.argmax((below + rows) // share <= ahead))  # so many blocks are filled up to one level
    level, rest = divmod(int(below[reached]) + rows, reached + 1)
    room = np.zeros(len(filled), dtype=np.intp)
    room[order[: reached + 1]] = level - filled[order[: reached + 1]] + (np.arange(reached + 1) < rest)
    return room


def _classes(table: Table) -> NDArray[np.int32] | None:
    return table.y if table.target is not None and table.target.task is Task.CLASSIFICATION else None


def _at_random(rows: int, k: int, rng: np.random.Generator) -> Blocks:
    dealt = np.empty(rows, dtype=np.int32)
    dealt[rng.permutation(rows)] = np.arange(rows, dtype=np.int32) % k
    return dealt


def _by_groups(groups: NDArray[np.int32], k: int, rng: np.random.Generator) -> Blocks:
    """Whole groups in random order, each to the block that is smallest so far."""
    sizes = np.bincount(groups)
    filled = np.zeros(k, dtype=np.int64)
    block_of_group = np.zeros(len(sizes), dtype=np.int32)
    for group in rng.permutation(len(sizes)):
        smallest = int(np.argmin(filled))
        block_of_group[group] = smallest
        filled[smallest] += sizes[group]
    return block_of_group[groups]


def _stratified(table: Table, k: int, rng: np.random.Generator) -> Blocks:
    """Each class (or each run of similar target values) spread evenly over the blocks."""
    regression = table.target is not None and table.target.task is Task.REGRESSION
    return _evenly(table.y, not regression, k, rng)


def _evenly(
    y: NDArray[Any], classes: bool, k: int, rng: np.random.Generator, before: NDArray[np.intp] | None = None
) -> Blocks:
    """Runs of the same target over all blocks; where several have it, those with less of `before` come first."""
    rows = len(y)
    order = np.lexsort((rng.permutation(rows), y) if before is None else (rng.permutation(rows), before, y))
    dealt = np.empty(rows, dtype=np.int32)
    if not classes:
        for start in range(0, rows, k):
            run = order[start : start + k]
            dealt[run] = rng.permutation(k)[: len(run)]
        return dealt
    dealt[order] = np.arange(rows, dtype=np.int32) % k
    return dealt


def _keeping_classes(
    y: NDArray[np.int32] | None, groups: NDArray[np.int32] | None, k: int, deal: Callable[[], Blocks]
) -> Blocks:
    """Deal until every class is in enough blocks, or as well as can be; numbers (None) are dealt once."""
    if y is None:
        return deal()
    classes = int(y.max()) + 1
    wanted = np.minimum(_units_with(y, groups, classes), _BLOCKS_A_CLASS_NEEDS)
    best: Blocks | None = None
    fewest = np.inf
    for _ in range(_MOST_DEALS):
        dealt = deal()
        present = np.zeros((classes, k), dtype=bool)
        present[y, dealt] = True
        lacking = int(np.maximum(wanted - present.sum(axis=1), 0).sum())
        if lacking < fewest:
            best, fewest = dealt, lacking
        if lacking == 0:
            break
    assert best is not None
    return best


def _swap_rare_rows(dealt: Blocks, y: NDArray[np.int32], k: int, rng: np.random.Generator) -> None:
    """Bring every class into as many blocks as it needs: its rows trade places with rows that can be spared."""
    count = np.zeros((int(y.max()) + 1, k), dtype=np.int64)
    np.add.at(count, (y, dealt), 1)
    wanted = np.minimum(count.sum(axis=1), _BLOCKS_A_CLASS_NEEDS)
    for rare in np.flatnonzero((count > 0).sum(axis=1) < wanted):
        for row in rng.permutation(np.flatnonzero(y == rare)):
            here = dealt[row]
            if (count[rare] > 0).sum() >= wanted[rare] or count[rare, here] < 2:
                continue
            away = np.flatnonzero(count[rare, dealt] == 0)
            spare = count > 1  # a row can go if its class stays in the block, or is in blocks enough without it
            spare |= ((count > 0).sum(axis=1) > wanted)[:, None]
            away = away[spare[y[away], dealt[away]]]
            if len(away):
                other = int(rng.choice(away))
                there = dealt[other]
                for code, gone, come in ((rare, here, there), (y[other], there, here)):
                    count[code, gone] -= 1
                    count[code, come] += 1
                dealt[row], dealt[other] = there, here


def _units_with(y: NDArray[np.int32], groups: NDArray[np.int32] | None, classes: int) -> NDArray[np.int64]:
    """How many rows (or groups) hold each class."""
    if groups is None:
        return np.bincount(y, minlength=classes)
    pairs = np.unique(np.stack([y.astype(np.int64), groups.astype(np.int64)]), axis=1)
    return np.bincount(pairs[0], minlength=classes)


def _in_time_order(table: Table, k: int) -> Blocks:
    """Blocks of equal length along time, with groups where they begin; rows of the same moment are never torn apart."""
    moments, rank, count = np.unique(beginnings(table), return_inverse=True, return_counts=True)
    if len(moments) < k:
        what = "the time column has" if table.groups is None else "its groups begin at"
        raise DataError(
            f"{what} {len(moments)} different moments, fewer than the {k} blocks",
            code="fewer_moments_than_blocks",
            file=table.source or None,
            hint=Advice(
                "use fewer folds with ",
                Option("folds"),
                ", or a finer time column",
                "" if table.groups is None else "; or leave out groups, or time",
            ),
        )
    return without_late_rows(table, equal_windows(count, k)[rank])
