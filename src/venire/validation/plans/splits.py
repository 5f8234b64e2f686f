"""Ways of splitting, each of them a plan: what is trained on what, and which folds judge.

    folds at random, stratified, grouped, in time order    `make_plan`
    every row, or every group, a fold of its own           `leave_one_out`, `leave_one_group_out`
    a part kept back, once or again and again               `holdout_plan`
    inner folds split anew, parts given from outside        see `nesting`

The bootstrap draws rows more than once, so each of its samples is a table of its own: see `bootstrapping`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from venire.advice import Advice, Option
from venire.data.table import Table, Task
from venire.errors import DataError, UsageError
from venire.validation.plans.copies import Cases, equal_rows, kept_together
from venire.validation.plans.folds import with_copies
from venire.validation.plans.grouped_time import beginnings, with_spare_fold, without_late_rows
from venire.validation.plans.plan import Plan

# A trial of a pair knows its n − 2 folds by number: beyond this the list of trials alone is unwieldy.
_MOST_TRIALS = 20_000
_MOST_DRAWS = 100


def leave_one_out(table: Table, *, seed: int = 0, layers: int = 1) -> Plan:
    """Every row a fold of its own, copies of a row one fold. Two layers are n(n−1)/2 pairs: for few rows only."""
    if table.groups is not None or table.time is not None:
        raise UsageError(
            "leave-one-out keeps neither groups together nor time in order",
            code="bad_split",
            hint="use leave_one_group_out with groups, folds in time order",
        )
    equal = equal_rows(table)
    unit = kept_together(table, equal.cases)
    if unit is None:
        unit = np.arange(table.rows, dtype=np.int32)
    return with_copies(table, _one_each(table, unit, "leave_one_out", "rows", seed, layers), equal)


def leave_one_group_out(table: Table, *, seed: int = 0, layers: int = 1) -> Plan:
    """Every group a fold: how good is the model for a group it has not met?"""
    if table.groups is None:
        raise UsageError(
            "leave_one_group_out needs groups, and the table has none",
            code="bad_split",
            hint=Advice("name the column that says which rows belong together with ", Option("groups")),
        )
    if table.time is not None:
        raise UsageError(
            "leaving out one group at a time keeps no time order",
            code="groups_and_time",
            hint="use folds, which keep both, or leave out time",
        )
    return _one_each(table, table.groups, "leave_one_group_out", "groups", seed, layers)


def _one_each(table: Table, unit: NDArray[Any], splitting: str, what: str, seed: int, layers: int) -> Plan:
    names, fold_of = np.unique(unit, return_inverse=True)
    units, least = len(names), 3 if layers > 1 else 2
    if units < least:
        raise DataError(
            f"the table has {units} {what}, and leaving out one at a time needs at least {least}",
            code="fewer_rows_than_folds",
            file=table.source or None,
        )
    trials = units + units * (units - 1) // 2
    if layers > 1 and trials > _MOST_TRIALS:
        raise UsageError(
            f"leaving out one of {units:,} {what} in two layers takes {trials:,} fits of the whole path",
            code="too_many_trials",
            hint=Advice("use ", Option("folds", 10), ", or one_layer for a single setting, where nothing is chosen"),
        )
    return Plan(fold_of.astype(np.int32)[None, :], units, splitting, seed, layers=layers)


def holdout_plan(
    table: Table,
    *,
    test: float = 1 / 3,
    validation: float | None = None,
    repeats: int = 1,
    seed: int = 0,
    stratified: bool = False,
) -> Plan:
    """Train on one part, test on the other; with `validation` a share of the training part to choose on.

    At random, by whole groups, or the last rows in time. `repeats` is repeated random sub-sampling. The chosen setting
    is trained on both parts before it is tested.
    """
    shares = _shares(test, validation)
    equal = equal_rows(table)
    together = kept_together(table, equal.cases)
    if stratified and (table.groups is not None or table.time is not None):
        raise UsageError("a hold-out cannot be stratified and also keep groups or time order", code="bad_split")
    if repeats < 1 or (repeats > 1 and table.time is not None):
        wrong = f"{repeats} repeats of a hold-out" if table.time is None else "repeats of a hold-out in time order"
        raise UsageError(f"{wrong} are impossible", code="bad_split", hint="leave out repeats for a single one")
    assigned = []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, 0x401D, repeat])
        part_of = _stratified_parts if stratified else _parts
        assigned.append(part_of(table, shares, rng, together))
    fold_of, spare = with_spare_fold(np.stack(assigned), len(shares))
    plan = Plan(fold_of, len(shares) + spare, "holdout", seed, layers=len(shares) - 1, spare=spare)
    return with_copies(table, plan, equal)


def _shares(test: float, validation: float | None) -> list[float]:
    for name, share in (("test", test), ("validation", validation)):
        if share is not None and not 0 < share < 1:
            raise UsageError(
                f"the {name} part must be a share between 0 and 1, not {share:g}",
                code="bad_split",
                hint="the usual test part is 1/3",
            )
    if validation is None:
        return [1 - test, test]
    return [(1 - test) * (1 - validation), (1 - test) * validation, test]


def _parts(table: Table, shares: list[float], rng: np.random.Generator, together: Cases | None) -> NDArray[np.int32]:
    """Whole units (rows, groups, moments) in random or time order, cut where the shares say."""
    unit, what = np.arange(table.rows), "rows"
    if table.time is not None:
        unit, what = np.unique(beginnings(table), return_inverse=True)[1], "different moments"
        what += " at which groups begin" if table.groups is not None else ""
    elif table.groups is not None:
        unit, what = np.unique(table.groups, return_inverse=True)[1], "groups"
    elif together is not None:
        unit, what = together.astype(np.intp), "different rows"
    units = int(unit.max()) + 1
    if units < len(shares):
        raise DataError(
            f"the table has {units} {what}, fewer than the {len(shares)} parts of a hold-out",
            code="fewer_rows_than_folds",
            file=table.source or None,
            hint="a hold-out needs at least as many as it has parts",
        )
    classes = table.y if table.target is not None and table.target.task is Task.CLASSIFICATION else None
    best, fewest = np.empty(0, np.int32), np.inf
    for _ in range(_MOST_DRAWS):
        order = np.arange(units) if table.time is not None else rng.permutation(units)
        assigned = _cut(order, np.bincount(unit), shares)[unit]
        missing = 0 if classes is None else len(np.unique(classes)) - len(np.unique(classes[assigned == 0]))
        if missing < fewest:
            best, fewest = assigned, missing
        if missing == 0 or table.time is not None:
            break
    return best if table.time is None else without_late_rows(table, best)


def _cut(order: NDArray[np.intp], sizes: NDArray[np.intp], shares: list[float]) -> NDArray[np.int32]:
    """The part of every unit: each goes where its middle row lies, and no part stays empty."""
    rows = sizes.sum()
    edges = np.rint(np.cumsum(shares)[:-1] * rows)
    middle = np.cumsum(sizes[order]) - sizes[order] / 2
    part = np.searchsorted(edges, middle, side="right")
    units, parts = len(order), len(shares)
    at = np.arange(units)
    part = np.clip(part, np.maximum(0, at - (units - parts)), np.minimum(at, parts - 1))
    for later in range(1, parts):  # a large unit can jump over a part
        if not (part == later).any():
            part[np.argmax(part > later)] = later
    found = np.empty(units, np.int32)
    found[order] = part
    return found


def _stratified_parts(
    table: Table, shares: list[float], rng: np.random.Generator, together: Cases | None
) -> NDArray[np.int32]:
    """Each part with the class shares of the table."""
    if table.target is None or table.target.task is not Task.CLASSIFICATION:
        raise UsageError("a stratified hold-out needs classes, and the target is a number", code="bad_split")
    y = table.y if together is None else table.y[np.unique(together, return_index=True)[1]]
    assigned = np.zeros(len(y), np.int32)
    left = np.arange(len(y))
    for part in range(len(shares) - 1, 0, -1):
        share = shares[part] / sum(shares[: part + 1])
        state = int(rng.integers(2**31))
        try:
            splitter = StratifiedShuffleSplit(1, test_size=max(1, round(share * len(left))), random_state=state)
            kept, taken = next(splitter.split(left, y[left]))
        except ValueError as error:
            raise DataError(
                f"the classes are too small for a stratified hold-out of {table.rows} rows",
                code="class_too_small",
                file=table.source or None,
                hint="give more rows, or leave out stratified",
            ) from error
        assigned[left[taken]] = part
        left = left[kept]
    return assigned if together is None else assigned[together]
