"""Members of a model made ready for rows that come one at a time: the same to the bit, in a fraction of the time.

Of what a pipeline takes for one row nearly all is scikit-learn's checks of rows that were checked already, and every
member of a blend encodes the row anew. Here a member's steps are called one after the other without them, and members
with the same encoder share what it gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline
from sklearn.utils.extmath import softmax

from venire.data.encode import OneHotScaled
from venire.models.few_rows import FEW_ROWS

Floats = NDArray[np.float64]
Said = NDArray[Any]
Say = Callable[[Floats], Said]


class Encoder:
    """The steps before a member's last. What was encoded last is kept, for the next member that asks for the same."""

    def __init__(self, steps: Sequence[Any]) -> None:
        self.steps = steps
        self.fills = [type(step) for step in steps] == [OneHotScaled]  # no gaps, and [row, column] by rows
        self._kept: tuple[Floats, Floats] | None = None

    def __call__(self, X: Floats) -> Floats:
        """The rows as the last step takes them."""
        kept = self._kept
        if kept is not None and kept[0] is X:
            return kept[1]
        found = X
        for step in self.steps:
            found = step.encoded(found) if type(step) is OneHotScaled else step.transform(found)
        if len(X) <= FEW_ROWS:
            self._kept = (X, found)  # both at once: another thread sees the old pair or the new one
        return found

    def same(self, other: Encoder) -> bool:
        """Whether both give the same numbers."""
        return len(self.steps) == len(other.steps) and all(map(_alike, self.steps, other.steps))


class Member:
    """One member. `apart` says that it is asked for the rows of each request alone, also where several are together."""

    def __init__(self, whole: Any, encoder: Encoder, last: Any) -> None:
        self.whole = whole
        self.apart = False
        self._encoder = encoder
        self._last = last
        self._parts: Sequence[Floats] = ()
        quick = _quick_number(last) if encoder.fills else None
        self._say: Say = last.predict if quick is None else quick

    def predict(self, X: Floats) -> Said:
        """What the member's own `predict` says."""
        return self._said(self._say, X)

    def of(self, parts: Sequence[Floats]) -> Member:
        """The same member for rows that are these parts, one below the other."""
        if not self.apart:
            return self
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._parts = parts
        return other

    def _said(self, say: Say, X: Floats) -> Said:
        if not self._parts:
            return say(self._encoder(X))
        if not self._encoder.fills:
            return np.concatenate([say(self._encoder(part)) for part in self._parts])
        rows, found, at = self._encoder(X), [], 0
        for part in self._parts:
            found.append(say(rows[at : at + len(part)]))
            at += len(part)
        return np.concatenate(found)


class SharesMember(Member):
    """A member with probabilities."""

    def __init__(self, whole: Any, encoder: Encoder, last: Any) -> None:
        super().__init__(whole, encoder, last)
        self.classes_ = whole.classes_
        quick = _quick_shares(last) if encoder.fills else None
        self._share: Say = last.predict_proba if quick is None else quick

    def predict_proba(self, X: Floats) -> Said:
        """What the member's own `predict_proba` says."""
        return self._said(self._share, X)


class ScoresMember(Member):
    """A member with scores, and without probabilities."""

    def decision_function(self, X: Floats) -> Said:
        """What the member's own `decision_function` says."""
        return self._said(self._last.decision_function, X)


def prepared_members(wholes: Sequence[Any]) -> list[Member]:
    """Fitted members, each ready to be asked often."""
    encoders: list[Encoder] = []
    found: list[Member] = []
    for whole in wholes:
        steps = [step for _, step in whole.steps] if type(whole) is Pipeline else [whole]
        if any(step is None or isinstance(step, str) for step in steps):
            steps = [whole]
        encoder = Encoder(steps[:-1])
        encoder = next((each for each in encoders if each.same(encoder)), encoder)
        encoders.append(encoder)
        found.append(_kind(whole)(whole, encoder, steps[-1]))
    return found


def plain_member(whole: Any) -> Member:
    """A member that is asked in its own way."""
    return _kind(whole)(whole, Encoder(()), whole)


def _kind(whole: Any) -> type[Member]:
    if hasattr(whole, "predict_proba"):
        return SharesMember
    return ScoresMember if hasattr(whole, "decision_function") else Member


def _quick_shares(model: Any) -> Say | None:
    """Probabilities of a model whose own checks take longer than its sums; None where it is asked as it is."""
    if type(model) is not LogisticRegression:
        return None
    weights, intercepts, two = model.coef_.T, model.intercept_, len(model.classes_) == 2

    def say(X: Floats) -> Said:
        scores = X @ weights + intercepts
        if not math.isfinite(scores.sum()):
            return np.asarray(model.predict_proba(X))  # which says what is wrong
        if not two:
            return np.asarray(softmax(scores, copy=False))
        second = expit(scores[:, 0])
        return np.stack([1 - second, second], axis=1)

    return say


def _quick_number(model: Any) -> Say | None:
    if type(model) is not Ridge:
        return None
    weights, intercept = model.coef_.T, model.intercept_

    def say(X: Floats) -> Said:
        found = np.asarray(X @ weights + intercept)
        return found if math.isfinite(found.sum()) else np.asarray(model.predict(X))

    return say


def _alike(one: Any, other: Any) -> bool:
    """Whether two encoders have learned the same: of our own kind, with the same arrays."""
    if type(one) is not type(other) or type(one) is not OneHotScaled:
        return one is other
    here, there = vars(one), vars(other)
    return here.keys() == there.keys() and all(_equal(here[name], there[name]) for name in here)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and len(one) == len(other) and all(map(_equal, one, other))
    return type(one) is type(other) and bool(one == other)
