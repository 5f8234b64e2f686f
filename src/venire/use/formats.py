"""The formats a table can be written in, by the ending of its name: those that tables are read from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from venire.errors import UsageError, did_you_mean

_PACKED = {".gz": "gzip", ".zst": "zstd"}
_FORMS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}
_OF_TEXT = ("csv", "tsv", "jsonl", "json")  # that may be compressed


@dataclass(frozen=True)
class Format:
    """What a file is written as, and how it is compressed."""

    form: str
    packed: str | None = None

    @property
    def opens_in_spreadsheets(self) -> bool:
        """Whether a spreadsheet program would take a text that begins with = for a formula."""
        return self.form in ("csv", "tsv")


def format_of(path: Path) -> Format:
    """The format that the name asks for, or an error that lists those there are.

    >>> format_of(Path("out.csv.gz")), format_of(Path("out.parquet")).form
    (Format(form='csv', packed='gzip'), 'parquet')
    """
    endings = [ending.lower() for ending in path.suffixes]
    packed = _PACKED.get(endings[-1]) if endings else None
    form = _FORMS.get((endings[:-1] if packed else endings)[-1:][0] if len(endings) > bool(packed) else "")
    if form is None or (packed and form not in _OF_TEXT):
        ending = "".join(endings[-2:] if packed else endings[-1:])
        said = f"tables are not written as {ending!r}" if ending else "the name has no ending that says what to write"
        raise UsageError(
            f"{said}{did_you_mean(ending, _FORMS)}",
            code="unknown_format",
            file=str(path),
            hint="there are .csv, .tsv, .jsonl and .json (also with .gz or .zst), .parquet and .xlsx",
        )
    return Format(form, packed)
