"""What nets for classes and for numbers share: parameters, columns, the pack, and averages over its members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from venire._core import sum_nets
from venire.errors import DataError, UsageError
from venire.models.few_rows import require_fitted
from venire.models.input import LAYOUT, CategoricalFeatures, Layout, read_predict
from venire.models.net.columns import COLUMNS, NetColumns
from venire.models.net.training import Cancel, Course, Lesson, Member, Trained, train
from venire.models.tree.growth import draw_seed, thread_count
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, require, sequence, whole

Floats = NDArray[np.float64]
MOST_UNITS = 1 << 14  # of a layer: what the core takes

CONSTRAINTS: dict[str, list[Any]] = {
    "hidden_layer_sizes": ["array-like"],
    "n_nets": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "weight_decay": [Interval(Real, 0.0, None, closed="left")],
    "dropout": [Interval(Real, 0.0, 1.0, closed="left")],
    "numeric_bins": [Interval(Integral, 0, None, closed="left")],
    "max_epochs": [Interval(Integral, 1, None, closed="left")],
    "batch_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "schedule": [StrOptions({"cosine", "waves", "constant"})],
    "early_stopping": [Interval(Integral, 1, None, closed="left"), None],
    "validation_fraction": [Interval(Real, 0.0, 0.5, closed="neither")],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}
# What nets that are trained together have to agree on.
SHARED = ("numeric_bins", "max_epochs", "batch_size", "schedule", "early_stopping", "validation_fraction")

NETS: Fitted = {
    **FEATURES,
    "_layout": LAYOUT,
    "_columns": COLUMNS,
    "_sizes": sequence(whole(low=1, high=1 << 20), "sizes"),
    "_weights": array("f4", "nets", None),
    "epochs_": array("i8", "nets", low=0),
    "validation_losses_": sequence(array("f8", None, finite=False), "nets"),
}


class NetBase(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Reading rows, training a pack and averaging what its nets say."""

    hidden_layer_sizes: Sequence[int]
    n_nets: int
    learning_rate: float
    weight_decay: float
    dropout: float
    numeric_bins: int
    max_epochs: int
    batch_size: int | str
    schedule: str
    early_stopping: int | None
    validation_fraction: float
    categorical_features: CategoricalFeatures
    random_state: Any
    n_jobs: int | None
    _fitted_constraints: ClassVar[Fitted] = NETS
    _layout: Layout
    _columns: NetColumns
    _sizes: list[int]  # values of each layer, the columns first
    _weights: NDArray[np.float32]  # [net, weight]
    epochs_: NDArray[np.int64]
    validation_losses_: list[Floats]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = False
        return tags

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        layers, columns = state["_sizes"], state["_columns"]
        require(len(layers) >= 2, "_sizes has no layers")
        require(layers[0] == columns.width, f"_sizes begins with {layers[0]} columns, and there are {columns.width}")
        require(max(layers[1:]) <= MOST_UNITS, "_sizes has a layer that is too wide")
        for edges in columns.edges:
            require(bool((np.diff(edges) > 0).all()), "_columns has edges that do not rise")
        outputs = sizes.get("classes", 1)
        require(layers[-1] == outputs, f"_sizes ends with {layers[-1]} outputs, and {outputs} are needed")
        floats = weight_count(layers)
        found = state["_weights"].shape[1]
        require(found == floats, f"_weights has {found} weights a net, and {floats} are needed")
        require(sizes["nets"] > 0, "_weights has no net")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the nets."""
        fit_together([self], X, y, sample_weight)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[NDArray[Any], Lesson]:
        """The checked rows, and what nets learn of them but for the encoded rows."""
        raise NotImplementedError

    def _learn_target(self, other: Self) -> None:
        """Take over what another one has read of the same target."""
        raise NotImplementedError

    def _smoothing(self) -> float:
        return 0.0

    def _members(self) -> list[Member]:
        hidden = tuple(int(units) for units in self.hidden_layer_sizes)
        if not all(1 <= units <= MOST_UNITS for units in hidden):
            raise UsageError(f"hidden_layer_sizes must lie in 1..{MOST_UNITS}; got {hidden}")
        given = (float(self.learning_rate), float(self.weight_decay), float(self.dropout), self._smoothing())
        return [Member(hidden, *given, number) for number in range(self.n_nets)]

    def _course(self, rows: int) -> Course:
        parts = 0 if self.early_stopping is None else max(2, round(1 / self.validation_fraction))
        patience = self.max_epochs if self.early_stopping is None else int(self.early_stopping)
        seed = draw_seed(self.random_state)
        batch = automatic_batch(rows) if isinstance(self.batch_size, str) else int(self.batch_size)
        return Course(int(self.max_epochs), batch, patience, self.schedule, parts, seed)

    def _take(self, columns: NetColumns, outputs: int, trained: Sequence[Trained]) -> None:
        self._columns = columns
        self._sizes = [columns.width, *(int(units) for units in self.hidden_layer_sizes), outputs]
        self._weights = np.stack([net.weights for net in trained])
        self.epochs_ = np.array([net.epoch for net in trained], dtype=np.int64)
        self.validation_losses_ = [net.losses for net in trained]

    def _mean(self, X: Any, *, classes: bool) -> Floats:
        """The mean of what the nets say: [row, output]."""
        require_fitted(self, "_weights")
        matrix = read_predict(self, X, self._layout)
        threads, columns = thread_count(self.n_jobs), self._columns.in_core()
        total = sum_nets(columns, matrix, self._sizes, self._weights, classes=classes, threads=threads)
        # Single precision leaves sums of probabilities a little off 1.
        return np.asarray(total / (total.sum(axis=1, keepdims=True) if classes else len(self._weights)))


def fit_together(
    estimators: Sequence[NetBase], X: Any, y: Any, sample_weight: Any = None, cancel: Cancel = lambda: None
) -> None:
    """Fit estimators that agree on `SHARED` and the seed, as each would be fitted alone, in one pass over the rows."""
    for estimator in estimators:
        estimator._validate_params()
    first = estimators[0]
    matrix, lesson = first._read(X, y, sample_weight)
    for other in estimators[1:]:
        if any(getattr(other, name) != getattr(first, name) for name in SHARED):
            raise UsageError(f"nets that are trained together must agree on {', '.join(SHARED)}")
        other._learn_target(first)
    columns = NetColumns.of(matrix, first._layout.categorical, int(first.numeric_bins))
    lesson = Lesson(columns.transform(matrix), lesson.labels, lesson.values, lesson.weights, lesson.classes)
    members = [estimator._members() for estimator in estimators]
    together = [member for group in members for member in group]
    trained = iter(train(lesson, together, first._course(len(matrix)), thread_count(first.n_jobs), cancel))
    for estimator, group in zip(estimators, members, strict=True):
        estimator._take(columns, max(1, lesson.classes), [next(trained) for _ in group])
        if not np.isfinite(estimator._weights).all():
            raise DataError(
                f"the weights of a net grew beyond all bounds at the learning rate {estimator.learning_rate:g}",
                code="net_diverged",
                hint="take a smaller learning rate",
            )


def automatic_batch(rows: int) -> int:
    """A sixteenth of the rows to a power of two, from 16 to 256: few rows get steps enough, many large products.

    >>> [automatic_batch(rows) for rows in (50, 600, 2000, 100_000)]
    [16, 32, 128, 256]
    """
    return int(2 ** np.clip(np.round(np.log2(max(rows, 1) / 16)), 4, 8))


def weight_count(sizes: Sequence[int]) -> int:
    """How many weights and shifts a net of these layers has.

    >>> weight_count([3, 2, 1])
    11
    """
    return sum((taken + 1) * units for taken, units in pairwise(sizes))
