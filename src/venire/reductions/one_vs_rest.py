"""One against the rest: k classes by k two-class models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.rows import checked, checked_weights, row_count
from venire.ensembles.two_class import ask_all, fit_columns
from venire.errors import UsageError
from venire.reductions.labels import indicator, is_indicator, label_columns, label_decision
from venire.reductions.two_class_models import TwoClassModels
from venire.reductions.votes import Votes
from venire.states.checked import Fitted
from venire.states.constraints import count, maybe, optional, text

Floats = NDArray[np.float64]


def _gives_probabilities(model: Any) -> bool:
    fitted = getattr(model, "estimators_", None)
    return hasattr(fitted[0] if fitted else model.estimator, "predict_proba") or hasattr(
        model.estimator, "predict_proba"
    )


class OneVsRestClassifier(TwoClassModels):
    """k models, each telling one class from all the others, around any two-class learner.

    A model that says *mine* votes for its class, one that says *not mine* for all the others. Class probabilities are
    the models' own, made to sum to one; they are there when the learner gives any. `votes(X)` shows both kinds of
    votes. With an indicator of labels, `[row, label]`, as target, each model tells one label from its absence. All
    models are fitted on the one table,
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
    verbose
        Taken because scikit-learn's takes it; nothing is printed.

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
    _takes_documents: ClassVar[bool] = True
    _part_words: ClassVar[str] = "classes must"
    _fitted_constraints: ClassVar[Fitted] = {
        **TwoClassModels._fitted_constraints,
        "n_features_in_": optional(count("features")),  # documents have none
        "_label_form": optional(maybe(text("dense", "sparse"))),
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **TwoClassModels._parameter_constraints,
        "verbose": ["verbose"],
    }
    _label_form: str | None = None  # of a target of several labels at once

    def __init__(
        self,
        estimator: Any,
        *,
        voting: str = "weighted",
        keep_votes: bool = False,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.voting = voting
        self.keep_votes = keep_votes
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.verbose = verbose

    @property
    def multilabel_(self) -> bool:
        """Was the target an indicator of labels, of which a row may have several or none?"""
        check_is_fitted(self, "estimators_")
        return self._label_form is not None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the models. `y` holds a class a row, or is an indicator of labels, `[row, label]`, dense or sparse."""
        self._label_form = None
        if not is_indicator(y):
            return super().fit(X, y, sample_weight, **fit_params)
        self._check_parameters()
        if self.costs is not None or self.class_weight is not None or self.keep_votes or self.voting == "crisp":
            raise UsageError(
                "costs, class_weight, keep_votes and crisp votes are for one class a row, and y has several labels",
                hint="leave them out",
            )
        X = checked(self, X, reset=True)
        y = y if issparse(y) else np.asarray(y)
        check_consistent_length(X, y)
        weights = checked_weights(sample_weight, row_count(X))
        params = self._routed(weights, fit_params)["estimator"]
        self.classes_, self._costs = np.arange(y.shape[1]), None
        self.estimators_ = fit_columns(self.estimator, X, label_columns(y), params, self.n_jobs)
        self._label_form = "sparse" if issparse(y) else "dense"
        return self

    def _model_count(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _parts(self, codes: NDArray[np.intp]) -> Iterator[tuple[None, NDArray[np.intp]]]:
        chosen = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        return ((None, (codes == k).astype(np.intp)) for k in chosen)

    def decision_function(self, X: Any) -> Floats:
        """The votes that decide; with two classes, those of the second less those of the first.

        Of labels, the decision values of their models: above 0, the row has the label.
        """
        if self._label_form is None:
            return super().decision_function(X)
        X = self._rows(X)
        return np.column_stack([label_decision(member, X) for member in self.estimators_])

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
        mirrored = self._label_form is None and len(self.classes_) == 2
        return np.hstack([1 - predicted, predicted]) if mirrored else predicted

    def votes(self, X: Any) -> Votes:
        """The crisp and the weighted votes for every class."""
        if self._label_form is not None:
            raise UsageError("votes are for one class a row, and this model knows labels", hint="use predict_proba")
        predicted = self._predicted(X)
        mine = (predicted > 0.5).astype(np.float64)
        if len(self.classes_) == 2:
            mine[:, 0] = 1 - mine[:, 1]
        others = (1 - mine).sum(axis=1, keepdims=True) - (1 - mine)
        return Votes(mine + others, predicted)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the most votes, or with `costs` the one of least expected cost; of labels, an indicator."""
        check_is_fitted(self)
        if self._label_form is not None:
            labels: NDArray[Any] = indicator(self._predicted(X), sparse=self._label_form == "sparse")
            return labels
        if self._costs is not None:
            return self._decide(self._shares(X))
        winners = self._predicted(X).argmax(axis=1) if self.voting == "weighted" else self.votes(X).winners(crisp=True)
        return np.asarray(self.classes_[winners])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The models' probabilities, made to sum to one; equal shares where all say no. Of labels, each model's own."""
        return self._predicted(X) if self._label_form is not None else self._shares(X)

    def _shares(self, X: Any) -> Floats:
        predicted = self._predicted(X)
        total = predicted.sum(axis=1, keepdims=True)
        return np.where(total > 0, predicted / np.where(total > 0, total, 1.0), 1.0 / predicted.shape[1])
