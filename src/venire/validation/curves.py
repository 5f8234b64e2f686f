"""Error against complexity, and error against the number of rows: the two curves that say what to do next.

A training error far below the held-out one asks for a simpler model or more rows; both high ask for a richer one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.data.table import Table
from venire.errors import UsageError
from venire.inference import Figure
from venire.inference.intervals import Interval
from venire.validation.choice import check_rule
from venire.validation.held_out import HeldOut
from venire.validation.layers import one_layer, two_layer_of
from venire.validation.plain_text import described_plan, figure, with_interval
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import plan_of_parts, units_of
from venire.validation.plans.plan import Plan
from venire.validation.results import OneLayer, TwoLayer
from venire.validation.short_tables import ShortTable
from venire.validation.subject import subject
from venire.validation.trials.family import Setting
from venire.validation.trying import asked, means
from venire.validation.unknown_options import refuse_unknown

Floats = NDArray[np.float64]

SHARES = (0.1, 0.325, 0.55, 0.775, 1.0)  # of the training rows, where nobody says which sizes
INNER_FOLDS = 5  # where nobody says how many, and there are rows enough


@dataclass(frozen=True, eq=False, repr=False)
class ComplexityCurve:
    """Training and held-out error along a path, from simple to complex.

    Attributes
    ----------
    one_layer
        All losses and all held-out predictions.
    simplest
        The simplest setting within one standard error of the best.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> near, grid = KNeighborsClassifier(), {"n_neighbors": [9, 1]}
    >>> curve = complexity_curve(near, load_iris(return_X_y=True), grid=grid, folds=3)
    >>> curve.errors.shape, float(curve.training_errors[-1])
    ((2,), 0.0)
    """

    one_layer: OneLayer  # all losses and all held-out predictions
    simplest: int  # the simplest setting within one standard error of the best

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The path."""
        return self.one_layer.settings

    @property
    def best(self) -> int:
        """The setting with the lowest mean over the folds."""
        return self.one_layer.chosen

    @property
    def errors(self) -> Floats:
        """The held-out error of every setting."""
        return self.one_layer.errors

    @property
    def training_errors(self) -> Floats:
        """The training error of every setting."""
        return self.one_layer.training_errors

    @cached_property
    def intervals(self) -> tuple[Interval, ...]:
        """Of the held-out error of every setting."""
        return tuple(map(self.one_layer.interval_of, range(len(self.settings))))

    def to_dict(self) -> dict[str, Any]:
        """The points of the picture, as plain data."""
        return {
            "family": self.one_layer.family,
            "metric": self.one_layer.metric,
            "label": self.one_layer.path_label,
            "settings": [setting.label for setting in self.settings],
            "training": self.training_errors.tolist(),
            "held_out": self.errors.tolist(),
            "low": [interval.low for interval in self.intervals],
            "high": [interval.high for interval in self.intervals],
            "chosen": self.best,
            "simplest": self.simplest,
        }

    def __str__(self) -> str:
        return self.short_table().text()

    def _repr_html_(self) -> str:
        return self.short_table().html()

    def __repr__(self) -> str:
        found, best = self.one_layer, self.settings[self.best].label
        return f"<ComplexityCurve of {found.family}: {len(self.settings)} settings, best {best}>"

    def short_table(self) -> ShortTable:
        """Every setting on training rows and on held-out ones, the best one marked."""
        found, metric = self.one_layer, self.one_layer.averaging.metric
        lines = [
            [
                self._mark(s),
                setting.label,
                figure(self.training_errors[s], metric),
                with_interval(self.errors[s], interval, metric),
            ]
            for s, (setting, interval) in enumerate(zip(self.settings, self.intervals, strict=True))
        ]
        title = f"complexity curve of {found.family}: {metric.shown_label}, {described_plan(found.plan)}"
        return ShortTable(title, ["", found.path_label, "training", "held out"], lines, marked=self.best)

    def _mark(self, setting: int) -> str:
        marks = [word for word, at in (("best", self.best), ("simplest", self.simplest)) if at == setting]
        return ", ".join(marks)


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """Training and held-out error against the number of rows trained on.

    Attributes
    ----------
    sizes
        Numbers of rows trained on.
    two_layer
        The validation behind it; its repeats are sizes × folds, in this order.
    test_over_train
        Rows tested over rows trained on, at the largest size.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> curve = learning_curve(GaussianNB(), load_iris(return_X_y=True), sizes=[15, 90], folds=3)
    >>> curve.sizes, curve.errors.shape
    ((15, 90), (2,))
    """

    sizes: tuple[int, ...]
    two_layer: TwoLayer  # whose repeats are sizes × folds, in this order
    test_over_train: float

    @property
    def family(self) -> str:
        """The model."""
        return self.two_layer.family

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that were chosen among."""
        return self.two_layer.settings

    @property
    def losses(self) -> Floats:
        """[size, fold], at the setting chosen inside each training part."""
        return self._by_size(self.two_layer.losses)

    @property
    def training(self) -> Floats:
        """[size, fold]."""
        return self._by_size(self.two_layer.training)

    @property
    def chosen(self) -> NDArray[np.intp]:
        """[size, fold]."""
        return self._by_size(np.array(self.two_layer.chosen))

    @property
    def plan(self) -> Plan:
        """Its repeats are sizes × folds, in this order."""
        return self.two_layer.plan

    @property
    def held_out(self) -> HeldOut:
        """The predictions of every part; its repeats are the plan's."""
        return self.two_layer.held_out

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the learners warned of, and what is to be said of the figures."""
        return self.two_layer.warnings

    def _by_size(self, figures: NDArray[Any]) -> NDArray[Any]:
        return figures.reshape(len(self.sizes), -1)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The held-out error at every size, with the overlap of the largest: smaller training parts overlap less."""
        judged, of_size = self.two_layer.judged, len(self.two_layer.places) // len(self.sizes)
        found = []
        for first in range(0, len(judged.places), of_size):
            part = replace(judged, places=judged.places[first : first + of_size])
            settings = self.two_layer.chosen[first : first + of_size]
            found.append(part.figure(settings, test_over_train=self.test_over_train))
        return tuple(found)

    @property
    def errors(self) -> Floats:
        """The held-out error at every size."""
        return np.array([figure.value for figure in self.figures])

    @property
    def training_errors(self) -> Floats:
        """The training error at every size: the mean of its parts."""
        return np.asarray(self.two_layer.averaging.mean(self.training.T))

    @property
    def intervals(self) -> tuple[Interval, ...]:
        """Of the held-out error at every size."""
        return tuple(figure.interval for figure in self.figures)

    def to_dict(self) -> dict[str, Any]:
        """The points of the picture, as plain data."""
        return {
            "family": self.family,
            "metric": self.two_layer.metric,
            "rows": list(self.sizes),
            "training": self.training_errors.tolist(),
            "held_out": self.errors.tolist(),
            "low": [interval.low for interval in self.intervals],
            "high": [interval.high for interval in self.intervals],
        }

    def __str__(self) -> str:
        return self.short_table().text()

    def _repr_html_(self) -> str:
        return self.short_table().html()

    def __repr__(self) -> str:
        ends = f"{self.sizes[0]:,} to {self.sizes[-1]:,} rows"
        label = self.two_layer.averaging.metric.shown_label
        return f"<LearningCurve of {self.family}: {label} at {len(self.sizes)} sizes, {ends}>"

    def short_table(self) -> ShortTable:
        """Every number of rows with the figures of training on them."""
        metric = self.two_layer.averaging.metric
        errors = [with_interval(*pair, metric) for pair in zip(self.errors, self.intervals, strict=True)]
        lines = [
            [f"{size:,}", figure(training, metric), error]
            for size, training, error in zip(self.sizes, self.training_errors, errors, strict=True)
        ]
        title = f"learning curve of {self.family}: {metric.shown_label}, {self.losses.shape[1]} folds"
        return ShortTable(title, ["rows", "training", "held out"], lines, right=3)


def complexity_curve(model: Any, data: Any, target: str | ArrayLike | None = None, **options: Any) -> ComplexityCurve:
    """Training and held-out error of every setting of a path.

    Parameters
    ----------
    model, data, target, **options
        As of `one_layer`.

    Returns
    -------
    ComplexityCurve
        The two errors of every setting, with intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(0, 10, size=(200, 1))
    >>> y = x[:, 0] + 2 * np.sin(1.5 * x[:, 0]) + rng.normal(0, 0.2, size=200)
    >>> print(complexity_curve(DecisionTreeRegressor(), (x, y), grid={"max_depth": [1, 2, 4, 8]}, folds=5))
    complexity curve of decision_tree_regressor: RMSE, 5 folds drawn at random
    <BLANKLINE>
                    max_depth      training                 held out
                    max_depth = 1    1.8484  1.8889 [1.6934, 2.1366]
                    max_depth = 2    0.8419  0.8635 [0.7692, 0.9929]
                    max_depth = 4    0.4271  0.4702 [0.4014, 0.5721]
    best, simplest  max_depth = 8    0.1069  0.2815 [0.2381, 0.3503]
    """
    found = one_layer(model, data, target, **options)
    simplest = found.averaging.choose(found.losses, "one_standard_error", found.averaging.repeats)
    best = found.averaging.choose(found.losses, "best")
    return ComplexityCurve(replace(found, chosen=best, judged=replace(found.judged, rule="best")), simplest)


def learning_curve(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    sizes: Sequence[float] | None = None,
    folds: int | None = None,
    repeats: int = 1,
    inner_folds: Any = None,
    rule: str = "best",
    seed: int = 0,
    **given: Any,
) -> LearningCurve:
    """Held-out error of training on ever more of the rows: would more of them help?

    The smaller parts are subsets of the larger ones; in time order they are the latest rows, and the later half of the
    folds is judged. A model with several settings chooses among them inside every part, as in `two_layer`, so that all
    points are honest.

    Parameters
    ----------
    model, data, target, folds, repeats, rule, seed, **given
        As of `one_layer`.
    sizes
        Whole numbers of rows, or shares of the training part. Without them, those too small for the inner folds are
        left out.
    inner_folds
        What a setting is chosen by: 5, or fewer where parts have fewer rows, groups or moments.

    Returns
    -------
    LearningCurve
        The two errors at every size, with intervals.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> print(learning_curve(GaussianNB(), load_iris(return_X_y=True), sizes=[15, 45, 135]))
    learning curve of gaussian_nb: error rate, 10 folds
    <BLANKLINE>
    rows  training                 held out
      15    0.0000  0.1733 [0.0991, 0.2736]
      45    0.0200  0.0467 [0.0142, 0.1149]
     135    0.0385  0.0467 [0.0142, 0.1149]
    """
    refuse_unknown(given, learning_curve, subject, means)
    chosen_by = check_rule(rule)
    case, by = asked(model, data, target, given)
    outer = make_plan(case.table, folds=folds, repeats=repeats, seed=seed, layers=1)
    first = -(-outer.used_folds // 2) if outer.ordered else 0
    held = [h for repeat in range(outer.repeats) for h in outer.final(repeat) if h.fold >= first]
    parts = [(outer.train_rows(h.trial), outer.test_rows(h.trial)) for h in held]
    wanted = _sizes(sizes, min(len(train) for train, _ in parts))
    orders = [_order(case.table, train, seed, at) for at, (train, _) in enumerate(parts)]
    inner = None
    if len(case.settings) > 1:
        units = [min(units_of(case.table, order[:size])[0] for order in orders) for size in wanted]
        inner, wanted = _inside(wanted, units, inner_folds, fixed=sizes is not None)
    growing = [(np.sort(order[:size]), test) for size in wanted for order, (_, test) in zip(orders, parts, strict=True)]
    plan = plan_of_parts(case.table, growing, inner, seed)
    found = two_layer_of(case, plan, chosen_by, by)
    if found.stopped is not None:
        raise found.judged.tried.unfinished("the curve")
    overlap = float(np.mean([len(test) / len(train) for train, test in parts]))
    return LearningCurve(wanted, found, overlap)


def _sizes(sizes: Sequence[float] | None, most: int) -> tuple[int, ...]:
    found = []
    for size in SHARES if sizes is None else sizes:
        whole = isinstance(size, int | np.integer)
        rows = int(size) if whole else round(size * most)
        if rows > most or rows < 2 or (not whole and not 0 < size <= 1):
            if sizes is None:
                continue  # a small table has no tenth
            raise UsageError(
                f"a training part cannot have the size {size}",
                code="bad_sizes",
                hint=f"use whole numbers from 2 to {most}, or shares above 0 and up to 1.0",
            )
        found.append(rows)
    if not found:
        raise UsageError("there is no size to train on", code="bad_sizes", hint=f"use whole numbers from 2 to {most}")
    return tuple(sorted(set(found)))


def _inside(wanted: tuple[int, ...], units: list[int], inner_folds: Any, *, fixed: bool) -> tuple[Any, tuple[int, ...]]:
    """The inner folds, and the sizes whose parts have units enough for them; sizes that were asked for are kept."""
    if inner_folds is None:  # no more than the middle size allows: a curve of one point would be none
        inner_folds = max(2, min(INNER_FOLDS, units[0] if fixed else units[len(units) // 2]))
    if fixed or not isinstance(inner_folds, Integral):
        return inner_folds, wanted
    enough = tuple(size for size, there in zip(wanted, units, strict=True) if there >= int(inner_folds))
    return inner_folds, enough or wanted[-1:]


def _order(table: Table, train: NDArray[np.intp], seed: int, at: int) -> NDArray[np.intp]:
    """The training rows in the order in which they are added: at random, or from the latest back in time."""
    if table.time is not None:
        return np.asarray(train[np.argsort(-table.time[train], kind="stable")])
    return np.random.default_rng([seed, 0x1EA2, at]).permutation(train)
