"""How the rows of different groups fare: the errors of each, with intervals, as the page prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from venire.report.sentences.numbers import amount, finite
from venire.wording import MISSING, count, share


@dataclass(frozen=True, slots=True)
class GroupTable:
    """The table of a column: its name, what is measured, and a line for each of its groups."""

    column: str
    measure: str
    extra: tuple[str, ...]  # the heads of further figures
    lines: tuple[tuple[str, ...], ...]  # group, rows, figure, interval, further figures
    left_out: int  # groups that are too many to list


def group_rows(found: Mapping[str, Any] | None) -> GroupTable | None:
    """The table, where it was asked for."""
    if not found:
        return None
    rate = bool(found["rate"])
    extra = tuple(found["extra"])
    lines = []
    for one in found["groups"]:
        ends = [_shown(one[key], rate=rate) for key in ("low", "high")]
        between = MISSING if MISSING in ends else f"[{', '.join(ends)}]"
        further = tuple(share(one["extra"].get(key)) for key in extra)
        lines.append((str(one["group"]), count(one["rows"]), _shown(one["error"], rate=rate), between, *further))
    return GroupTable(str(found["column"]), str(found["measure"]), extra, tuple(lines), int(found["left_out"]))


def _shown(value: Any, *, rate: bool) -> str:
    if finite(value) is None:
        return MISSING
    return share(value) if rate else amount(value)
