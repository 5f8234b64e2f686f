"""Plans whose parts are given from outside, or have inner folds of their own.

The textbook's two layers split anew inside every training part: K₁ outer parts with K₂ inner folds each, and
K₁ (K₂ + 1) fits of the path, none of which serves twice. Shared folds need about half as many for K₂ = K₁ − 1, and
answer the same question; this is for whoever wants other numbers, or the very splits of somebody else.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.errors import UsageError
from venire.validation.plans.copies import Cases, equal_rows, kept_together
from venire.validation.plans.folds import draw_folds, with_copies
from venire.validation.plans.grouped_time import LEFT_OUT, beginnings
from venire.validation.plans.plan import Plan

Rows = NDArray[np.intp]
Parts = Sequence[tuple[Rows, Rows]]  # (trained on, tested on)


def given_plan(table: Table, split: Any, *, inner: Any = None, seed: int = 0) -> Plan:
    """A plan from a scikit-learn splitter, or from pairs (rows trained on, rows tested on).

    Parts that are folds left out in turn share their pairs like any other folds. All others are judged one by one;
    to choose a setting inside them `inner` says how: a number of folds, or a splitter.
    """
    parts = _pairs(table, split, np.arange(table.rows), "split")
    fold_of = _as_partition(table.rows, parts)
    if fold_of is not None and inner is None:
        return with_copies(table, Plan(fold_of[None, :], len(parts), "given", seed), equal_rows(table))
    return plan_of_parts(table, parts, inner, seed)


def with_inner_folds(table: Table, outer: Plan, inner: Any) -> Plan:
    """The textbook's two layers: inside every training part of `outer`, folds of its own.

    `inner` is a number of folds, split as the outer ones were, or a scikit-learn splitter that makes folds. In time
    order they are windows, and every fold but the first is judged.
    """
    if outer.splitting == "holdout":
        raise UsageError(
            "in a hold-out the choice is made on the part before: there are no inner folds",
            code="bad_split",
            hint="leave out inner_folds",
        )
    helds = [outer.outer(r, i) for r in range(outer.repeats) for i in outer.outer_folds()]
    parts = [(outer.train_rows(held.trial), outer.test_rows(held.trial)) for held in helds]
    return plan_of_parts(table, parts, inner, outer.seed, stratified=outer.splitting == "stratified")


def plan_of_parts(table: Table, parts: Parts, inner: Any, seed: int, *, stratified: bool = False) -> Plan:
    """Every part a repeat of its own, with `inner` folds in its training rows; rows in neither part are spare.

    The folds are in time order or of whole groups where the table asks for it: else what the outer parts keep apart
    would meet inside them.
    """
    splitting = "stratified" if stratified else _asked_of(table)
    equal = equal_rows(table)
    together = kept_together(table, equal.cases)
    folds = []
    rows = []
    for at, (train, test) in enumerate(parts):
        inner_of = np.zeros(len(train), np.int32)
        if inner is not None:
            rng = np.random.default_rng([seed, 0x17E5, at])
            inner_of = _inner_folds(table, train, inner, splitting, rng, together)
        folds.append(int(inner_of.max()) + 1)
        fold_of = np.full(table.rows, -1, np.int32)
        fold_of[train] = np.where(inner_of == LEFT_OUT, LEFT_OUT, 1 + inner_of)
        fold_of[test] = 0
        rows.append(fold_of)
    if min(folds) < max(folds):
        raise UsageError(
            f"inner_folds makes {min(folds)} folds of one training part and {max(folds)} of another",
            code="bad_inner_folds",
            hint="use the same number for all, such as KFold(5)",
        )
    assigned = np.stack(rows)
    unused = bool((assigned < 0).any())
    assigned[assigned < 0] = folds[0] + 1
    plan = Plan(
        assigned,
        folds[0] + 1 + unused,
        "nested",
        seed,
        layers=1 if inner is None else 2,
        spare=int(unused),
        windows=inner is not None and splitting == "time",
    )
    return with_copies(table, plan, equal)


def units_of(table: Table, rows: Rows, together: Cases | None = None) -> tuple[int, str]:
    """How many things the inner folds of a training part of these rows can be split from, and what they are."""
    if table.time is not None:
        if table.groups is None:
            return len(np.unique(table.time[rows])), "moments"
        return len(np.unique(beginnings(table.take(rows)))), "moments at which groups begin"
    if table.groups is not None:
        return len(np.unique(table.groups[rows])), "groups"
    if together is not None:
        return len(np.unique(together[rows])), "different rows"
    return len(rows), "rows"


def _asked_of(table: Table) -> str:
    return "time" if table.time is not None else "grouped" if table.groups is not None else "random"


def _inner_folds(
    table: Table, train: Rows, inner: Any, splitting: str, rng: np.random.Generator, together: Cases | None
) -> NDArray[np.int32]:
    """Which inner fold each row of a training part is in."""
    if isinstance(inner, Integral):
        part = table.take(train)
        units, what = units_of(table, train, together)
        if not 2 <= int(inner) <= units:
            raise UsageError(
                f"{inner} inner folds cannot be made of a training part of {units} {what}",
                code="bad_inner_folds",
                hint="use at least 2, and no more than there are",
            )
        if part.groups is not None:  # groups that are all outside must not count
            part = replace(part, groups=np.unique(part.groups, return_inverse=True)[1].astype(np.int32))
        inside = None if together is None else np.unique(together[train], return_inverse=True)[1].astype(np.int32)
        return draw_folds(part, int(inner), splitting, rng, inside)
    pairs = _pairs(table, inner, train, "inner_folds")
    if splitting == "time":
        inner_of, such = _as_windows(len(train), pairs), "TimeSeriesSplit(5)"
        wanted = "test one window of a training part after the other, and train on all rows before it"
    else:
        inner_of, such = _as_partition(len(train), pairs), "KFold(5)"
        wanted = "leave out every row of a training part once, and train on all others"
    if inner_of is None:
        raise UsageError(
            f"inner_folds must {wanted}",
            code="bad_inner_folds",
            hint=f"give a number of folds, or a splitter such as {such}",
        )
    return inner_of


def _pairs(table: Table, split: Any, among: Rows, name: str) -> Parts:
    """The (trained on, tested on) rows a splitter makes of some rows, checked."""
    try:
        if hasattr(split, "split"):
            groups = None if table.groups is None else table.groups[among]
            with (
                warnings.catch_warnings()
            ):  # groups are offered to every splitter, and what it makes of them is checked
                warnings.filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
                found = list(split.split(table.X[among], table.y[among], groups))
        elif isinstance(split, Iterable) and not isinstance(split, str):
            found = list(split)
        else:
            raise TypeError(type(split).__name__)
        pairs = [(np.sort(np.asarray(train, np.intp)), np.sort(np.asarray(test, np.intp))) for train, test in found]
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{name} cannot be used: {error}",
            code="bad_split",
            hint="give a splitter such as KFold(5), or pairs (rows trained on, rows tested on)",
        ) from error
    for train, test in pairs:
        both = np.concatenate([train, test])
        if not (len(train) and len(test)) or both.min() < 0 or both.max() >= len(among):
            raise UsageError(f"{name} has an empty part, or rows that are not there", code="bad_split")
        if len(np.unique(both)) < len(both):
            raise UsageError(f"{name} trains on a row twice, or tests on a row it was trained on", code="bad_split")
        _check_order(table, among[train], among[test], name)
    if not pairs:
        raise UsageError(f"{name} has no parts at all", code="bad_split")
    return pairs


def _check_order(table: Table, train: Rows, test: Rows, name: str) -> None:
    """Groups never straddle and nothing is predicted from its future, whoever made the parts."""
    if table.groups is not None and np.isin(table.groups[test], table.groups[train]).any():
        raise UsageError(
            f"{name} trains and tests on rows of one group",
            code="bad_split",
            hint="use a splitter that keeps groups together, such as GroupKFold, or leave out groups",
        )
    if table.time is not None and table.time[train].max() >= table.time[test].min():
        raise UsageError(
            f"{name} tests on rows that are not later than all those it trains on",
            code="bad_split",
            hint="use folds in time order, or leave out time",
        )


def _as_partition(rows: int, parts: Parts) -> NDArray[np.int32] | None:
    """The fold of every row, where the parts are folds left out in turn."""
    fold_of = np.full(rows, -1, np.int32)
    for fold, (train, test) in enumerate(parts):
        if len(train) + len(test) < rows or (fold_of[test] >= 0).any():
            return None
        fold_of[test] = fold
    return None if len(parts) < 2 or (fold_of < 0).any() else fold_of


def _as_windows(rows: int, parts: Parts) -> NDArray[np.int32] | None:
    """The window of every row, where each part is trained on all that came before what it tests."""
    window_of = np.full(rows, -1, np.int32)
    window_of[parts[0][0]] = 0
    for window, (train, test) in enumerate(parts, start=1):
        if not np.array_equal(train, np.flatnonzero(window_of >= 0)):
            return None
        window_of[test] = window
    return None if (window_of < 0).any() else window_of
