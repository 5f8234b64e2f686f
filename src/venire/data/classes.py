"""The classes of a target: the values they come back as, the positive one of two, and when a target is no class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.columns.names import alike_but_for_case, brief, near
from venire.data.columns.numbers import is_code, number_text, parse_numbers
from venire.data.columns.raw import Texts
from venire.data.columns.text import is_true_word, is_truth_pair
from venire.data.table import Note, Target, Task, label_text
from venire.errors import DataError

MOST_CLASSES = 10_000  # held-out predictions have a number a row and class: more would fill any memory
_FEW = 10  # so many values are classes, however few rows there are
_ROWS_A_CLASS = 3  # with fewer on average, values hardly repeat
_LISTED = 10  # classes named in an error
_NAMED = 5  # … and in a note
_POSITIVE = {"yes", "true", "positive", "pos", "+", "+1", "on"}  # names that speak for themselves


def read_classes(
    name: str, labels: Texts, positive: Any, file: str | None, *, asked: bool
) -> tuple[Target, tuple[Note, ...]]:
    """The target as codes of its classes; `asked`: the caller says that these are classes."""
    values = _values(labels)
    order = sorted(range(len(values)), key=lambda i: values[i])
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    codes = place[labels.codes]
    classes = tuple(values[i] for i in order)
    counts = np.bincount(codes, minlength=len(classes))
    _refuse(name, classes, counts, file, asked)
    chosen, notes = _positive(name, classes, counts, positive)
    return Target(name, Task.CLASSIFICATION, codes, classes, chosen, labels.categorical), (
        *notes,
        *_worth_knowing(name, classes, counts),
    )


def number_values(numbers: NDArray[np.float64], type_name: str) -> Mapping[str, Any]:
    """The value behind the text of each number, in the type it came in; nothing where it came in none.

    >>> number_values(np.array([1.0, 2.0]), "int64"), number_values(np.array([1.0, 2.0]), "float64")
    ({'1': 1, '2': 2}, {'1': 1.0, '2': 2.0})
    """
    if not type_name:
        return {}
    python = {"int64": int, "float64": float}.get(type_name)
    made = np.dtype(type_name).type if python is None else python
    return {number_text(number): made(number) for number in np.unique(numbers[~np.isnan(numbers)]).tolist()}


def _values(labels: Texts) -> list[Any]:
    """What the classes come back as: what the source had, and of a text file whole numbers where all are."""
    if labels.meant:
        return [labels.meant[level] for level in labels.levels]
    if not labels.typed and all(_is_whole(level) for level in labels.levels):
        return [int(level) for level in labels.levels]
    if not labels.typed and parse_numbers(labels.levels).found.all() and not is_code(labels.levels):
        return [float(level) for level in labels.levels]
    return list(labels.levels)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and (digits == "0" or not digits.startswith("0"))


def _refuse(name: str, classes: Sequence[Any], counts: NDArray[np.int64], file: str | None, asked: bool) -> None:
    """Raise where there is nothing to tell apart, too much, or nothing that repeats."""
    if len(classes) < 2:
        raise DataError(f"the target has one class only ({brief(label_text(classes[0]))})", code="one_class", file=file,
                        column=name, hint="there is nothing to tell apart; choose another target")  # fmt: skip
    if len(classes) > MOST_CLASSES:
        raise DataError(
            f"the target has {len(classes):,} classes, and a model takes at most {MOST_CLASSES:,}",
            code="too_many_classes",
            file=file,
            column=name,
            hint="choose another target, or put rare classes together",
        )
    rows, single = int(counts.sum()), int((counts == 1).sum())
    repeat = 2 * single <= rows and _ROWS_A_CLASS * len(classes) <= rows
    if not (asked or repeat or len(classes) <= _FEW):
        raise DataError(
            f"the target has {len(classes):,} different values in {rows:,} rows, {single or 'none'} of them in a "
            "single row: that looks like a name or a number of each row, not like a class",
            code="no_class",
            file=file,
            column=name,
            hint=Advice(
                "choose another target; if these are classes after all, say ", Option("task", "classification")
            ),
        )


def _worth_knowing(name: str, classes: Sequence[Any], counts: NDArray[np.int64]) -> tuple[Note, ...]:
    notes = []
    single = [label_text(classes[i]) for i in np.flatnonzero(counts == 1).tolist()]
    if single:
        number = "1 class has" if len(single) == 1 else f"{len(single)} classes have"
        more = f" and {len(single) - _NAMED} more" if len(single) > _NAMED else ""
        said = f"{number} a single row: {', '.join(single[:_NAMED])}{more}"
        notes.append(Note("single_row_class", said, name))
    if alike := alike_but_for_case(map(label_text, classes)):
        kept = f"{' and '.join(map(brief, alike))} differ in capitals only, and are kept apart"
        notes.append(Note("alike_but_for_case", kept, name))
    return tuple(notes)


def _positive(
    name: str, classes: Sequence[Any], counts: NDArray[np.int64], asked: Any
) -> tuple[int | None, tuple[Note, ...]]:
    """The class of interest: the one asked for; of two the one whose name says so, else the rarer, else the last."""
    written = [label_text(label) for label in classes]
    if asked is not None:
        code = _named(name, classes, written, asked)
        return code, (Note("positive_class", f"class {brief(written[code])} is positive: as you asked", name),)
    if len(classes) != 2:
        return None, ()
    telling = [code for code in (0, 1) if _tells(written[code], written[1 - code])]
    if len(telling) == 1:
        code, why = telling[0], "its name says so"
    elif counts[0] != counts[1]:
        code, why = int(np.argmin(counts)), "it is the rarer one"
    else:
        code, why = 1, "both are equally frequent, and it is the last in order"
    return code, (Note("positive_class", f"class {brief(written[code])} is taken as positive: {why}", name),)


def _tells(label: str, other: str) -> bool:
    """Whether the name of a class says that it is the one of interest: 1 does beside 0 or -1, and not beside 2."""
    if is_truth_pair(label, other):
        return is_true_word(label)
    return label.lower() in _POSITIVE or (label, other) == ("1", "-1")


def _named(name: str, classes: Sequence[Any], written: list[str], asked: Any) -> int:
    text = label_text(asked).strip()
    if text in written:
        return written.index(text)
    if all(isinstance(label, bool) for label in classes) and text.title() in written:
        return written.index(text.title())
    shown = ", ".join(map(brief, written if len(written) <= _LISTED else near(text, written) or written[:_LISTED]))
    raise DataError(f"the target has no class {brief(asked)} to call positive; it has {shown}", code="unknown_class",
                    column=name, hint="write the class as it stands in the table")  # fmt: skip
