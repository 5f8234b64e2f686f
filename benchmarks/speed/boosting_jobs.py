"""The jobs of the boosting benchmark and their data, made outside the clock; `forest_jobs` says where D1 to D3 are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.speed.forest_jobs import bundled, d1, d3, shared_module, stand_in


@dataclass(frozen=True)
class Table:
    """Numbers and codes; gaps are NaN."""

    x: NDArray[np.float32]
    y: NDArray[np.int32]
    categorical: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Job:
    """One line of the page; `kind` says what is timed."""

    name: str
    title: str
    kind: str  # fit, small, adaboost or predict
    make: Callable[[int], Table]
    rows: int
    at_least: float
    aim: float
    against_lightgbm: tuple[float, float] | None = None
    predict_rows: int = 0
    classes: int = 2

    def table(self) -> Table:
        return self.make(self.rows)


def mixed(rows: int) -> Table:
    """D2: thirty numeric columns, twenty of codes, five of a hundred values missing."""
    shared = shared_module()
    if shared is None:
        return Table(*stand_in(rows, 50, 2))
    x, codes, y = shared.d2(rows)
    coded = np.where(codes < 0, np.nan, codes).astype(np.float32)
    return Table(np.hstack([x, coded]), y, list(range(x.shape[1], x.shape[1] + codes.shape[1])))


def jobs(*, quick: bool) -> list[Job]:
    small = (1.5, 3.0)
    share = 20 if quick else 1
    big = (1.6, 2.5)
    plain = (2.0, 3.0)
    many = 1_000_000 // share
    return [
        Job("d1", f"D1, {many:,} × 28", "fit", lambda rows: Table(*d1(rows)), many, *big, plain),
        Job("d2", "D2, mixed", "fit", mixed, 100_000 // share, *big, plain),
        Job("d3", "D3, seven classes", "fit", lambda rows: Table(*d3(rows)), 200_000 // share, *big, plain, classes=7),
        Job("cancer", "569 × 30", "small", lambda _: Table(*bundled(load_breast_cancer)), 569, *small),
        Job("wine", "178 × 13", "small", lambda _: Table(*bundled(load_wine)), 178, *small, classes=3),
        Job("digits", "1,797 × 64", "small", lambda _: Table(*bundled(load_digits)), 1797, *small, classes=10),
        Job("adaboost", "AdaBoost, 200 stumps", "adaboost", lambda rows: Table(*d1(rows)), 100_000 // share, 50, 150),
        Job(
            "predict",
            f"predicting {many:,} rows",
            "predict",
            lambda rows: Table(*d1(rows)),
            many,
            at_least=1.5,
            aim=3,
            predict_rows=many,
        ),
    ]
