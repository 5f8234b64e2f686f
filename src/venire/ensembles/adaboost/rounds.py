"""The arithmetic of AdaBoost: ε, α, the weights of the examples, and when to stop. Arrays and numbers only.

M1 (Freund and Schapire) takes α = ½ ln((1 − ε) / ε) and needs ε < ½. SAMME (Zhu and others) takes
α = ½ (ln((1 − ε) / ε) + ln(K − 1)) for K classes and needs ε < 1 − 1/K; with two classes they are the same. Either way
the weights become w e^{α} where the member was wrong and w e^{−α} where it was right, and then sum to one again.

The compiled rounds do the same arithmetic to the bit, so that single numbers go through the C library here too: numpy's
own logarithms and powers differ in the last digit from machine to machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.states.checked import Fitted, check_fields
from venire.states.constraints import array, maybe, number, of_type, row, sequence, whole

Floats = NDArray[np.float64]

# A member without error would count infinitely much. It counts as one with an error of a millionth does: α ≈ 6.9 with
# two classes. A member that errs everywhere is its mirror image.
LEAST_ERROR = 1e-6


def alpha_of(error: ArrayLike, classes: int = 2, algorithm: str = "SAMME") -> Floats:
    """What a member with this weighted error counts for; `error` may be an array, to draw α against ε.

    >>> alpha_of([0.14, 1 / 3, 0.5]).round(3)
    array([0.908, 0.347, 0.   ])
    """
    clipped = np.clip(np.asarray(error, dtype=np.float64), LEAST_ERROR, 1 - LEAST_ERROR)
    gain = np.log(classes - 1) if algorithm == "SAMME" and classes > 2 else 0.0
    return np.asarray(0.5 * (np.log((1 - clipped) / clipped) + gain))


def multipliers(error: ArrayLike, classes: int = 2, algorithm: str = "SAMME") -> tuple[Floats, Floats]:
    """What the weight of a rightly and of a wrongly predicted example is multiplied by, normalisation included.

    >>> right, wrong = multipliers(0.3)
    >>> round(float(right) / 10, 3), round(float(wrong) / 10, 3)
    (0.071, 0.167)
    """
    error = np.asarray(error, dtype=np.float64)
    alpha = alpha_of(error, classes, algorithm)
    total = error * np.exp(alpha) + (1 - error) * np.exp(-alpha)
    return np.exp(-alpha) / total, np.exp(alpha) / total


def reweighted(weights: Floats, wrong: NDArray[np.bool_], alpha: float) -> Floats:
    """The weights of the next round.

    >>> wrong = np.array([False, True, False, False, False, True])
    >>> reweighted(np.full(6, 1 / 6), wrong, float(alpha_of(1 / 3))) * 8
    array([1., 2., 1., 1., 1., 2.])
    """
    raised = weights * np.where(wrong, math.exp(alpha), math.exp(-alpha))
    return np.asarray(raised / raised.sum())


def limit_of(classes: int, algorithm: str) -> float:
    """The error from which a member is too weak."""
    return 1 - 1 / max(classes, 2) if algorithm == "SAMME" else 0.5


class Outcome(StrEnum):
    """What became of a round."""

    KEPT = "kept"
    PERFECT = "perfect"  # ε = 0: kept, and the last
    WEAK = "weak"  # at or above the limit: not kept, and the last
    RESET = "reset"  # at or above the limit: not kept, the weights start again
    INVERTED = "inverted"  # above the limit: kept with a negative weight


@dataclass(frozen=True, eq=False, slots=True)
class Round:
    """One round: the weights it started with, its weighted error, what its member counts for, what became of it."""

    weights: Floats = field(repr=False)
    error: float
    alpha: float  # 0 when the member was not kept
    outcome: Outcome
    member: int | None  # index into `estimators_`; None when it was not kept


def judge(error: float, classes: int, algorithm: str, when_weak: str) -> tuple[float, Outcome]:
    """α and the outcome of a round with this error.

    >>> judge(0.6, 2, "M1", "invert")[1].value, judge(0.6, 2, "M1", "stop")
    ('inverted', (0.0, <Outcome.WEAK: 'weak'>))
    """
    clipped = min(max(error, LEAST_ERROR), 1 - LEAST_ERROR)
    gain = math.log(classes - 1) if algorithm == "SAMME" and classes > 2 else 0.0
    alpha = 0.5 * (math.log((1 - clipped) / clipped) + gain)
    if error <= 0:
        return alpha, Outcome.PERFECT
    if error < limit_of(classes, algorithm):
        return alpha, Outcome.KEPT
    if when_weak == "invert" and alpha < 0:
        return alpha, Outcome.INVERTED
    return 0.0, Outcome.RESET if when_weak == "reset" else Outcome.WEAK


_RECORD = row(number(), number(), of_type(Outcome), maybe(whole()), array("u1", lambda sizes: (sizes["rows"] + 7) // 8))
RECORDED: Fitted = {"first": array("f8", "rows", low=0), "records": sequence(_RECORD)}


class Rounds(Sequence[Round]):
    """The history of a boosting.

    The weights of a round are computed again from which examples the rounds before got wrong, one bit each, so that the
    history stays small beside the model.
    """

    def __init__(self, first: Floats) -> None:
        self._first = first
        self._records: list[tuple[float, float, Outcome, int | None, NDArray[np.uint8]]] = []

    def __getstate__(self) -> dict[str, Any]:
        return {"first": self._first, "records": self._records}

    def __setstate__(self, state: dict[str, Any]) -> None:
        check_fields("Rounds", RECORDED, state)
        self._first, self._records = state["first"], state["records"]

    def record(
        self, error: float, alpha: float, outcome: Outcome, member: int | None, wrong: NDArray[np.bool_]
    ) -> None:
        """Add a round."""
        self._records.append((error, alpha, outcome, member, np.packbits(wrong)))

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Round]:
        weights = self._first
        for error, alpha, outcome, member, bits in self._records:
            yield Round(weights, error, alpha, outcome, member)
            weights = self.after(weights, alpha, outcome, self._unpacked(bits))

    def after(self, weights: Floats, alpha: float, outcome: Outcome, wrong: NDArray[np.bool_]) -> Floats:
        """The weights that follow a round."""
        if outcome is Outcome.RESET:
            return self._first
        if outcome in (Outcome.WEAK, Outcome.PERFECT):
            return weights
        return reweighted(weights, wrong, alpha)

    @overload
    def __getitem__(self, index: int) -> Round: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Round]: ...
    def __getitem__(self, index: int | slice) -> Round | Sequence[Round]:
        if isinstance(index, slice):
            return list(self)[index]
        place = range(len(self))[index]
        return next(islice(self, place, None))

    def __repr__(self) -> str:
        return f"<{len(self)} rounds of boosting>"

    @property
    def errors(self) -> Floats:
        """ε of every round."""
        return np.array([record[0] for record in self._records])

    @property
    def alphas(self) -> Floats:
        """α of every round; 0 where the member was not kept."""
        return np.array([record[1] for record in self._records])

    @property
    def kept_alphas(self) -> Floats:
        """α of the members that were kept."""
        return np.array([record[1] for record in self._records if record[3] is not None])

    def _unpacked(self, bits: NDArray[np.uint8]) -> NDArray[np.bool_]:
        return np.unpackbits(bits, count=len(self._first)).astype(bool)


Grow = Callable[[int, Floats], tuple[Any, NDArray[np.bool_]]]  # round and weights → member, and where it is wrong


@dataclass(frozen=True, eq=False, slots=True)
class Boosted:
    """The members that were kept, what each counts for, and the history; `alone` if no round beat guessing."""

    members: list[Any]
    alphas: Floats
    rounds: Rounds
    alone: bool


def boost(
    weights: Floats,
    most: int,
    grow: Grow,
    classes: int,
    *,
    algorithm: str,
    when_weak: str,
    learning_rate: float = 1.0,
) -> Boosted:
    """Grow, judge and reweight for at most so many rounds. If none is better than guessing, the first stands alone."""
    rounds = Rounds(weights)
    members: list[Any] = []
    first: Any = None
    for turn in range(most):
        member, wrong = grow(turn, weights)
        first = member if first is None else first
        error = float(weights[wrong].sum())
        alpha, outcome = judge(error, classes, algorithm, when_weak)
        alpha *= learning_rate
        kept = outcome not in (Outcome.WEAK, Outcome.RESET)
        rounds.record(error, alpha, outcome, len(members) if kept else None, wrong)
        if kept:
            members.append(member)
        if outcome in (Outcome.PERFECT, Outcome.WEAK):
            break
        weights = rounds.after(weights, alpha, outcome, wrong)
    if not members:
        return Boosted([first], np.ones(1), rounds, alone=True)
    return Boosted(members, rounds.kept_alphas, rounds, alone=False)
