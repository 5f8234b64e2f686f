"""What is said of a table in a document, as types: `describe` gives all of it, and every other document a part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, TypedDict

from venire.advice import Part
from venire.data.table import Kind, Task
from venire.errors import SCHEMA_VERSION


@dataclass(frozen=True)
class Limits:
    """What a value keeps besides its type, in the words of JSON Schema; stands beside the type in `Annotated`."""

    rules: tuple[tuple[str, Any], ...]


def one_of(*values: Any) -> Limits:
    """The value is one of these."""
    return Limits((("enum", tuple(str(value) if value is not None else None for value in values)),))


PAIR = Limits((("minItems", 2), ("maxItems", 2)))

Version = Annotated[int, Limits((("const", SCHEMA_VERSION),)), "changes when a field changes its meaning"]
Ends = Annotated[list[float], PAIR, "the lowest and the highest value"]
KindName = Annotated[str, one_of(*Kind)]
TaskName = Annotated[str, one_of(*Task)]


class NoteFacts(TypedDict):
    """Something worth knowing of what was read."""

    code: Annotated[str, "a stable word such as `infinite_values`"]
    message: str
    message_parts: Annotated[list[Part], "the message as texts and the options it names"]
    column: str | None


class LeftOutFacts(TypedDict):
    """A column that is not used."""

    name: str
    kind: KindName | None
    reason: str


class Account(TypedDict):
    """What was left out, how rows hang together, what the reading had to decide."""

    rows_without_target: int
    left_out: list[LeftOutFacts]
    weights: Annotated[bool, "whether rows have weights"]
    groups: Annotated[int | None, "how many groups the rows are in"]
    time: Annotated[bool, "whether rows have an order in time"]
    notes: list[NoteFacts]


class ClassFacts(TypedDict):
    """A class of the target."""

    label: str
    rows: int


class TargetFacts(TypedDict):
    """The column to predict: a range of numbers, or classes."""

    name: str
    task: TaskName
    range: NotRequired[Ends]
    classes: NotRequired[list[ClassFacts]]
    positive: NotRequired[Annotated[str | None, "the class of interest, of two"]]


class Example(TypedDict):
    """A frequent category of a column."""

    value: str
    rows: int


ColumnFacts = TypedDict(
    "ColumnFacts",
    {
        "name": str,
        "kind": KindName,
        "from": Annotated[str | None, "the column of the source it was made of, where that is another"],
        "missing": int,
        "distinct": int,
        "decimal": NotRequired[Annotated[str, "the decimal sign of numbers that were texts"]],
        "range": NotRequired[Ends | None],
        "examples": NotRequired[list[Example]],
    },
)
ColumnFacts.__doc__ = "A column that is used."


class ReadingFacts(TypedDict):
    """How the source is written; what makes no sense for it is null."""

    format: str
    files: list[str]
    encoding: str | None
    delimiter: str | None
    decimal: str | None
    quote: str | None
    header: bool | None
    missing: list[str]
    missing_in_numbers: list[str]
    missing_by_column: dict[str, list[str]]


class TableDocument(Account):
    """What is read from a table: `venire show --json` prints this."""

    schema_version: Version
    source: str
    rows: int
    target: TargetFacts | None
    columns: list[ColumnFacts]
    reading: ReadingFacts
