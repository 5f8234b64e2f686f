"""New rows whose outcome is known: those that have one, and an error for an outcome that the table never had."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.conform import Conformed
from venire.data.table import Target
from venire.errors import DataError
from venire.wording import count


def labelled(rows: Conformed, target: Target) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """The attributes and the targets of the rows that have a target; a class that is not known is an error."""
    y = rows.y
    assert y is not None
    if not target.classes:
        known = ~np.isnan(y)
        return rows.X[known], y[known]
    strange = [lost for lost in rows.lost if lost.column == target.name and lost.code == "unknown_category"]
    if strange:
        raise DataError(
            f"the target has {count(strange[0].rows, 'row')} of a class that the model does not know: "
            f"{', '.join(map(repr, strange[0].examples))}",
            code="unknown_class",
            file=rows.source,
            column=target.name,
            hint=f"it knows {', '.join(map(repr, target.labels[:10]))}",
        )
    known = y >= 0
    return rows.X[known], y[known]


def no_outcome(target: Target, file: str | None = None) -> DataError:
    """The error for rows of which none has a target."""
    return DataError(
        f"no row has a target {target.name!r}",
        code="no_rows",
        file=file,
        column=target.name,
        hint="give rows whose outcome is known",
    )
