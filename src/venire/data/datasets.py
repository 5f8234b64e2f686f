"""The tables that ship with the package, as CSV files: `play_golf`, `iris` and `banknotes`."""

from __future__ import annotations

import difflib
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

from venire.data.read import read_table
from venire.data.table import Table
from venire.errors import UsageError


@dataclass(frozen=True, slots=True)
class Dataset:
    """A table that ships with the package.

    >>> golf = dataset("play_golf")
    >>> golf.target, golf.path.name, golf.table().rows
    ('play', 'play_golf.csv', 14)
    """

    name: str
    target: str
    positive: str | None
    about: str

    @property
    def path(self) -> Path:
        """The CSV file."""
        return Path(__file__).parent / "tables" / f"{self.name}.csv"

    def table(self) -> Table:
        """The file as read by `read_table`, with its target."""
        return read_table(self.path, target=self.target, positive=self.positive)


DATASETS = (
    Dataset("play_golf", "play", "yes", "Is it a day to play golf? 14 days, four categorical columns."),
    Dataset("iris", "species", None, "Three species of iris, 50 flowers each, measured in centimetres (Fisher, 1936)."),
    Dataset("banknotes", "class", "fraud", "343 normal and 37 fraudulent notes, measured in millimetres; generated."),
)


def dataset(name: str) -> Dataset:
    """The data set of that name."""
    known = {each.name: each for each in DATASETS}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"no data set {name!r} ships with venire",
            code="unknown_dataset",
            hint=f"{hint}There are {', '.join(known)}.",
        )
    return known[name]


def load(name: str) -> Table:
    """The table of that name, read with its target.

    >>> banknotes = load("banknotes")
    >>> banknotes.rows, [column.name for column in banknotes.columns]
    (380, ['length', 'left', 'right', 'bottom', 'top', 'diagonal'])
    """
    return dataset(name).table()


def banknotes_csv() -> str:
    """The text of `banknotes.csv`, from a seeded simulation of how notes are cut and printed.

    A sheet may be cut large or small and askew, and the print may sit high or low on it; the diagonal is that of the
    printed picture. One forger prints a smaller picture, which leaves wider margins; another's paper is short and high.
    `random.Random.random` is the one stream of numbers that Python promises never to change.
    """
    source = random.Random(0)
    makers = ["mint"] * 343 + ["small print"] * 22 + ["other paper"] * 15
    lines = [_note(maker, source) for maker in makers]
    shuffled = sorted(lines, key=lambda _: source.random())
    return "\n".join(["length,left,right,bottom,top,diagonal,class", *shuffled]) + "\n"


def _note(maker: str, source: random.Random) -> str:
    def normal() -> float:
        return NormalDist().inv_cdf(source.random())

    size, skew, height = normal(), normal(), normal()
    length = 154.0 + 0.30 * size + 0.20 * normal()
    left = 72.0 + 0.22 * size + 0.20 * skew + 0.12 * normal()
    right = 72.0 + 0.22 * size - 0.20 * skew + 0.12 * normal()
    bottom = 8.6 + 0.25 * size + 0.55 * height + 0.20 * normal()
    top = 9.4 + 0.25 * size - 0.55 * height + 0.20 * normal()
    diagonal = 141.2 + 0.30 * normal()
    if maker == "small print":
        bottom, top, diagonal = bottom + 0.62, top + 0.55, diagonal - 0.62
    elif maker == "other paper":
        length, left, right, diagonal = length - 0.55, left + 0.30, right + 0.30, diagonal - 0.55
    measured = ",".join(f"{value:.1f}" for value in (length, left, right, bottom, top, diagonal))
    return f"{measured},{'normal' if maker == 'mint' else 'fraud'}"
