"""A rule list learned by sequential covering: find the best rule, set aside the rows it covers, and go on.

The list is read from the top: the first rule whose conditions a row meets decides, and the last line is the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from venire.combine.least_cost import decisive_costs
from venire.errors import DataError
from venire.metrics.predictions import least_cost
from venire.models.classes import class_codes
from venire.models.input import (
    LAYOUT,
    MOST_CODES,
    CategoricalFeatures,
    column_names,
    highest_codes,
    read_fit,
    read_predict,
)
from venire.models.rules.search import (
    EQUAL,
    LOWER,
    UPPER,
    Candidate,
    Floats,
    Grid,
    Question,
    RuleSearch,
    Slots,
    encode,
    passes,
    shrunk,
    unit_weight,
    weigh,
)
from venire.models.tree.growth import combined_weights
from venire.models.tree.view import Condition, Rule
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, array, maybe, record, require, sequence, text, whole


class RuleListClassifier(CheckedState, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An ordered list of rules, learned by sequential covering.

    A rule is a conjunction of tests, grown by beam search so that the share of its majority class, drawn towards the
    share among the rows that are left as if by two more rows, exceeds the latter by most. So rules for rare classes
    come first. Numeric columns are tested against thresholds, categorical ones for equality; a missing value, and a
    category not seen while fitting, fails every test. Learning ends when no rule is left that improves on the default.

    Parameters
    ----------
    max_rules
        The most rules, besides the default.
    max_conditions
        The most tests in a rule.
    min_weight_rule
        The least weight of the rows a rule covers when it is learned, in rows.
    max_cuts
        Numeric columns with more midpoints than this are tested at so many cuts of equal frequency.
    beam_width
        How many unfinished rules are kept at every step.
    categorical_features
        Mask, column numbers or names of columns that hold codes; columns of a frame that are categories or strings
        by type are always included.
    class_weight
        A dict, or `"balanced"`; multiplies the example weights. The scale of neither matters: example weights that
        are whole multiples of the smallest are numbers of rows, others count relative to their mean, and so do
        class weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.

    Examples
    --------
    >>> import pandas as pd
    >>> from venire.data.datasets import dataset
    >>> golf = pd.read_csv(dataset("play_golf").path, dtype=str)
    >>> model = RuleListClassifier(min_weight_rule=2).fit(golf.drop(columns="play"), golf["play"])
    >>> print(model.export_text())
    if outlook = rainy and humidity = high then no (3 rows, 100%)
    else if outlook = sunny and windy = true then no (2 rows, 100%)
    else yes (9 rows, 100%)
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "_layout": LAYOUT,
        "_edges": sequence(maybe(array("f8", None)), "features", tuple),
        "_tests": sequence(sequence(record(Question, operator=text(LOWER, UPPER, EQUAL)), kind=tuple), "rules", tuple),
        "_weights": array("f8", lambda sizes: sizes["rules"] + 1, "classes", low=0),
        "_prior": array("f8", "classes", low=0),
        "_rows": sequence(whole(), lambda sizes: sizes["rules"] + 1),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "max_rules": [Interval(Integral, 0, None, closed="left")],
        "max_conditions": [Interval(Integral, 1, None, closed="left")],
        "min_weight_rule": [Interval(Real, 0, None, closed="neither")],
        "max_cuts": [Interval(Integral, 1, None, closed="left")],
        "beam_width": [Interval(Integral, 1, None, closed="left")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }

    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        *,
        max_rules: int = 50,
        max_conditions: int = 4,
        min_weight_rule: float = 3.0,
        max_cuts: int = 32,
        beam_width: int = 5,
        categorical_features: CategoricalFeatures = "from_dtype",
        class_weight: Any = None,
        costs: ArrayLike | None = None,
    ) -> None:
        self.max_rules = max_rules
        self.max_conditions = max_conditions
        self.min_weight_rule = min_weight_rule
        self.max_cuts = max_cuts
        self.beam_width = beam_width
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.costs = costs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        for edges in state["_edges"]:
            require(edges is None or bool((np.diff(edges) > 0).all()), "_edges do not ascend")
        for test in (test for tests in state["_tests"] for test in tests):
            require(0 <= test.column < sizes["features"], f"_tests ask about column {test.column}")
            edges = state["_edges"][test.column]
            require((test.operator == EQUAL) == (edges is None), "_tests compare what cannot be compared")
            categories = state["_layout"].categories.get(test.column)
            known = len(edges) if edges is not None else MOST_CODES if categories is None else len(categories)
            require(0 <= test.code < known, f"_tests ask for the code {test.code} of {known}")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the list."""
        self._validate_params()
        matrix, y, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=False)
        self.classes_, labels = class_codes(y)
        self._costs = decisive_costs(self.costs, self.classes_)
        weights = combined_weights(sample_weight, None, matrix, y)
        weights = np.ones(len(matrix)) if weights is None else weights
        by_class = combined_weights(None, self.class_weight, matrix, y)
        counted = weights > 0 if by_class is None else (weights > 0) & (by_class > 0)
        if not counted.any():
            raise DataError("no row has a positive weight", hint="give at least one row a weight above 0")
        weights = weights[counted] / unit_weight(weights[counted])
        if by_class is not None:
            factors = by_class[counted]
            weights = weights * factors / np.average(factors, weights=weights)
        self._cover(matrix[counted], labels[counted], weights)
        return self

    def _cover(self, matrix: NDArray[Any], labels: NDArray[np.int32], weights: Floats) -> None:
        grid = Grid.of(matrix, self._layout.categorical, self.max_cuts)
        classes = len(self.classes_)
        limits = (classes, self.max_conditions, self.min_weight_rule, self.beam_width)
        search = RuleSearch(grid, Slots.of(grid), labels, weights, *limits)
        self._edges = grid.edges
        left = np.arange(len(matrix))
        found: list[Candidate] = []
        while len(found) < self.max_rules and len(np.unique(labels[left])) > 1:
            rule = search.best(left)
            if rule is None:
                break
            found.append(rule)
            left = np.setdiff1d(left, rule.rows, assume_unique=True)
        rest = left if left.size else np.arange(len(matrix))  # all rows covered: the default speaks for all of them
        default = weigh(labels[rest], weights[rest], classes)
        everywhere = weigh(labels, weights, classes)
        self._prior = everywhere / everywhere.sum()
        self._tests = tuple(rule.tests for rule in found)
        self._weights = np.stack([*(rule.weights for rule in found), default])
        self._rows = [*(len(rule.rows) for rule in found), len(left)]

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The list from the top; the last rule has no conditions."""
        check_is_fitted(self, "_tests")
        return tuple(
            self._rule(tests, weights, rows)
            for tests, weights, rows in zip((*self._tests, ()), self._weights, self._rows, strict=True)
        )

    def export_text(self) -> str:
        """The list as text, one line a rule."""
        *rules, default = self.rules_
        lines = [str(rule) if place == 0 else f"else {rule}" for place, rule in enumerate(rules)]
        return "\n".join([*lines, f"{'else' if lines else 'always'} {default.consequence}"])

    def decisive_rule(self, X: Any) -> NDArray[np.intp]:
        """The number of the rule that decides each row; the last one is the default."""
        check_is_fitted(self, "_tests")
        matrix = read_predict(self, X, self._layout)
        highest_codes(matrix, self._layout.categorical)
        codes = encode(matrix, self._edges)
        decided = np.full(len(matrix), len(self._tests))
        for place in range(len(self._tests) - 1, -1, -1):
            covered = np.ones(len(matrix), dtype=bool)
            for test in self._tests[place]:
                covered &= passes(test, codes[test.column])
            decided[covered] = place
        return decided

    def predict_proba(self, X: Any) -> Floats:
        """Shares of the classes among the rows of the decisive rule, drawn a little towards those of all rows."""
        decided = self.decisive_rule(X)
        return np.asarray(shrunk(self._weights, self._prior)[decided])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the decisive rule, or with `costs` the one of least expected cost."""
        shares = self.predict_proba(X)
        codes = shares.argmax(axis=1) if self._costs is None else least_cost(shares, self._costs)
        return np.asarray(self.classes_[codes])

    def _rule(self, tests: tuple[Question, ...], weights: Floats, rows: int) -> Rule:
        winner = int(weights.argmax())
        conditions = tuple(self._condition(test) for test in _tightest(tests))
        return Rule(conditions, self.classes_.tolist()[winner], float(weights[winner] / weights.sum()), rows)

    def _condition(self, test: Question) -> Condition:
        name = column_names(self)[test.column]
        if test.operator == EQUAL:
            labels = self._layout.categories.get(test.column)
            return Condition(name, "in", categories=(str(test.code if labels is None else labels[test.code]),))
        edges = self._edges[test.column]
        assert edges is not None  # only numeric columns are tested against thresholds
        return Condition(name, test.operator, float(edges[test.code]))


def _tightest(tests: tuple[Question, ...]) -> tuple[Question, ...]:
    """Without thresholds that a tighter one on the same side makes superfluous; the later test is the tighter one."""
    last = {(test.column, test.operator): place for place, test in enumerate(tests)}
    return tuple(tests[place] for place in sorted(last.values()))
