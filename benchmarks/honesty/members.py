"""The default interval of single members and combinations, from the same repetitions as the procedure's.

Two questions are asked of each interval: does it hold the expected error over training sets, and does it hold the
error, on fresh rows, of the very models that were validated? For a member whose error hangs on its luck with the
training rows the two differ, and one table cannot tell how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.honesty.cells import overlap
from venire.inference import cross_validated

Record = dict[str, Any]


def print_members(records: Sequence[Record]) -> None:
    """One line a problem and size: both shares for every member."""
    parted: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        parted.setdefault((record["problem"], record["n"]), []).append(record)
    names = list(records[0]["members"])
    print("| problem | rows | " + " | ".join(names) + " |\n|" + "---|" * (2 + len(names)))
    for (problem, n), part in parted.items():
        print(f"| {problem} | {n:,} | " + " | ".join(_held(part, name) for name in names) + " |")


def _held(part: Sequence[Record], name: str) -> str:
    expected = float(np.mean([record["members"][name][1] for record in part]))
    holds, own = [], []
    for record in part:
        losses, truth = record["members"][name]
        found = cross_validated(losses, overlap(record), rows=record["n"], bounds=(0, 1))
        holds.append(found.low <= expected <= found.high)
        own.append(found.low <= truth <= found.high)
    return f"{100 * np.mean(holds):.1f} / {100 * np.mean(own):.1f} %"
