"""Tables in files that were damaged or made by hand: is every one refused with one clear error, or read?

    python -m benchmarks.reliability.table_files [--mutations 20000] [--folder build/fuzz/table_files]

The seeds are CSV, JSON, JSON lines, Parquet and Excel files with numbers, words, dates, truth values and gaps, plain
and compressed, and CSV files of nothing but numbers. Bytes are changed, cut and doubled; text gets quotes, delimiters,
control characters and long fields where nobody expects them; JSON is edited as a tree; a workbook is unpacked and its
parts are changed before it is packed again, so that the sheet reader is reached. Tables of numbers are read once more,
in small blocks and by the compiled core, as `venire predict` reads them: that may refuse what the other way takes, but
not read other numbers. Anything but a `VenireError` or a table is a fault, and so is a file that takes more than a
second or 512 MB. A short run is in the tests.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.reliability.fuzzing import Random, Tried, finish, sign_of
from benchmarks.reliability.model_files import edit_one, flipped, places_in
from venire.data.read import read_table
from venire.data.streamed import Asked, streamed
from venire.data.table import Table
from venire.errors import VenireError

_PIECES = (
    b'"', b"'", b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\\", b"#", b" ",
    b'""', b"1e999", b"-inf", b"nan", b"9" * 400, b"x" * 5000, b"=1+1", b"\xc3", b"\xe2\x80\xae", b"{", b"}", b"[",
    b"]", b"null", b"2024-02-30", b"0x10", b"1_000", b"1.234,5", b",,,,,,,,", b"\n" * 50,
)  # fmt: skip
BLOCK = 600  # bytes: a small file is some of them
Mutation = Callable[[bytes, Random], bytes]


def sample(rows: int = 40) -> pd.DataFrame:
    """A small table of every kind of column."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "size": rng.normal(size=rows).round(3),
            "count": rng.integers(0, 50, rows),
            "colour": rng.choice(["red", "green, or so", 'blue "sky"', "żółty"], rows),
            "sold": rng.random(rows) < 0.5,
            "day": pd.date_range("2024-01-01", periods=rows, freq="D"),
            "y": rng.choice(["yes", "no"], rows),
        }
    )
    table.loc[::7, "size"] = None
    table.loc[::9, "colour"] = None
    return table


def numeric_sample(rows: int = 60) -> pd.DataFrame:
    """A table of numbers alone: short and long, whole, tiny, huge, and gaps."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(rng.normal(size=(rows, 4)).round(4), columns=["a", "b", "c", "d"])
    table["b"] = rng.integers(-9, 10**12, rows)
    table["c"] *= 10.0 ** rng.integers(-250, 90, rows)
    table.loc[::5, "d"] = None
    return table


def seeds() -> list[tuple[str, bytes]]:
    """The sample in every format, named by how its name ends."""
    table = sample()
    comma, records = table.to_csv(index=False).encode(), table.to_json(orient="records", date_format="iso").encode()
    lines = table.to_json(orient="records", lines=True, date_format="iso").encode()
    alone = numeric_sample()
    found = {
        "csv": comma,
        "numbers.csv": alone.to_csv(index=False).encode(),
        "numbers.txt": alone.to_csv(index=False, sep=";", na_rep="NA", lineterminator="\r\n").encode(),
        "tsv": table.to_csv(index=False, sep="\t").encode("utf-16"),
        "txt": table.to_csv(index=False, sep=";", decimal=",").encode("latin-1", "replace"),
        "json": records,
        "jsonl": lines,
        "csv.gz": gzip.compress(comma, mtime=0),
        "parquet": _written(lambda to: table.to_parquet(to, index=False)),
        "zstd.parquet": _written(lambda to: table.to_parquet(to, index=False, compression="zstd")),
        "xlsx": _written(lambda to: table.to_excel(to, index=False)),
    }
    return list(found.items())


def _written(write: Callable[[Any], Any]) -> bytes:
    to = io.BytesIO()
    write(to)
    return to.getvalue()


def cut(data: bytes, rng: Random) -> bytes:
    """The end, the beginning or something between is missing."""
    first, last = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    return (data[:last], data[first:], data[:first] + data[last:])[int(rng.integers(3))]


def doubled(data: bytes, rng: Random) -> bytes:
    """A stretch stands twice, or many times."""
    first, last = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    return data[:last] + data[first:last] * int(rng.integers(1, 4)) + data[last:]


def pieced(data: bytes, rng: Random) -> bytes:
    """Something that means something to a reader, where it does not belong."""
    for _ in range(int(rng.integers(1, 6))):
        at = int(rng.integers(0, len(data) + 1))
        until = at + int(rng.integers(0, 4))
        data = data[:at] + _PIECES[int(rng.integers(len(_PIECES)))] + data[until:]
    return data


def lined(data: bytes, rng: Random) -> bytes:
    """Lines exchanged, taken away or grown together."""
    lines = data.split(b"\n")
    for _ in range(int(rng.integers(1, 4))):
        at, other = (int(place) for place in rng.integers(0, len(lines), 2))
        lines[at] = (lines[other], b"", lines[at] + lines[other], lines[at][: len(lines[at]) // 2])[
            int(rng.integers(4))
        ]
    return b"\n".join(lines)


def edited(data: bytes, rng: Random) -> bytes:
    """The tree of a JSON file changed here and there."""
    tree = json.loads(data)
    for _ in range(int(rng.integers(1, 5))):
        places = list(places_in(tree))
        if places:
            edit_one(places, rng)
    return json.dumps(tree).encode()


def repacked(data: bytes, rng: Random) -> bytes:
    """A part of a workbook changed, and all packed again."""
    to = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as book, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as again:
        names = book.namelist()
        chosen = names[int(rng.integers(len(names)))]
        for name in names:
            part = book.read(name)
            if name == chosen:
                part = (flipped, cut, doubled, pieced)[int(rng.integers(4))](part, rng)
            if name != chosen or rng.random() < 0.95:
                again.writestr(name, part)
    return to.getvalue()


def recompressed(data: bytes, rng: Random) -> bytes:
    """The text inside changed, and packed again."""
    return gzip.compress(pieced(gzip.decompress(data), rng), mtime=0)


_BYTES: tuple[Mutation, ...] = (flipped, cut, doubled, pieced)
_TEXT: tuple[Mutation, ...] = (*_BYTES, lined, pieced, pieced)
MUTATIONS: Mapping[str, tuple[Mutation, ...]] = {
    "csv": _TEXT,
    "numbers.csv": _TEXT,
    "numbers.txt": _TEXT,
    "tsv": _TEXT,
    "txt": _TEXT,
    "json": (*_TEXT, edited, edited, edited, edited),
    "jsonl": _TEXT,
    "csv.gz": (*_BYTES, recompressed, recompressed),
    "parquet": _BYTES,
    "zstd.parquet": _BYTES,
    "xlsx": (*_BYTES, repacked, repacked, repacked, repacked),
}


class TableFiles:
    """Tables in every format that is read."""

    name = "table_files"

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="venire-fuzz-"))

    def seeds(self) -> list[tuple[str, bytes]]:
        """One of each format."""
        return seeds()

    def mutated(self, name: str, data: bytes, rng: Random) -> tuple[str, bytes]:
        """One of the ways of the format; a file that is not sound enough for it has bytes changed."""
        ways = MUTATIONS[name]
        mutate = ways[int(rng.integers(len(ways)))]
        try:
            return mutate.__name__, mutate(data, rng)
        except (ValueError, LookupError, TypeError, OSError, EOFError, zipfile.BadZipFile, zlib.error, RecursionError):
            return flipped.__name__, flipped(data, rng)

    def tried(self, name: str, data: bytes) -> Tried:
        """Read it as a table."""
        path = self._folder / f"table.{name}"
        path.write_bytes(data)
        try:
            table = read_table(str(path))
        except VenireError as error:
            return Tried("refused", f"{error.code}: {sign_of(error.message)}")
        except Exception as error:
            return Tried("fault", "", f"reading raised {type(error).__name__}: {str(error)[:200]}")
        wrong = "" if table.X.shape == (table.rows, len(table.columns)) else f"gave a matrix of {table.X.shape}"
        if name.startswith("numbers") and table.columns:
            wrong = wrong or _read_otherwise(path, table)
        notes = ",".join(sorted({note.code for note in table.notes}))
        return Tried("read", f"{notes} {','.join(column.kind.value for column in table.columns)}"[:200], wrong)


def _read_otherwise(path: Path, table: Table) -> str:
    """What is wrong with the rows as they are streamed; nothing where they are refused by an error of ours."""
    asked = Asked(table.columns, reading=table.reading)
    try:
        parts = [part.rows.X for part in streamed(str(path), asked, block_bytes=BLOCK)]
    except VenireError:
        return ""
    except Exception as error:
        return f"streaming raised {type(error).__name__}: {str(error)[:200]}"
    X = np.vstack(parts)
    return "" if np.array_equal(X, table.X, equal_nan=True) else "streaming gave other numbers"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=20_000)
    return finish("reliability-table-files", parser, TableFiles(), __spec__.name)


if __name__ == "__main__":
    sys.exit(main())
