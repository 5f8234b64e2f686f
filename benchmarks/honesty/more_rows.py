"""Would more rows help? Learning curves from small tables, held against what larger tables of the same problem show.

Printed by `coverage.py` from the same repetitions, for the fixed setting: the curve through the errors without one and
two folds of n rows is continued to the training size of the next larger cell, whose target is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from venire.inference import growth

Record = dict[str, Any]


def print_more_rows(records: Sequence[Record]) -> None:
    """One line a problem and step."""
    parted: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        parted.setdefault((record["problem"], record["n"]), []).append(record)
    print("| ridge, λ = 10 | trained on | error there | continued to | error there | foreseen | interval holds |")
    print("|---|---|---|---|---|---|---|")
    for (problem, n), part in parted.items():
        larger = min((m for p, m in parted if p == problem and m > n), default=None)
        if larger is None:
            continue
        now, then = (np.mean([r["fixed"]["truth"] for r in parted[problem, m]]) for m in (n, larger))
        there = larger * (1 - 1 / len(part[0]["sizes"]))
        foreseen = [_curve(record).at(there) for record in part]
        mean = np.mean([one.value for one in foreseen])
        held = np.mean([one.low <= then <= one.high for one in foreseen])
        size = n * (1 - 1 / len(part[0]["sizes"]))
        print(f"| {problem} | {size:.0f} | {now:.4f} | {there:.0f} | {then:.4f} | {mean:.4f} | {100 * held:.1f} % |")


def _curve(record: Record) -> Any:
    fixed = record["fixed"]
    return growth(fixed["singles"], fixed["pairs"], rows=record["n"], folds=len(record["sizes"]))
