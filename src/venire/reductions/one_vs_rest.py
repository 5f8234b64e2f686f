"""One against the rest: k classes by k two-class models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.two_class import ask_all, fit_columns
from venire.reductions.two_class_models import TwoClassModels
from venire.reductions.votes import Votes

Floats = NDArray[np.float64]


class OneVsRestClassifier(TwoClassModels):
    """k models, each telling one class from all the others, around any two-class learner.

    A model that says *mine* votes for its class, one that says *not mine* for all the others. Class probabilities are
    the models' own, made to sum to one. `votes(X)` shows both kinds of votes. All models are fitted on the one table,
    which is not copied.

    Parameters
    ----------
    estimator
        The learner.
    voting
        `"weighted"` takes the class whose model is surest (its probability, or its decision value through the
        logistic function); `"crisp"` the class with the most votes, of which there are often several: ties are
        broken by the weighted vote.
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
    >>> model = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(X, y)
    >>> model.votes(X[:1]).crisp, model.predict(X[:1])
    (array([[3., 1., 1.]]), array([0]))
    """

    _words: ClassVar[str] = "one against the rest"

    def __init__(
        self,
        estimator: Any,
        *,
        voting: str = "weighted",
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

    def _fit_models(self, X: Any, codes: NDArray[np.intp], params: dict[str, Any]) -> Iterable[Any]:
        """One model a class."""
        # With two classes a second model would be the mirror image of the first.
        chosen = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        targets = ((f"{self.classes_[k]} against the rest", (codes == k).astype(np.intp)) for k in chosen)
        return fit_columns(self.estimator, X, targets, params, self.n_jobs)

    def _predicted(self, X: Any) -> Floats:
        """How sure each class's model is, [row, class]."""
        X = self._rows(X)
        predicted = ask_all(self.estimators_, X, self.estimator, self.n_jobs)
        return np.hstack([1 - predicted, predicted]) if len(self.classes_) == 2 else predicted

    def votes(self, X: Any) -> Votes:
        """The crisp and the weighted votes for every class."""
        predicted = self._predicted(X)
        mine = (predicted > 0.5).astype(np.float64)
        if len(self.classes_) == 2:
            mine[:, 0] = 1 - mine[:, 1]
        others = (1 - mine).sum(axis=1, keepdims=True) - (1 - mine)
        return Votes(mine + others, predicted)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, or with `costs` the one of least expected cost."""
        check_is_fitted(self)
        if self._costs is not None:
            return super().predict(X)
        winners = self._predicted(X).argmax(axis=1) if self.voting == "weighted" else self.votes(X).winners(crisp=True)
        return np.asarray(self.classes_[winners])

    def predict_proba(self, X: Any) -> Floats:
        """The models' probabilities, made to sum to one; equal shares where all say no."""
        predicted = self._predicted(X)
        total = predicted.sum(axis=1, keepdims=True)
        return np.where(total > 0, predicted / np.where(total > 0, total, 1.0), 1.0 / predicted.shape[1])
