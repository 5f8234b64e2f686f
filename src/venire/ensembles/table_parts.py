"""What the parts of a `TableModel` may be, as constraints: columns, how they were read, the finish, held-out scores."""

from __future__ import annotations

from typing import Any

from venire.combine import Finish
from venire.combine.calibrate import NAMES, Calibration, Sigmoid, Steps
from venire.combine.conformal import Conformal
from venire.data.table import Column, Kind, Reading
from venire.states.constraints import (
    Sizes,
    array,
    either,
    maybe,
    number,
    of_type,
    record,
    require,
    row,
    sequence,
    text,
    whole,
)


def _ascend(value: Any, sizes: Sizes) -> None:
    sequence(number(), "points", tuple)(value, sizes)
    require(list(value) == sorted(value) and len(value) > 0, "does not ascend")


TEXTS = sequence(text(), kind=tuple)
COLUMN = record(Column, kind=of_type(Kind), categories=TEXTS)
READING = record(
    Reading,
    **dict.fromkeys(("files", "missing", "missing_in_numbers"), TEXTS),
    missing_by_column=sequence(row(text(), TEXTS), kind=tuple),
)


FINISH = record(
    Finish,
    calibration=maybe(
        record(
            Calibration,
            method=text(*NAMES),
            maps=sequence(either(record(Sigmoid), record(Steps, at=_ascend, values=_ascend)), kind=tuple),
        )
    ),
    costs=maybe(sequence(sequence(number(), kind=tuple), kind=tuple)),
    threshold=maybe(number(finite=False)),
)


def _rises(value: Any, sizes: Sizes) -> None:
    array("f8", None, low=0.0)(value, sizes)
    require(len(value) > 0 and bool((value[:-1] <= value[1:]).all()), "does not ascend")


CONFORMAL = record(Conformal, scores=_rises, rows=whole(1), independent=number(0))
