"""Other people's estimators at their worst, in a module that worker processes can import."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path
from typing import Any, Self

import numpy as np

from tests.validation.estimators import Slow


class Odd(BaseException):
    """No `Exception`, so that few catch it; it cannot even say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Exits(Slow):
    """Ends the program, as scripts do."""

    def fit(self, X: Any, y: Any) -> Self:
        sys.exit("enough")


class Escapes(Slow):
    """Raises what nobody expects."""

    def fit(self, X: Any, y: Any) -> Self:
        raise Odd


class Leaves(Slow):
    """Ends its process without a word."""

    def fit(self, X: Any, y: Any) -> Self:
        os._exit(7)


class Crashes(Slow):
    """Reads where there is nothing, as native code may."""

    def fit(self, X: Any, y: Any) -> Self:
        ctypes.string_at(0)
        return self


class Greedy(Slow):
    """Takes memory without end."""

    def fit(self, X: Any, y: Any) -> Self:
        taken = []
        while True:
            taken.append(np.ones(1 << 23))


class Prints(Slow):
    """Writes to stdout, in Python's way and past Python."""

    def fit(self, X: Any, y: Any) -> Self:
        print("fitting", len(X), flush=True)  # noqa: T201  # that is what it does wrong
        os.write(1, b"native noise\n")
        return super().fit(X, y)


class Meddles(Slow):
    """Changes the rows that it is given, to learn from and to predict."""

    def fit(self, X: Any, y: Any) -> Self:
        X[:] = 0.0
        y[:] = 0
        return super().fit(X, np.arange(len(y)) % 2)

    def predict_proba(self, X: Any) -> Any:
        X[:] = np.nan
        return super().predict_proba(X)


class Gaps(Slow):
    """Probabilities with gaps in them."""

    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X) * np.nan


class Narrow(Slow):
    """One column of probabilities for two classes."""

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 1), 0.4)


class Mislabels(Slow):
    """A class that does not exist, and that 16 bits would make the first one of."""

    def predict(self, X: Any) -> Any:
        return np.full(len(X), 65536)


class Holds(Slow):
    """Is given something that belongs to one process."""

    def __init__(self, held: Any = None, random_state: int = 0) -> None:
        super().__init__(random_state=random_state)
        self.held = held


class WillNotUnpack(Slow):
    """Cannot be put together again in another process."""

    def __setstate__(self, state: Any) -> None:
        raise SystemExit("not here")


class Marks(Slow):
    """Says in a file that it has begun, and does not come back."""

    def __init__(self, file: str = "", random_state: int = 0) -> None:
        super().__init__(random_state=random_state)
        self.file = file

    def fit(self, X: Any, y: Any) -> Self:
        Path(self.file).touch()
        time.sleep(600)
        return self


class Turned(Slow):
    """Learns the sign of the first column, and does something else where labels are turned round, as a check does."""

    def fit(self, X: Any, y: Any) -> Self:
        if np.corrcoef(X[:, 0], y)[0, 1] < 0:
            self.misbehave()
        return super().fit(X, y)

    def predict_proba(self, X: Any) -> Any:
        second = X[:, 0] > 0
        return np.stack([~second, second], axis=1).astype(float)

    def misbehave(self) -> None:
        raise SystemExit(5)


class LeavesWhenTurned(Turned):
    """Ends its process then."""

    def misbehave(self) -> None:
        os._exit(9)


class SleepsWhenTurned(Turned):
    """Does not come back then."""

    def misbehave(self) -> None:
        time.sleep(600)
