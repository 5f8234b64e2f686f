"""Which texts mean "missing". All of it is data: `venire show` lists it, and the caller can add to it or replace it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from venire.advice import Advice, Option
from venire.errors import UsageError

# Missing in every column, whatever it holds.
MARKERS: tuple[str, ...] = (
    "", "?", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "-nan", "-NaN", "NaT",
    "null", "NULL", "Null", "\\N", "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!",
)  # fmt: skip

# Missing only where the other values are numbers or dates: among words these are often a value of their own
# ("None" is a masonry type and a seed treatment in well-known tables).
MARKERS_IN_NUMBERS: tuple[str, ...] = (
    "None", "none", "NONE", "-", "--", "---", ".", "..", "*", "missing", "Missing", "unknown", "Unknown",
)  # fmt: skip


@dataclass(frozen=True)
class Missing:
    """The texts that mean missing: everywhere, among numbers and dates only, and in single columns.

    >>> Missing.of(["-9"]).texts_for("age") >= {"-9", "NA"}
    True
    >>> Missing.of({"age": ["-9"]}).texts_for("height") >= {"-9"}
    False
    >>> sorted(Missing.of(["-9"], defaults=False).texts_for("age"))
    ['', '-9']
    """

    everywhere: tuple[str, ...] = MARKERS
    in_numbers: tuple[str, ...] = MARKERS_IN_NUMBERS
    by_column: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, extra: Iterable[str] | Mapping[Any, Iterable[str]] | None = None, *, defaults: bool = True) -> Missing:
        """The default markers with `extra` ones (for all columns, or by column); or `extra` alone."""
        if isinstance(extra, str):
            raise UsageError(
                f"missing must be a list of texts, not the single text {extra!r}",
                hint=Advice("write ", Option("missing", [extra])),
            )
        everywhere = MARKERS if defaults else ("",)  # an empty field never says anything
        by_column: dict[str, tuple[str, ...]] = {}
        if isinstance(extra, Mapping):
            by_column = {str(name): tuple(map(str, texts)) for name, texts in extra.items()}
        elif extra is not None:
            everywhere = tuple(dict.fromkeys((*everywhere, *(str(text).strip() for text in extra))))
        return cls(everywhere, MARKERS_IN_NUMBERS if defaults else (), by_column)

    @property
    def listed(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The markers of single columns as plain tuples."""
        return tuple((name, tuple(texts)) for name, texts in self.by_column.items())

    def texts_for(self, column: str) -> frozenset[str]:
        """What means missing in this column, whatever its kind."""
        return frozenset(self.everywhere) | frozenset(self.by_column.get(column, ()))

    def added_numbers(self, column: str) -> tuple[float, ...]:
        """Markers such as -9 or 999 that the caller added, as numbers, for columns that arrive as numbers."""
        texts = (self.texts_for(column)) - frozenset(MARKERS)
        return tuple(number for number in map(_number, texts) if number is not None)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
