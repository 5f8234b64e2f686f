"""What is looked at while a boosting runs: a held-out loss, a monitor, a table of rounds that is printed."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import Booster

Floats = NDArray[np.float64]


class Printed:
    """The table of rounds: with `verbose=1` rounds 1 to 10, then every 10th, every 100th; with more, every one."""

    def __init__(self, verbose: int, rounds: int, *, with_others: bool, factor: float) -> None:
        self.verbose, self.rounds, self.with_others, self.factor = verbose, rounds, with_others, factor
        self.every = 1
        self.began = time.monotonic()

    def begin(self) -> None:
        """The head of the table."""
        names = ["Iter", "Train Loss", *(["OOB Improve"] if self.with_others else []), "Remaining Time"]
        sys.stdout.write(" ".join(["%10s"] + ["%16s"] * (len(names) - 1)) % tuple(names) + "\n")

    def tell(self, done: int, losses: Sequence[Floats]) -> None:
        """A line, if it is this round's turn; `losses` are those of the booster."""
        if done % self.every == 0:
            cells = [f"{done:>10d}", f"{_last(losses[0]) * self.factor:>16.4f}"]
            if self.with_others:
                cells.append(f"{(_last(losses[2]) - _last(losses[1])) * self.factor:>16.4f}")
            left = (self.rounds - done) * (time.monotonic() - self.began) / done
            cells.append(f"{f'{left / 60:.2f}m' if left > 60 else f'{left:.2f}s':>16s}")
            sys.stdout.write(" ".join(cells) + "\n")
        if self.verbose == 1 and done // (self.every * 10) > 0:
            self.every *= 10


def _last(numbers: Floats) -> float:
    return float(numbers[-1]) if len(numbers) else float("nan")


class NoGain:
    """scikit-learn's rule: stop when this round is not better by `tol` than any of the last so many.

    >>> rule = NoGain(2, 0.01)
    >>> [rule.go_on(loss) for loss in (1.0, 0.5, 0.4, 0.495)]
    [True, True, True, False]
    """

    def __init__(self, patience: int, tol: float) -> None:
        self.tol = tol
        self.last: deque[float] = deque([np.inf] * patience, maxlen=patience)

    def go_on(self, loss: float) -> bool:
        """Is another round wanted after one that left this loss?"""
        better = any(loss + self.tol < one for one in self.last)
        self.last.append(loss)
        return better


class Watch:
    """Everything that is asked after a round; `go_on` is for the booster."""

    def __init__(self, booster: Booster, model: Any, first: int, known: dict[str, Any], monitor: Any = None) -> None:
        self.booster, self.model, self.monitor = booster, model, monitor
        self.first = first  # rounds of fits before
        self.known = known  # what a monitor is given
        self.printed: Printed | None = None
        self.loss: Callable[[], float] | None = None
        self.rule: Callable[[list[float]], bool] | None = None
        self.losses: list[float] = []
        self.done = 0

    def needed(self) -> bool:
        """Is anything asked at all?"""
        return any(one is not None for one in (self.monitor, self.printed, self.loss))

    def go_on(self) -> bool:
        """After a round: look, print, and say whether another one is wanted."""
        self.done += 1
        if self.printed is not None:
            self.printed.tell(self.done, self.booster.losses())
        more = True
        if self.loss is not None and self.rule is not None:
            self.losses.append(self.loss())
            more = self.rule(self.losses)
        if self.monitor is not None:
            now = {**self.known, "i": self.first + self.done - 1, "raw_predictions": self.booster.scores().T}
            more = not self.monitor(now["i"], self.model, now) and more
        return more
