"""Many two-class problems on one table: fitting them without copying it, and reading what the members say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.special import expit
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import BaseDecisionTree
from sklearn.utils.parallel import Parallel, delayed

from venire.ensembles.members import fit_classifier
from venire.ensembles.rows import row_count

Floats = NDArray[np.float64]


@contextmanager
def looked_through(X: Any, estimator: Any) -> Iterator[Any]:
    """The rows as many members like `estimator` take them without copying or looking for gaps again.

    An array without gaps is looked through once, not once a member; scikit-learn's trees work on float32 and would
    each make a copy of their own.
    """
    plain = isinstance(X, np.ndarray) and X.dtype.kind in "fiub"
    if not plain or not np.isfinite(X).all():
        yield X
        return
    if isinstance(estimator, BaseDecisionTree) and X.dtype != np.float32:
        with np.errstate(over="ignore"):
            narrow = X.astype(np.float32)
        if not np.isfinite(narrow).all():  # too large for a tree, which will say so
            yield X
            return
        X = narrow
    with config_context(assume_finite=True):
        yield X


def in_turn(work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_jobs: int | None) -> Iterator[Any]:
    """What the work gives for each task, in order.

    One job does without joblib's machinery, which hundreds of small models would notice.
    """
    if effective_n_jobs(n_jobs) == 1:
        return (work(*task) for task in tasks)
    found: Iterator[Any] = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(work)(*task) for task in tasks)
    return found


def fit_columns(
    estimator: Any, X: Any, targets: Iterable[tuple[str, NDArray[Any]]], params: dict[str, Any], n_jobs: int | None
) -> list[Any]:
    """One copy of the estimator for each named target of zeros and ones, all on the same rows."""
    with looked_through(X, estimator) as rows:
        tasks = ((name, clone(estimator), rows, y, params) for name, y in targets)
        return list(in_turn(fit_classifier, tasks, n_jobs))


def says_one(member: Any, X: Any) -> Floats:
    """How strongly a member speaks for 1, between 0 and 1; above ½ is a vote for it.

    Its probability where it gives one, else its decision value through the logistic function, else its bare label. A
    regressor's number speaks for 1 above ½, the more the larger it is.
    """
    known = getattr(member, "classes_", None)
    if known is None and not hasattr(member, "decision_function") and not hasattr(member, "predict_proba"):
        return np.asarray(expit(4 * (np.asarray(member.predict(X), dtype=np.float64).ravel() - 0.5)))
    if known is not None and len(known) == 1:
        return np.full(X.shape[0], float(member.classes_[0]))
    # The probability of a logistic model is its decision value through that function, and the latter is cheaper.
    if hasattr(member, "predict_proba") and not isinstance(member, LogisticRegression):
        return np.asarray(member.predict_proba(X)[:, 1], dtype=np.float64)
    if hasattr(member, "decision_function"):
        return np.asarray(expit(np.asarray(member.decision_function(X), dtype=np.float64).ravel()))
    return np.asarray(member.predict(X), dtype=np.float64)


def ask_all(members: list[Any], X: Any, estimator: Any, n_jobs: int | None) -> Floats:
    """What every member says, [row, member]."""
    with looked_through(X, estimator) as rows:
        predicted = np.empty((row_count(X), len(members)), order="F")
        for column, one in enumerate(in_turn(says_one, ((member, rows) for member in members), n_jobs)):
            predicted[:, column] = one
    return predicted
