"""Neural nets for classes and for numbers: packs of small ones, trained side by side by the compiled core."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from venire.combine.least_cost import decisive_costs
from venire.errors import DataError
from venire.metrics.predictions import least_cost
from venire.models.classes import class_codes
from venire.models.input import CategoricalFeatures, read_fit
from venire.models.net.base import CONSTRAINTS, NETS, Floats, NetBase
from venire.models.net.training import Lesson
from venire.models.tree.growth import combined_weights
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, Fitted
from venire.states.constraints import number

_SMALLEST = float(np.finfo(np.float32).tiny)


class NetClassifier(ClassifierMixin, NetBase):  # type: ignore[misc]  # scikit-learn has no types
    """Neural nets for classes; the mean of the probabilities of several.

    Numbers are scaled by median and middle half, drawn in smoothly where they are far out, and written in pieces
    between quantiles as well; missing ones get a column of their own. Categories become a column each, the 64 most
    frequent ones of a column. Each net is trained by AdamW on the log loss in mini-batches, holds back a part of the
    rows, and keeps the weights of the epoch that did best on it. Parts differ from net to net.

    Parameters
    ----------
    hidden_layer_sizes
        Units of each hidden layer; they give max(0, ·). An empty tuple makes it a linear model.
    n_nets
        How many nets are averaged.
    learning_rate, schedule
        The largest step of AdamW, and how it changes: `"cosine"` rises soon and falls to 0, `"waves"` does so four
        times, each time for twice as long, `"constant"` stays.
    weight_decay
        What AdamW takes from every weight, times the learning rate.
    dropout
        The share of hidden units left out at random in each batch.
    label_smoothing
        The share of a label that is given to all classes alike.
    numeric_bins
        In how many pieces a number is written; 0 for none.
    max_epochs, batch_size
        How often all rows are gone through at most, and how many of them make a step: `"auto"` is a sixteenth of the
        rows, from 16 to 256.
    early_stopping
        Stop when the loss of the part held back has not improved for so many epochs; None to hold nothing back and
        train to the last epoch. With fewer than 20 rows nothing is held back.
    validation_fraction
        The share of rows that each net holds back.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    categorical_features
        Mask, column numbers or names of columns that hold codes; columns of a frame that are categories or strings
        by type are always included.
    random_state
        A seed or a random generator; None for another result each time.
    n_jobs
        Threads, at most one a net. They change nothing but the time.

    Attributes
    ----------
    epochs_
        Of each net the epoch whose weights it has.
    validation_losses_
        Of each net the loss of every epoch on the part it held back.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NetClassifier(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _fitted_constraints: ClassVar[Fitted] = {**NETS, **CLASSES}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CONSTRAINTS,
        "label_smoothing": [Interval(Real, 0.0, 1.0, closed="left")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }

    classes_: NDArray[Any]

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] = (128, 128),
        *,
        n_nets: int = 4,
        learning_rate: float = 0.003,
        schedule: str = "cosine",
        weight_decay: float = 0.01,
        dropout: float = 0.1,
        label_smoothing: float = 0.0,
        numeric_bins: int = 12,
        max_epochs: int = 60,
        batch_size: int | str = "auto",
        early_stopping: int | None = 15,
        validation_fraction: float = 0.15,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.n_nets = n_nets
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.label_smoothing = label_smoothing
        self.numeric_bins = numeric_bins
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.class_weight = class_weight
        self.costs = costs
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[NDArray[Any], Lesson]:
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=False)
        self.classes_, labels = class_codes(y)
        if len(self.classes_) < 2:
            raise DataError(
                f"a net needs at least two classes; the target has one class: {self.classes_[0]!r}",
                code="one_class",
                hint="is the target the right column?",
            )
        self._costs = decisive_costs(self.costs, self.classes_)
        weights = combined_weights(sample_weight, self.class_weight, matrix, y)
        counted = counted_rows(weights)
        kept = Lesson(
            np.empty((0, 0), dtype=np.float32),
            labels[counted],
            None,
            None if weights is None else weights[counted].astype(np.float32),
            len(self.classes_),
        )
        return matrix[counted], kept

    def _learn_target(self, other: Self) -> None:
        _take_columns(self, other)
        self.classes_ = other.classes_
        self._costs = decisive_costs(self.costs, self.classes_)

    def _smoothing(self) -> float:
        return float(self.label_smoothing)

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities in the order of `classes_`."""
        return self._mean(X, classes=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row, or with `costs` the one of least expected cost."""
        return self._labels(self.predict_proba(X))

    def shares_and_labels(self, X: Any) -> tuple[Floats, NDArray[Any]]:
        """What `predict_proba` and `predict` say, of one look at the rows."""
        shares = self.predict_proba(X)
        return shares, self._labels(shares)

    def _labels(self, shares: Floats) -> NDArray[Any]:
        codes = shares.argmax(axis=1) if self._costs is None else least_cost(shares, self._costs)
        return np.asarray(self.classes_[codes])


class NetRegressor(RegressorMixin, NetBase):  # type: ignore[misc]  # scikit-learn has no types
    """Neural nets for numbers; the mean of several.

    They learn the target in units of its own spread, by least squares, and never predict beyond the range they were
    shown. Columns are treated as by `NetClassifier`.

    Parameters
    ----------
    hidden_layer_sizes, n_nets, learning_rate, schedule, weight_decay, dropout, numeric_bins
        As of `NetClassifier`.
    max_epochs, batch_size, early_stopping, validation_fraction
        As of `NetClassifier`.
    categorical_features, random_state, n_jobs
        As of `NetClassifier`.

    Attributes
    ----------
    epochs_, validation_losses_
        As of `NetClassifier`; losses are halves of squares, in units of the target's variance.

    Examples
    --------
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(500, np.random.default_rng(0))
    >>> NetRegressor(random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **NETS,
        "_target_mean": number(),
        "_target_spread": number(low=_SMALLEST),
        "_target_low": number(),
        "_target_high": number(),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = CONSTRAINTS

    def __init__(
        self,
        hidden_layer_sizes: Sequence[int] = (128, 128),
        *,
        n_nets: int = 4,
        learning_rate: float = 0.003,
        schedule: str = "cosine",
        weight_decay: float = 0.01,
        dropout: float = 0.0,
        numeric_bins: int = 12,
        max_epochs: int = 60,
        batch_size: int | str = "auto",
        early_stopping: int | None = 15,
        validation_fraction: float = 0.15,
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.n_nets = n_nets
        self.learning_rate = learning_rate
        self.schedule = schedule
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.numeric_bins = numeric_bins
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[NDArray[Any], Lesson]:
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=True)
        weights = combined_weights(sample_weight, None, matrix, y)
        counted = counted_rows(weights)
        values = np.asarray(y, dtype=np.float64)[counted]
        weights = None if weights is None else weights[counted]
        self._target_mean = float(np.average(values, weights=weights))
        spread = float(np.sqrt(np.average((values - self._target_mean) ** 2, weights=weights)))
        self._target_spread = spread if np.isfinite(spread) and spread > _SMALLEST else 1.0
        self._target_low, self._target_high = float(values.min()), float(values.max())
        standard = ((values - self._target_mean) / self._target_spread).astype(np.float32)
        kept = Lesson(
            np.empty((0, 0), dtype=np.float32),
            None,
            standard,
            None if weights is None else weights.astype(np.float32),
            classes=0,
        )
        return matrix[counted], kept

    def _learn_target(self, other: Self) -> None:
        _take_columns(self, other)
        for name in ("_target_mean", "_target_spread", "_target_low", "_target_high"):
            setattr(self, name, getattr(other, name))

    def predict(self, X: Any) -> Floats:
        """The predicted number of each row."""
        values = self._mean(X, classes=False)[:, 0] * self._target_spread + self._target_mean
        return np.asarray(values.clip(self._target_low, self._target_high))


def counted_rows(weights: NDArray[np.float64] | None) -> Any:
    """The rows of positive weight, as an index; rows that count for nothing are not looked at."""
    if weights is None or bool((weights > 0).all()):
        return slice(None)
    counted = np.flatnonzero(weights > 0)
    if not counted.size:
        raise DataError("no row has a positive weight", hint="give at least one row a weight above 0")
    return counted


def _take_columns(to: NetBase, of: NetBase) -> None:
    for name in ("_layout", "n_features_in_", "feature_names_in_"):
        if hasattr(of, name):
            setattr(to, name, getattr(of, name))
