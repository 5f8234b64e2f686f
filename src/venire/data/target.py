"""The target: its task, classes and class of interest; and the columns that group or order the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.classes import number_values, read_classes
from venire.data.columns import dates as calendar
from venire.data.columns.interpreted import Rules
from venire.data.columns.names import brief
from venire.data.columns.numbers import LARGEST, is_code, parse_numbers
from venire.data.columns.numeric import finite, number_texts
from venire.data.columns.raw import Dates, Numbers, Raw, Texts
from venire.data.columns.text import tidy
from venire.data.table import Note, Target, Task
from venire.errors import DataError, UsageError
from venire.wording import count

_FEW = 10  # whole numbers with at most so many different values are classes
_CLOSE = 20  # … and with at most so many it was a close call


@dataclass(frozen=True, eq=False)
class Goal:
    """A target, the rows that have one, and what there is to say about it."""

    target: Target
    known: NDArray[np.bool_]
    notes: tuple[Note, ...]


def read_target(name: str, raw: Raw, rules: Rules, task: Task | None, positive: Any, file: str | None) -> Goal:
    """Decide the task and code the target."""
    if isinstance(raw, Dates):
        raise DataError("a date cannot be the target", code="bad_target", file=file, column=name,
                        hint="turn it into a number first")  # fmt: skip
    labels, numbers, notes = _both_forms(name, raw, rules)
    known = (labels.codes >= 0) if numbers is None else ~np.isnan(numbers)
    if not known.any():
        raise DataError("every value of the target is missing", code="target_all_missing", file=file, column=name,
                        hint="choose another target, or check what counts as missing")  # fmt: skip
    chosen, more = _task(name, labels, numbers, task, file)
    lost = int((~known).sum())
    if lost:
        more = (*more, Note("rows_without_target", f"{count(lost, 'row')} without a target left out", name))
    if chosen is Task.REGRESSION:
        if positive is not None:
            raise UsageError(f"a positive class ({positive!r}) makes no sense when the target is a number",
                             hint=Advice("leave it out, or ask for ", Option("task", "classification")))  # fmt: skip
        return Goal(_regression(name, numbers, known, file), known, (*notes, *more))
    target, said = read_classes(name, labels.take(known), positive, file, asked=task is not None)
    return Goal(target, known, (*notes, *more, *said))


def _both_forms(
    name: str, raw: Numbers | Texts, rules: Rules
) -> tuple[Texts, NDArray[np.float64] | None, tuple[Note, ...]]:
    """The target as labels and, when it can be, as numbers."""
    if isinstance(raw, Numbers):
        numbers, notes = finite(name, raw, rules, most=np.finfo(np.float64).max)  # too large a target is an error
        return replace(number_texts(numbers), meant=number_values(numbers, raw.type)), numbers, notes
    texts = tidy(name, raw, rules.missing)
    parsed = parse_numbers(texts.levels, rules.decimal)
    if not texts.levels or is_code(texts.levels) or not parsed.found.all():
        return texts, None, ()
    numbers = np.append(parsed.values, np.nan)[texts.codes]
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    return (texts if texts.typed else number_texts(numbers)), numbers, ()


def _task(
    name: str, labels: Texts, numbers: NDArray[np.float64] | None, asked: Task | None, file: str | None
) -> tuple[Task, tuple[Note, ...]]:
    if numbers is None:
        if asked is Task.REGRESSION:
            raise DataError(f"regression needs numbers, but the target has values such as {brief(labels.levels[0])}",
                            code="target_not_numeric", file=file, column=name,
                            hint="ask for classification, or mend the values")  # fmt: skip
        return Task.CLASSIFICATION, ()
    if asked is not None or labels.categorical:
        return asked or Task.CLASSIFICATION, ()
    present = numbers[~np.isnan(numbers)]
    different = len(np.unique(present))
    whole = bool((present == np.floor(present)).all())
    chosen = Task.CLASSIFICATION if whole and different <= _FEW else Task.REGRESSION
    if not whole or different > _CLOSE or different == 2:
        return chosen, ()
    return chosen, (
        Note(
            "task_guessed",
            Advice(f"{different} different whole numbers: taken as {chosen}; use ", Option("task"), " for the other"),
            name,
        ),
    )


def _regression(name: str, numbers: NDArray[np.float64] | None, known: NDArray[np.bool_], file: str | None) -> Target:
    values = np.empty(0) if numbers is None else numbers[known]
    if values.size and values.min() == values.max():
        raise DataError(f"the target is the same number ({values[0]:g}) in every row", code="constant_target",
                        file=file, column=name, hint="choose another target")  # fmt: skip
    if values.size and (largest := float(np.abs(values).max())) > LARGEST:
        raise DataError(f"the target reaches {largest:.3g}, and errors of that size cannot be squared",
                        code="target_too_large", file=file, column=name,
                        hint="give it in a larger unit")  # fmt: skip
    return Target(name, Task.REGRESSION, np.ascontiguousarray(values, dtype=np.float64))


def read_groups(name: str, raw: Raw, rules: Rules) -> tuple[NDArray[np.int32], tuple[Note, ...]]:
    """Groups as codes; a row without a group is a group of its own."""
    if isinstance(raw, Texts):
        codes = tidy(name, raw, rules.missing).codes.copy()
    else:
        known = ~np.isnan(raw.values) if isinstance(raw, Numbers) else ~np.isnat(raw.values)
        codes = np.full(len(raw.values), -1, dtype=np.int32)
        codes[known] = np.unique(raw.values[known], return_inverse=True)[1]
    alone = codes < 0
    lone = int(alone.sum())
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(lone, dtype=np.int32)
    if not lone:
        return codes, ()
    said = f"{count(lone, 'row')} without a group; each is a group of its own"
    return codes, (Note("rows_without_group", said, name),)


def read_time(name: str, raw: Raw, rules: Rules, file: str | None) -> NDArray[np.float64]:
    """Numbers that put the rows in order of time."""
    values = _moments(name, raw, rules, file)
    absent = int(np.isnan(values).sum())
    if absent:
        raise DataError(
            f"{count(absent, 'row')} without a time, whose place in the order is unknown",
            code="missing_time",
            file=file,
            column=name,
            hint="fill them in, or leave these rows out",
        )
    return values


def read_weights(name: str, raw: Raw, rules: Rules, file: str | None) -> NDArray[np.float64]:
    """How much each row counts: finite numbers, none below 0, not all 0."""
    values = _plain_numbers(name, raw, rules, file)
    bad = np.flatnonzero(~((values >= 0) & (values <= LARGEST)))
    if bad.size:
        found = "nothing" if np.isnan(values[bad[0]]) else f"{values[bad[0]]:g}"
        raise DataError(
            f"{count(int(bad.size), 'row')} without a usable weight; the first is row {bad[0] + 1}, with {found}",
            code="bad_weights",
            file=file,
            column=name,
            hint=f"a weight is a number from 0 to {LARGEST:g}; fill them in, or leave these rows out",
        )
    if not values.any():
        raise DataError("every weight is 0, so no row would count", code="bad_weights", file=file, column=name,
                        hint="choose another column")  # fmt: skip
    return np.ascontiguousarray(values, dtype=np.float64)


def _plain_numbers(name: str, raw: Raw, rules: Rules, file: str | None) -> NDArray[np.float64]:
    if isinstance(raw, Numbers):
        return raw.values
    texts = None if isinstance(raw, Dates) else tidy(name, raw, rules.missing)
    numbers = None if texts is None else parse_numbers(texts.levels, rules.decimal)
    if texts is None or numbers is None or not numbers.found.all():
        found = "dates" if texts is None else brief(texts.levels[0])
        raise DataError(f"weights must be numbers, found {found}", code="bad_weights", file=file, column=name,
                        hint="choose a column with numbers")  # fmt: skip
    return np.append(numbers.values, np.nan)[texts.codes]


def _moments(name: str, raw: Raw, rules: Rules, file: str | None) -> NDArray[np.float64]:
    if isinstance(raw, Numbers):
        return raw.values
    if isinstance(raw, Dates):
        return calendar.part_of(raw.values, "days")
    texts = tidy(name, raw, rules.missing)
    parsed = calendar.parse_dates(texts.levels, day_first=rules.decimal == ",")
    if parsed is not None:
        return np.append(calendar.part_of(parsed.values, "days"), np.nan)[texts.codes]
    numbers = parse_numbers(texts.levels, rules.decimal)
    if not numbers.found.all():
        raise DataError(f"time must be numbers or dates, found {brief(texts.levels[0])}", code="bad_time", file=file,
                        column=name, hint="choose a column with dates")  # fmt: skip
    return np.append(numbers.values, np.nan)[texts.codes]
