"""One against one: k classes by k(k − 1)/2 models, one a pair of classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.base import part_of
from venire.ensembles.members import fit_classifier
from venire.ensembles.rows import take_rows
from venire.ensembles.two_class import ask_all, in_turn, looked_through
from venire.reductions.coupling import couple
from venire.reductions.two_class_models import TwoClassModels
from venire.reductions.votes import Votes

Floats = NDArray[np.float64]


def _gives_probabilities(model: Any) -> bool:
    return hasattr(model.estimator, "predict_proba")


class OneVsOneClassifier(TwoClassModels):
    """A model for every pair of classes, around any two-class learner, fitted on the rows of that pair.

    Each model votes for one class of its pair. `predict_proba` couples the pairs' probabilities (Wu, Lin and Weng); it
    is there when the learner gives any. `votes(X)` shows both kinds of votes.

    The rows are sorted by class once; a model gets the rows of its two classes and no more.

    Parameters
    ----------
    estimator
        The learner.
    voting
        `"crisp"` counts the votes, ties being broken by the weighted votes; `"weighted"` adds up how strongly they
        were cast (the probability, or the decision value through the logistic function).
    keep_votes
        Keep the votes on the training rows as `votes_`.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many models are fitted at once; it changes nothing but the time.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OneVsOneClassifier(LogisticRegression(max_iter=1000)).fit(X, y)
    >>> len(model.estimators_), model.votes(X[:1]).crisp, model.predict_proba(X[:1]).round(2)
    (3, array([[2., 1., 0.]]), array([[0.98, 0.02, 0.  ]]))
    """

    _words: ClassVar[str] = "one against one"

    def __init__(
        self,
        estimator: Any,
        *,
        voting: str = "crisp",
        keep_votes: bool = False,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.voting = voting
        self.keep_votes = keep_votes
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @property
    def pairs_(self) -> list[tuple[Any, Any]]:
        """The classes of each model, in the order of `estimators_`; it says 1 for the second."""
        first, second = np.triu_indices(len(self.classes_), k=1)
        return list(zip(self.classes_[first].tolist(), self.classes_[second].tolist(), strict=True))

    def _fit_models(self, X: Any, codes: NDArray[np.intp], params: dict[str, Any]) -> Iterable[Any]:
        """One model a pair of classes."""
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes))
        starts = np.concatenate([[0], ends[:-1]])
        params = part_of(params, order, len(codes))
        first, second = np.triu_indices(len(self.classes_), k=1)
        with looked_through(X, self.estimator) as rows:
            by_class = take_rows(rows, order)
            tasks = (
                (
                    f"{self.classes_[i]} against {self.classes_[j]}",
                    clone(self.estimator),
                    by_class,
                    (starts[i], ends[i], starts[j], ends[j]),
                    params,
                )
                for i, j in zip(first, second, strict=True)
            )
            yield from in_turn(_fit_pair, tasks, self.n_jobs)

    def _predicted(self, X: Any) -> Floats:
        """How strongly each pair's model speaks for its second class, [row, pair]."""
        X = self._rows(X)
        return ask_all(self.estimators_, X, self.estimator, self.n_jobs)

    def votes(self, X: Any) -> Votes:
        """The crisp and the weighted votes for every class."""
        return self._counted(self._predicted(X))

    def _counted(self, predicted: Floats) -> Votes:
        classes = len(self.classes_)
        crisp, weighted = np.zeros((2, len(predicted), classes))
        for pair, (i, j) in enumerate(zip(*np.triu_indices(classes, k=1), strict=True)):
            won = predicted[:, pair] > 0.5
            crisp[:, i] += ~won
            crisp[:, j] += won
            weighted[:, i] += 1 - predicted[:, pair]
            weighted[:, j] += predicted[:, pair]
        return Votes(crisp, weighted)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, or with `costs` the one of least expected cost."""
        check_is_fitted(self)
        if self._costs is None:
            winners = self.votes(X).winners(crisp=self.voting == "crisp")
            return np.asarray(self.classes_[winners])
        if _gives_probabilities(self):
            return self._decide(self.predict_proba(X))
        weighted = self.votes(X).weighted
        return self._decide(weighted / weighted.sum(axis=1, keepdims=True))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The pairs' probabilities, coupled into one for each class."""
        return couple(self._predicted(X), len(self.classes_))


def _fit_pair(name: str, member: Any, by_class: Any, bounds: tuple[int, int, int, int], params: dict[str, Any]) -> Any:
    """Fit a model on the rows of two classes, given a table sorted by class and where the two begin and end."""
    i, i_end, j, j_end = bounds
    target = np.concatenate([np.zeros(i_end - i, dtype=np.intp), np.ones(j_end - j, dtype=np.intp)])
    rows = np.concatenate([np.arange(i, i_end), np.arange(j, j_end)])
    if isinstance(by_class, np.ndarray):
        part = by_class[i:j_end] if i_end == j else np.concatenate([by_class[i:i_end], by_class[j:j_end]])
    else:
        part = take_rows(by_class, rows)
    return fit_classifier(name, member, part, target, part_of(params, rows, by_class.shape[0]))
