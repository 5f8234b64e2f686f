"""The default complexity paths: rules from a table's shape to settings, from simple to complex."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from venire.data.table import Table
from venire.validation.trials.family import Setting

ROUNDS = tuple(range(10, 201, 10))
SLOW_ROUNDS = (50, 100, 150, 200, 300, 400, 600, 800, 1200, 1600)
LARGE_TREES = (25, 50, 100, 150, 200, 300, 400, 600, 800, 1200)
SEARCHED = (50, 100, 150, 200, 300, 400, 600, 800)
SMALL_TREES = (50, 100, 200, 300, 400, 600, 800, 1000, 1200)
MOST_NEIGHBOURS = 29
_LAYERS = ((64,), (128,), (64, 64), (128, 128))
_NETS_ON = 20_000  # rows on which four nets are averaged; on more, two
_WIDE = 200  # columns; of more, two nets as well


@dataclass(frozen=True)
class Rule:
    """A path that follows from a table's shape, and the same rule in words."""

    words: str
    settings: Callable[[Table], tuple[Setting, ...]]

    def __call__(self, table: Table) -> tuple[Setting, ...]:
        """The settings for a table of this shape."""
        return self.settings(table)


def one_by_one(name: str, values: Iterable[Any], word: str) -> tuple[Setting, ...]:
    """A setting a value, labelled `word = value`.

    >>> [setting.label for setting in one_by_one("alpha", [10.0, 0.1], "λ")]
    ['λ = 10', 'λ = 0.1']
    """
    return tuple(Setting.of({name: value}, {word: value}) for value in values)


def strengths(name: str, word: str, *, rising: bool) -> tuple[Setting, ...]:
    """Twenty values from 1e-4 to 1e4; `rising` when a larger value means a more complex model."""
    values = np.logspace(-4, 4, 20)
    return one_by_one(name, (float(v) for v in (values if rising else values[::-1])), word)


def _neighbours(table: Table) -> tuple[Setting, ...]:
    """Many neighbours are the simple end."""
    most = max(1, min(MOST_NEIGHBOURS, math.isqrt(table.rows)))
    return one_by_one("n_neighbors", [k for k in range(1, most + 1) if k % 2 == 1][::-1], "k")


neighbours = Rule(f"k odd, from √rows ({MOST_NEIGHBOURS} at most) down to 1", _neighbours)


def _attributes_a_split(table: Table) -> tuple[Setting, ...]:
    return one_by_one("max_features", forest_sizes(max(1, len(table.columns))), "q")


attributes_a_split = Rule("q of m columns a split: 1, ⌊log₂ m⌋ + 1, √m, m/3, m", _attributes_a_split)


def _cuts_drawn(table: Table) -> tuple[Setting, ...]:
    m = max(1, len(table.columns))
    return one_by_one("max_features", sorted({round(math.sqrt(m)), max(1, round(m / 3)), m}), "q")


cuts_drawn = Rule("q of m columns a split: √m, m/3, m", _cuts_drawn)


def forest_sizes(m: int) -> tuple[int, ...]:
    """The different values of q for m attributes, ascending.

    >>> forest_sizes(30)
    (1, 5, 10, 30)
    """
    values = {1, int(math.log2(m)) + 1, round(math.sqrt(m)), max(1, round(m / 3)), m}
    return tuple(sorted(values))


def nets_averaged(rows: int, columns: int) -> int:
    """How many nets are averaged: four are better than two wherever there is time for them (decision 66).

    >>> nets_averaged(8_000, 20), nets_averaged(50_000, 20), nets_averaged(300, 5_000)
    (4, 2, 2)
    """
    return 4 if rows <= _NETS_ON and columns <= _WIDE else 2


def _nets(table: Table) -> tuple[Setting, ...]:
    nets = nets_averaged(table.rows, len(table.columns))
    labels = {units: f"{' + '.join(map(str, units))} units" for units in _LAYERS}
    return tuple(Setting(label, {"hidden_layer_sizes": units, "n_nets": nets}) for units, label in labels.items())


nets = Rule("64, 128, 64 + 64 and 128 + 128 units, each the mean of four nets, of two in large tables", _nets)


def _rounds(table: Table) -> tuple[Setting, ...]:
    return one_by_one("n_estimators", ROUNDS, "T")


rounds = Rule(f"T = {ROUNDS[0]}, {ROUNDS[1]}, … {ROUNDS[-1]}", _rounds)


def boosting_rounds(numbers: tuple[int, ...], leaf_rows: int) -> Rule:
    """Numbers of rounds. Of a table so small that leaves of as many rows would part nothing, a leaf holds a sixth."""

    def settings(table: Table) -> tuple[Setting, ...]:
        plain = one_by_one("n_estimators", numbers, "T")
        least = max(2, table.rows // 6)
        if least >= leaf_rows:
            return plain
        return tuple(replace(s, params={**s.params, "min_samples_leaf": least}) for s in plain)

    words = f"T = {numbers[0]}, {numbers[1]}, … {numbers[-1]}"
    return Rule(f"{words}; {leaf_rows} rows a leaf or more, fewer below {6 * leaf_rows} rows", settings)
