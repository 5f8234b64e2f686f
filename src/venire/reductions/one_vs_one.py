"""One against one: k classes by k(k − 1)/2 models, one a pair of classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.base import part_of
from venire.ensembles.members import fit_classifier
from venire.ensembles.rows import take_rows
from venire.ensembles.two_class import ask_all, in_turn, looked_through, says_one
from venire.reductions.coupling import couple
from venire.reductions.two_class_models import TwoClassModels
from venire.reductions.votes import Votes
from venire.states.checked import Fitted
from venire.states.constraints import array, maybe, optional, sequence

Floats = NDArray[np.float64]
_LEAST: Final = 1e-15  # a decision value of ±34.5; what is beyond breaks no tie


def _gives_probabilities(model: Any) -> bool:
    return hasattr(model.estimator, "predict_proba")


class OneVsOneClassifier(TwoClassModels):
    """A model for every pair of classes, around any two-class learner, fitted on the rows of that pair.

    Each model votes for one class of its pair. `predict_proba` couples the pairs' probabilities (Wu, Lin and Weng); it
    is there when the learner gives any. `votes(X)` shows both kinds of votes.

    A model gets the rows of its two classes, in the order of the table, and no more.

    Parameters
    ----------
    estimator
        The learner.
    voting
        `"crisp"` counts the votes, ties being broken by the sums of decision values, or the weighted votes;
        `"weighted"` adds up how strongly they
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
    _part_words: ClassVar[str] = "it must"
    _fitted_constraints: ClassVar[Fitted] = {
        **TwoClassModels._fitted_constraints,
        "pairwise_indices_": optional(maybe(sequence(array("i8", None, low=0)))),
    }
    pairwise_indices_: list[NDArray[np.intp]] | None

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
        self.pairwise_indices_ = None
        if get_tags(self.estimator).input_tags.pairwise:
            return self._fit_on_kernel(X, codes, params)
        return self._fit_on_rows(X, codes, params)

    def _fit_on_kernel(self, X: Any, codes: NDArray[np.intp], params: dict[str, Any]) -> Iterable[Any]:
        """A kernel matrix has a column a row: a model gets the rows and the columns of its classes."""
        parts = list(self._parts(codes))
        self.pairwise_indices_ = [rows for rows, _ in parts]
        tasks = (
            ("a pair", clone(self.estimator), X[np.ix_(rows, rows)], target, part_of(params, rows, len(codes)))
            for rows, target in parts
        )
        return in_turn(fit_classifier, tasks, self.n_jobs)

    def _model_count(self) -> int:
        return len(self.classes_) * (len(self.classes_) - 1) // 2

    def _parts(self, codes: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        for i, j in zip(*np.triu_indices(len(self.classes_), k=1), strict=True):
            rows = np.flatnonzero((codes == i) | (codes == j))
            yield rows, (codes[rows] == j).astype(np.intp)

    def _fit_on_rows(self, X: Any, codes: NDArray[np.intp], params: dict[str, Any]) -> Iterable[Any]:
        first, second = np.triu_indices(len(self.classes_), k=1)
        rows_of = [np.flatnonzero(codes == k) for k in range(len(self.classes_))]
        with looked_through(X, self.estimator) as table:
            tasks = (
                (
                    f"{self.classes_[i]} against {self.classes_[j]}",
                    clone(self.estimator),
                    table,
                    codes,
                    (rows_of[i], rows_of[j]),
                    params,
                )
                for i, j in zip(first, second, strict=True)
            )
            yield from in_turn(_fit_pair, tasks, self.n_jobs)

    def _predicted(self, X: Any) -> Floats:
        """How strongly each pair's model speaks for its second class, [row, pair]."""
        X = self._rows(X)
        if getattr(self, "pairwise_indices_", None) is not None:
            parts = zip(self.estimators_, self.pairwise_indices_ or [], strict=True)
            return np.column_stack([says_one(member, X[:, columns]) for member, columns in parts])
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

    def _deciding(self, X: Any) -> Floats:
        """The figures of which the largest wins, [row, class]."""
        predicted = self._predicted(X)
        votes = self._counted(predicted)
        if self.voting != "crisp" or not hasattr(self.estimator, "decision_function"):
            return votes.deciding(crisp=self.voting == "crisp")
        # As scikit-learn does it: plus or minus less than a third by the sum of the decision values, for ties.
        values = logit(np.clip(predicted, _LEAST, 1 - _LEAST))
        sums = np.zeros_like(votes.crisp)
        for pair, (i, j) in enumerate(zip(*np.triu_indices(len(self.classes_), k=1), strict=True)):
            sums[:, i] -= values[:, pair]
            sums[:, j] += values[:, pair]
        return np.asarray(votes.crisp + sums / (3 * (np.abs(sums) + 1)))

    def decision_function(self, X: Any) -> Floats:
        """The votes, and what breaks their ties; with two classes, those of the second less those of the first."""
        figures = self._deciding(X)
        return np.asarray(figures[:, 1] - figures[:, 0]) if figures.shape[1] == 2 else figures

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, or with `costs` the one of least expected cost."""
        check_is_fitted(self)
        if self._costs is None:
            return np.asarray(self.classes_[self._deciding(X).argmax(axis=1)])
        if _gives_probabilities(self):
            return self._decide(self.predict_proba(X))
        weighted = self.votes(X).weighted
        return self._decide(weighted / weighted.sum(axis=1, keepdims=True))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The pairs' probabilities, coupled into one for each class."""
        return couple(self._predicted(X), len(self.classes_))


def _fit_pair(
    name: str, member: Any, X: Any, codes: NDArray[np.intp], pair: tuple[Any, Any], params: dict[str, Any]
) -> Any:
    """Fit a model on the rows of two classes, in the order that they have in the table."""
    rows = np.sort(np.concatenate(pair))
    target = (codes[rows] == codes[pair[1][0]]).astype(np.intp)
    return fit_classifier(name, member, take_rows(X, rows), target, part_of(params, rows, len(codes)))
