"""Blocks of text that were damaged, given to the compiled core as numbers: does it refuse them, or read what is there?

    python -m benchmarks.reliability.number_blocks [--mutations 100000] [--folder build/fuzz/number_blocks]

`make fuzz` runs it on the build with sanitizers, which says so where a byte beyond the block is read or written, guided
by the edges of the core. What is read has to be what Python's `float` reads in each field, for any number of threads;
written again as text by the core it has to come back to the bit. A block that the core refuses goes to another reader
(`table_files` tries both).
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from numpy.typing import NDArray

from benchmarks.reliability.fuzzing import Random, Tried, finish
from benchmarks.reliability.table_files import MUTATIONS, numeric_sample
from venire._core import numbers_of
from venire.data.rows_as_text import rows_as_text

MARKERS = ("", "NA", "nan")
_WRITTEN = {"comma": (",", "\n"), "semicolon, two signs a line end": (";", "\r\n"), "tab": ("\t", "\n")}


class NumberBlocks:
    """Blocks of four columns, by how they are written."""

    name = "number_blocks"

    def seeds(self) -> list[tuple[str, bytes]]:
        """A sound block of each."""
        table = numeric_sample()
        return [
            (name, table.to_csv(index=False, header=False, sep=sign, lineterminator=end).encode())
            for name, (sign, end) in _WRITTEN.items()
        ]

    def mutated(self, name: str, data: bytes, rng: Random) -> tuple[str, bytes]:
        """One of the ways of delimited text."""
        ways = MUTATIONS["csv"]
        mutate = ways[int(rng.integers(len(ways)))]
        return mutate.__name__, mutate(data, rng)

    def tried(self, name: str, data: bytes) -> Tried:
        """Read it on one thread and on three, and by Python; write it and read it again."""
        sign = _WRITTEN[name][0]
        found, again = (_read(data, sign, threads) for threads in (1, 3))
        if found is None:
            return Tried("refused", name, "" if again is None else "three threads read what one refuses")
        wrong = "" if again is not None and _same(found, again) else "three threads read something else"
        if not wrong and not _same(found, _by_python(data, sign)):
            wrong = "Python reads something else"
        if not wrong and found.size:
            text = b"".join(rows_as_text(list(found), sign))
            written = _read(text, sign, 2)
            wrong = "" if written is not None and _same(found, written) else "it does not come back"
        return Tried("read", f"{name} {np.isnan(found).any()}", wrong)


def _read(data: bytes, sign: str, threads: int) -> NDArray[np.float64] | None:
    return numbers_of(np.frombuffer(data, np.uint8), 4, sign, MARKERS, threads)


def _by_python(data: bytes, sign: str) -> NDArray[np.float64]:
    lines = data.decode("latin-1").split("\n")
    rows = [line.removesuffix("\r").split(sign) for line in (lines if lines[-1] else lines[:-1])]
    return np.array([[np.nan if each in MARKERS else float(each) for each in row] for row in rows]).reshape(-1, 4).T


def _same(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """To the bit, but for which NaN it is."""
    signed = np.array_equal(np.signbit(one[~np.isnan(one)]), np.signbit(other[~np.isnan(other)]))
    return np.array_equal(one, other, equal_nan=True) and signed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=100_000)
    return finish("reliability-number-blocks", parser, NumberBlocks(), __spec__.name)


if __name__ == "__main__":
    sys.exit(main())
