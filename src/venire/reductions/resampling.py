"""Rare classes by resampling: under, over, anything in between, or by weight, of training rows only."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from venire.ensembles.bagging.draw import MOST_SEED
from venire.ensembles.base import MetaClassifier, part_of
from venire.ensembles.members import fit_classifier, probabilities, seeded
from venire.ensembles.rows import take_rows
from venire.errors import DataError, UsageError
from venire.sklearn_private import HasMethods, Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, learner, of_type

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

NAMED_RATIOS = {"under": 0.0, "over": 1.0}


def resampled_rows(y: ArrayLike, ratio: float, rng: np.random.Generator) -> Rows:
    """Rows that give every class the same size, between that of the rarest (`ratio` 0) and of the commonest (1).

    A class that is too large loses rows at random. One that is too small keeps all of its rows, each copied equally
    often, and what is then still missing is drawn without replacement.

    >>> y = np.array([0, 0, 0, 0, 0, 0, 1, 0, 1, 0])
    >>> rng = np.random.default_rng(0)
    >>> [np.bincount(y[resampled_rows(y, ratio, rng)]).tolist() for ratio in (0.0, 0.5, 1.0)]
    [[2, 2], [5, 5], [8, 8]]
    """
    _, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    smallest, largest = int(counts.min()), int(counts.max())
    size = round(smallest + ratio * (largest - smallest))
    parts = []
    for code, count in enumerate(counts.tolist()):
        own = np.flatnonzero(codes == code)
        copies, missing = divmod(size, count)
        parts += [np.tile(own, copies), rng.permutation(own)[:missing]]
    return np.sort(np.concatenate(parts))


def rows_by_weight(weights: Floats, rng: np.random.Generator) -> Rows:
    """As many rows as there are, drawn with replacement in proportion to their weights."""
    return np.sort(rng.choice(len(weights), len(weights), p=weights / weights.sum()))


def corrected(shares: Floats, was: Floats, became: Floats) -> Floats:
    """Probabilities learned where the classes had the shares `became`, for rows where they have the shares `was`.

    Bayes' rule: the evidence of the row stays, the prior odds change. A class that had no share stays at 0.

    >>> corrected(np.array([[0.5, 0.5]]), np.array([0.9, 0.1]), np.array([0.5, 0.5]))
    array([[0.9, 0.1]])
    """
    factor = np.divide(was, became, out=np.zeros_like(was), where=became > 0)
    moved = shares * factor
    total = moved.sum(axis=1, keepdims=True)
    return np.where(total > 0, moved / np.where(total > 0, total, 1.0), was)


def _gives_probabilities(model: Any) -> bool:
    return hasattr(model.estimator, "predict_proba")


class Resampled(MetaClassifier):
    """A classifier fitted on resampled rows, which speaks about rows as they were.

    `strategy` is

    - `"under"`: the larger classes lose rows until all are as large as the rarest;
    - `"over"`: rows of the smaller classes are copied until all are as large as the commonest;
    - a number between 0 (as `"under"`) and 1 (as `"over"`): every class gets a size that far between;
    - `"weights"`: as many rows as there were, drawn in proportion to example times class weight;
    - a sampler of imbalanced-learn, or anything else with `fit_resample(X, y)`.

    Only what it is fitted on is resampled: inside a cross-validation the held-out rows stay as they are. `predict` is
    the decision of the model so trained, as if the classes had the shares of the resampled rows, unless there are
    `costs`.

    Parameters
    ----------
    estimator
        Any classifier.
    strategy
        How rows are resampled, see above.
    correct
        Correct `predict_proba` back to the shares the classes had; False leaves it as learned.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`: `predict` then gives the class of least expected cost by the corrected
        probabilities.
    random_state
        A seed or a random generator; None for another result each time.

    Attributes
    ----------
    counts_, resampled_counts_
        The rows of each class, before and after.
    estimator_
        The fitted model.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.arange(10.0)[:, None]
    >>> y = np.array(["normal"] * 8 + ["rare"] * 2)
    >>> model = Resampled(GaussianNB(), "over", random_state=0).fit(X, y)
    >>> model.counts_, model.resampled_counts_
    ({'normal': 8, 'rare': 2}, {'normal': 8, 'rare': 8})
    >>> model.predict([[7.4]]), model.predict_proba([[7.4]]).round(2)
    (array(['rare'], dtype='<U6'), array([[0.7, 0.3]]))
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "counts_": of_type(dict),
        "resampled_counts_": of_type(dict),
        "_was": array("f8", "classes", low=0),
        "_became": array("f8", "classes", low=0),
        "estimator_": learner,
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "strategy": [
            StrOptions({"under", "over", "weights"}),
            Interval(Real, 0, 1, closed="both"),
            HasMethods(["fit_resample"]),
        ],
        "correct": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "random_state": ["random_state"],
    }

    estimator_: Any
    counts_: dict[Any, int]
    resampled_counts_: dict[Any, int]

    def __init__(
        self,
        estimator: Any,
        strategy: Any = "under",
        *,
        correct: bool = True,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.strategy = strategy
        self.correct = correct
        self.class_weight = class_weight
        self.costs = costs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Resample, then fit."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        by_weight = isinstance(self.strategy, str) and self.strategy == "weights"
        if by_weight and weights is None:
            raise UsageError(
                "strategy='weights' draws rows by their weights, and there are none",
                hint="give sample_weight to fit, or class_weight='balanced'",
            )
        params = self._routed(None if by_weight else weights, fit_params)["estimator"]
        seed = int(check_random_state(self.random_state).randint(MOST_SEED))
        if hasattr(self.strategy, "fit_resample"):
            part, labels, params = self._sampled(X, y, params)
        else:
            rows = self._drawn(y, weights, np.random.default_rng(seed))
            part, labels, params = take_rows(X, rows), y[rows], part_of(params, rows, len(y))
        self._remember(y, labels, None if by_weight else weights, params)
        self.estimator_ = fit_classifier("estimator", seeded(self.estimator, seed), part, labels, params)
        return self

    def _drawn(self, y: NDArray[Any], weights: Floats | None, rng: np.random.Generator) -> Rows:
        if isinstance(self.strategy, str) and self.strategy == "weights":
            assert weights is not None  # checked in `fit`
            return rows_by_weight(weights, rng)
        ratio = NAMED_RATIOS[self.strategy] if isinstance(self.strategy, str) else float(self.strategy)
        return resampled_rows(y, ratio, rng)

    def _sampled(self, X: Any, y: NDArray[Any], params: dict[str, Any]) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        """What a sampler makes of the rows. It may invent rows, and those have no weight of their own."""
        if params:
            raise UsageError(
                f"a sampler makes new rows, which have no {', '.join(sorted(params))}",
                hint="use strategy 'under', 'over', 'weights' or a ratio with weights",
            )
        part, labels = self.strategy.fit_resample(X, y)
        labels = np.asarray(labels)
        if not np.isin(labels, self.classes_).all() or not len(labels):
            raise DataError(f"{type(self.strategy).__name__} gave back other classes than it was given", code="sampler")
        return part, labels, {}

    def _remember(self, y: NDArray[Any], labels: NDArray[Any], weights: Floats | None, params: dict[str, Any]) -> None:
        """How many rows of each class there were and are, and which share of the weight they carry."""
        names = self.classes_.tolist()
        before, after = self._codes(y), self._codes(labels)
        self.counts_ = dict(zip(names, np.bincount(before, minlength=len(names)).tolist(), strict=True))
        self.resampled_counts_ = dict(zip(names, np.bincount(after, minlength=len(names)).tolist(), strict=True))
        carried = next((value for key, value in params.items() if key.endswith("sample_weight")), None)
        self._was = _shares(before, None if carried is None else weights, len(names))
        self._became = _shares(after, carried, len(names))

    def predict(self, X: Any) -> NDArray[Any]:
        """What the model trained on the resampled rows says; with `costs`, the class of least expected cost."""
        X = self._rows(X)
        if self._costs is None:
            return np.asarray(self.estimator_.predict(X))
        return self._decide(self._probabilities(X))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, corrected to the shares that the classes had before resampling."""
        X = self._rows(X)
        return self._probabilities(X)

    def _probabilities(self, X: Any) -> Floats:
        shares = probabilities(self.estimator_, X, self.classes_)
        return corrected(shares, self._was, self._became) if self.correct else shares


def _shares(codes: NDArray[np.intp], weights: Any, classes: int) -> Floats:
    counts = np.bincount(codes, weights=weights, minlength=classes)
    return np.asarray(counts / counts.sum(), dtype=np.float64)
