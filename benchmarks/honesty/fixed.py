"""Nested intervals beside the corrected t, for one fixed setting: there the models without two folds are enough.

Printed by `coverage.py` from the same repetitions. For error rates a fold's losses are known from its share of wrong
rows, so rows are written out in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from venire.inference import Interval, cross_validated, nested_interval

Record = dict[str, Any]


def nested(record: Record) -> Interval:
    """The nested interval of the fixed setting."""
    sizes, fixed = record["sizes"], record["fixed"]
    folds = np.repeat(np.arange(len(sizes)), sizes)
    outer = np.concatenate([_rows(share, size) for share, size in zip(fixed["singles"], sizes, strict=True)])
    inner = np.full((len(folds), len(sizes)), np.nan)
    for i, shares in enumerate(fixed["pairs"]):
        others = np.delete(np.arange(len(sizes)), i)
        inner[np.ix_(folds == i, others)] = np.stack([_rows(share, sizes[i]) for share in shares], axis=1)
    return nested_interval(outer, inner, folds).interval.within(0, 1)


def corrected(record: Record) -> Interval:
    """The default interval of the fixed setting."""
    sizes = np.array(record["sizes"], dtype=float)
    overlap = float(np.mean(sizes / (sizes.sum() - sizes)))
    return cross_validated(record["fixed"]["singles"], overlap, rows=record["n"], bounds=(0, 1))


def print_fixed(records: Sequence[Record]) -> None:
    """One line a cell."""
    parted: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        parted.setdefault((record["problem"], record["n"]), []).append(record)
    print(
        "| ridge, λ = 10 | rows | target | default: coverage, width | nested: coverage, width |\n|---|---|---|---|---|"
    )
    for (problem, n), part in parted.items():
        truth = float(np.mean([r["fixed"]["truth"] for r in part]))
        shown = []
        for method in (corrected, nested):
            found = [method(r) for r in part]
            held = np.mean([i.low <= truth <= i.high for i in found])
            shown.append(f"{100 * held:.1f} %, {np.median([i.width for i in found]):.3f}")
        print(f"| {problem} | {n:,} | {truth:.4f} | {' | '.join(shown)} |")


def _rows(share: float, size: int) -> np.ndarray:
    return (np.arange(size) < round(share * size)).astype(float)
