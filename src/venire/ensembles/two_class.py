"""Many two-class problems on one table: fitting them without copying it, and reading what the members say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn import config_context
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from venire.ensembles.members import fit_classifier

Floats = NDArray[np.float64]


@contextmanager
def looked_through(X: Any) -> Iterator[None]:
    """Within, members need not look for gaps again: an array without any is looked through once, not once a member."""
    plain = isinstance(X, np.ndarray) and X.dtype.kind in "fiub"
    if plain and (X.dtype.kind != "f" or np.isfinite(X).all()):
        with config_context(assume_finite=True):
            yield
    else:
        yield


def fit_columns(
    estimator: Any, X: Any, targets: Iterable[tuple[str, NDArray[Any]]], params: dict[str, Any], n_jobs: int | None
) -> list[Any]:
    """One copy of the estimator for each named target of zeros and ones, all on the same rows."""
    jobs = (delayed(fit_classifier)(name, clone(estimator), X, y, params) for name, y in targets)
    with looked_through(X):
        return list(Parallel(n_jobs=n_jobs)(jobs))


def says_one(member: Any, X: Any) -> Floats:
    """How strongly a member speaks for 1, between 0 and 1; above ½ is a vote for it.

    Its probability where it gives one, else its decision value through the logistic function, else its bare label.
    """
    if len(member.classes_) == 1:
        return np.full(X.shape[0], float(member.classes_[0]))
    if hasattr(member, "predict_proba"):
        return np.asarray(member.predict_proba(X)[:, 1], dtype=np.float64)
    if hasattr(member, "decision_function"):
        return np.asarray(expit(np.asarray(member.decision_function(X), dtype=np.float64).ravel()))
    return np.asarray(member.predict(X), dtype=np.float64)


def ask_all(members: list[Any], X: Any, n_jobs: int | None) -> Floats:
    """What every member says, [row, member]."""
    with looked_through(X):
        said = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(says_one)(member, X) for member in members)
        return np.stack(list(said), axis=1)
