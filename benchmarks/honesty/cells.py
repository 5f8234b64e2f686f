"""From raw repetitions to the printed table: one line a cell, nothing left out.

For each problem and number of rows: the target (mean error of the outer models on fresh rows), the bias of the
two-layer, one-layer and stratified estimates, and for each method how often its nominal 95 % interval holds the
target, with its median width. `default` is the interval on the leaderboard; the others are what is commonly used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.inference import Interval, accuracy_interval, corrected_t, cross_validated

Record = dict[str, Any]
Method = Callable[[Record], Interval]

NEEDED = 0.93  # of nominal 95 % intervals, in every cell
ALLOWED_BIAS = 0.1  # in standard deviations of the estimate


def overlap(record: Record) -> float:
    """n_test / n_train, averaged over folds."""
    sizes = np.array(record["sizes"], dtype=float)
    return float(np.mean(sizes / (sizes.sum() - sizes)))


def default(record: Record) -> Interval:
    """What the leaderboard shows."""
    return cross_validated(record["losses"], overlap(record), rows=record["n"], bounds=(0, 1))


def corrected(record: Record) -> Interval:
    """Corrected resampled t alone."""
    return corrected_t(record["losses"], overlap(record)).within(0, 1)


def plain(record: Record) -> Interval:
    """Student's t over the folds, as if they were independent."""
    return corrected_t(record["losses"], 0.0).within(0, 1)


def pooled(record: Record) -> Interval:
    """The Beta posterior of the pooled counts, as if one model had been tested."""
    wrong = float(np.dot(record["losses"], record["sizes"]))
    return accuracy_interval(wrong, record["n"])


METHODS: dict[str, Method] = {"default": default, "corrected t": corrected, "plain t": plain, "pooled Beta": pooled}


@dataclass(frozen=True)
class Cell:
    """One problem at one number of rows."""

    problem: str
    n: int
    repetitions: int
    truth: float
    spread: float  # standard deviation of the two-layer estimate
    bias: float  # of the two-layer estimate, in standard deviations of it
    bias_error: float  # the standard error of that figure
    one_layer_bias: float
    stratified_bias: float
    coverage: dict[str, float]
    width: dict[str, float]

    @property
    def holds(self) -> bool:
        """Whether the default interval and the estimate keep their promise here."""
        return self.coverage["default"] >= NEEDED and abs(self.bias) <= ALLOWED_BIAS


def cell(records: Sequence[Record]) -> Cell:
    """Summarise the repetitions of one cell."""
    fresh = np.array([r["truth"] for r in records])
    estimate = np.array([np.mean(r["losses"]) for r in records])
    truth, spread = float(fresh.mean()), float(estimate.std(ddof=1))
    found = {name: [method(r) for r in records] for name, method in METHODS.items()}
    split = [r for r in records if "stratified" in r]
    return Cell(
        problem=records[0]["problem"],
        n=records[0]["n"],
        repetitions=len(records),
        truth=truth,
        spread=spread,
        # Each estimate against the models it is about: the luck of the training rows falls out of the difference.
        bias=float(np.mean(estimate - fresh)) / spread,
        bias_error=float(np.std(estimate - fresh, ddof=1)) / spread / float(np.sqrt(len(records))),
        one_layer_bias=float(np.mean([r["one_layer"] - r["truth"] for r in records])),
        stratified_bias=float(np.mean([r["stratified"] - r["truth"] for r in split])) if split else float("nan"),
        coverage={name: _share(intervals, truth) for name, intervals in found.items()},
        width={name: float(np.median([i.width for i in intervals])) for name, intervals in found.items()},
    )


def _share(intervals: Sequence[Interval], truth: float) -> float:
    held: NDArray[np.bool_] = np.array([i.low <= truth <= i.high for i in intervals])
    return float(held.mean())


def cells(records: Sequence[Record]) -> list[Cell]:
    """All cells, in the order of their first repetition."""
    parted: dict[tuple[str, int], list[Record]] = {}
    for record in records:
        parted.setdefault((record["problem"], record["n"]), []).append(record)
    return [cell(part) for part in parted.values()]


def print_cells(records: Sequence[Record]) -> list[Cell]:
    """Print the table as Markdown, and whether every cell holds; the cells."""
    found = cells(records)
    names = list(METHODS)
    head = ["problem", "rows", "repetitions", "target", "bias / sd", "one-layer bias", "stratified bias"]
    print("| " + " | ".join([*head, *(f"{name}: coverage, width" for name in names)]) + " |")
    print("|" + "---|" * (len(head) + len(names)))
    for one in found:
        first = [one.problem, f"{one.n:,}", f"{one.repetitions:,}", f"{one.truth:.4f}"]
        first += [f"{one.bias:+.3f} ± {one.bias_error:.3f}"]
        first += [f"{one.one_layer_bias:+.4f}", f"{one.stratified_bias:+.4f}"]
        rest = [f"{100 * one.coverage[name]:.1f} %, {one.width[name]:.3f}" for name in names]
        print("| " + " | ".join(first + rest) + " |")
    kept = all(one.holds for one in found)
    failing = [f"{one.problem} at {one.n}" for one in found if not one.holds]
    print(f"\nDefault interval ≥ {NEEDED:.0%} and |bias| ≤ {ALLOWED_BIAS} sd in every cell: {'yes' if kept else 'no'}")
    if failing:
        print("Cells that do not: " + ", ".join(failing))
    return found
