"""What members say of rows they were not fitted on: a hold-out part, or every row once by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from venire.ensembles.base import part_of
from venire.ensembles.members import Named, speaking_of
from venire.ensembles.rows import take_rows
from venire.errors import DataError, UsageError, VenireWarning

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
Pair = tuple[Rows, Rows]  # the rows a member is trained on, and those held out
Say = Callable[[str, Any, Any], Floats]  # (name, fitted member, rows) → [round, row, output]
Fit = Callable[[str, Any, Any, NDArray[Any], dict[str, Any]], Any]


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """Pairs of training and held-out rows; no row is held out twice."""

    pairs: tuple[Pair, ...]

    @property
    def rows(self) -> Rows:
        """All held-out rows, in the order in which the predictions come."""
        return np.concatenate([test for _, test in self.pairs])

    @property
    def holdout(self) -> bool:
        """Whether there is one part only."""
        return len(self.pairs) == 1


def parts_of(cv: Any, X: Any, y: NDArray[Any], *, classes: bool, random_state: Any) -> Parts:
    """Folds for a whole number, a hold-out part for a share between 0 and 1, or what a splitter gives.

    Rows are shuffled, and every class is spread evenly as far as it goes.
    """
    _warn_of_lonely_classes(y, classes)
    splitter = _splitter(cv, classes, random_state)
    try:
        with warnings.catch_warnings():
            # A class with fewer rows than folds is spread as far as it goes; what that means is said above.
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            pairs = tuple(splitter.split(X, y))
    except ValueError as error:
        raise DataError(
            f"{_name(cv)} cannot divide {len(y)} rows: {error}",
            code="cannot_split",
            hint="use fewer folds, or a larger hold-out part",
        ) from error
    held = np.concatenate([test for _, test in pairs])
    if len(np.unique(held)) < len(held):
        raise UsageError(
            f"{_name(cv)} holds some row out more than once", hint="give a number of folds, or a partition"
        )
    return Parts(pairs)


def _splitter(cv: Any, classes: bool, random_state: Any) -> Any:
    if hasattr(cv, "get_n_splits"):
        return cv
    if isinstance(cv, Iterable) and not isinstance(cv, str):
        return check_cv(cv)  # pairs of training and held-out rows
    seed = check_random_state(random_state).randint(2**31 - 1)
    if isinstance(cv, Integral) and not isinstance(cv, bool) and int(cv) >= 2:
        return (StratifiedKFold if classes else KFold)(int(cv), shuffle=True, random_state=seed)
    if isinstance(cv, Real) and 0 < float(cv) < 1:
        return (StratifiedShuffleSplit if classes else ShuffleSplit)(1, test_size=float(cv), random_state=seed)
    raise UsageError(
        f"cv={cv!r} is neither a number of folds, nor a share to hold out, nor a splitter",
        hint="for example cv=5 for five folds, or cv=0.33 for a third held out",
    )


def _name(cv: Any) -> str:
    return f"cv={cv!r}" if isinstance(cv, Real) or hasattr(cv, "get_n_splits") else "the given cv"


def _warn_of_lonely_classes(y: NDArray[Any], classes: bool) -> None:
    if not classes:
        return
    labels, counts = np.unique(y, return_counts=True)
    lonely = labels[counts == 1]
    if len(lonely):
        names = ", ".join(map(str, lonely[:5]))
        message = f"class {names} has one row only: where it is held out, no member has seen it, and all give it 0"
        warnings.warn(message, VenireWarning, stacklevel=4)


def held_out(
    members: Named,
    X: Any,
    y: NDArray[Any],
    parts: Parts,
    params: dict[str, dict[str, Any]],
    fit: Fit,
    say: Say,
    n_jobs: int | None,
) -> tuple[list[Floats], list[list[Any]]]:
    """What each member says of the held-out rows, [round, row, output] each, and the members fitted on the parts."""
    jobs = (
        delayed(_fit_and_ask)(name, clone(member), X, y, pair, params[name], fit, say)
        for name, member in members
        for pair in parts.pairs
    )
    found = Parallel(n_jobs=n_jobs)(jobs)
    count = len(parts.pairs)
    of_member = [found[m * count : (m + 1) * count] for m in range(len(members))]
    return [_joined([predicted for _, predicted in one]) for one in of_member], [
        [fitted for fitted, _ in one] for one in of_member
    ]


def _joined(predicted: list[Floats]) -> Floats:
    """The parts one after the other. Rounds that some part did not reach are left out of all."""
    rounds = min(len(part) for part in predicted)
    return np.concatenate([part[:rounds] for part in predicted], axis=1)


def _fit_and_ask(
    name: str,
    member: Any,
    X: Any,
    y: NDArray[Any],
    pair: Pair,
    params: dict[str, Any],
    fit: Fit,
    say: Say,
) -> tuple[Any, Floats]:
    train, test = pair
    fitted = fit(name, member, take_rows(X, train), y[train], part_of(params, train, len(y)))
    with speaking_of(name, member, f"predict {len(test)} held-out rows"):
        return fitted, say(name, fitted, take_rows(X, test))
