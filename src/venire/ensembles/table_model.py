"""What a user keeps: the chosen model or combination, fitted on all rows, taking new rows as the table was given."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from venire.advice import Advice, Option
from venire.combine import Finish, average
from venire.combine.conformal import Conformal, around, likely_classes
from venire.data import Table, Task, conform
from venire.ensembles.one_look import scores_and_labels, shares_and_labels
from venire.ensembles.table_parts import COLUMN, CONFORMAL, FINISH, READING, TEXTS
from venire.errors import DataError, UsageError, VenireWarning
from venire.metrics.predictions import Output, Predictions, decide
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import (
    Sizes,
    labels,
    learner,
    mapping,
    maybe,
    number,
    of_type,
    optional,
    require,
    row,
    sequence,
    text,
    within,
)
from venire.validation.trials.learner_warnings import caught_warnings

_OF_THE_TABLE = (
    "columns_", "reading_", "task_", "target_name_", "feature_names_in_", "n_features_in_", "classes_",
)  # fmt: skip
_LOST = ("words_among_numbers", "infinite_values", "huge_values", "unknown_category", "unreadable_dates")


class TableModel(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fitted members with their weights, behind the columns of the table they were fitted on.

    `predict` and `predict_proba` take a path, a frame or an array with those columns, in any order of names; values
    that make no sense there (words among numbers, categories never seen) are missing, with a `VenireWarning`. Made by
    `Verdict.fit`; `fit` trains the same members on other rows with the same columns. `finish` calibrates what they say
    and decides by costs, as learned on held-out predictions. `fit_warnings_` has what members warned of while they
    were fitted, by their names; `about_` has what a verdict found out about it, as plain data; `conformal_` has how far
    it was off on rows it had not seen, which `predict_interval` and `predict_sets` need.
    """

    fit_warnings_: dict[str, tuple[str, ...]]
    about_: dict[str, Any] | None
    conformal_: Conformal | None
    _fitted_constraints: ClassVar[Fitted] = {
        "columns_": sequence(COLUMN, "features", tuple),
        **FEATURES,
        "reading_": READING,
        "task_": of_type(Task),
        "target_name_": text(),
        "classes_": optional(labels("classes")),
        "fit_warnings_": optional(mapping(text(), TEXTS)),  # a copy to be trained anew has not these two
        "about_": optional(maybe(of_type(dict))),
        "conformal_": optional(maybe(CONFORMAL)),  # files of the first version have none
    }

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        classes = sizes.get("classes", 0)
        require((state["task_"] is Task.CLASSIFICATION) == (classes > 0), "task_ and classes_ do not go together")
        within("members", sequence(row(text(), learner), "members"), state.get("members"), sizes)
        within("weights", sequence(number(0), "members"), state.get("weights"), sizes)
        require(sum(state["weights"]) > 0, "weights are all zero")
        for name, member in state["members"]:
            codes = np.asarray(getattr(member, "classes_", 0))
            fine = not classes or (codes.dtype.kind in "iu" and codes.min() >= 0 and codes.max() < classes)
            require(bool(fine), f"member {name} speaks of other classes")
        finish = state.get("finish")
        within("finish", maybe(FINISH), finish, {})
        require(finish is None or finish.serves(classes), "finish is of other classes")
        held = state.get("conformal_")
        require(held is None or len(held.scores) <= held.rows, "conformal_ has more scores than rows")

    def __init__(self, members: Any = None, weights: Any = None, finish: Any = None) -> None:
        self.members = members
        self.weights = weights
        self.finish = finish

    @classmethod
    def of(
        cls, table: Table, members: Sequence[tuple[str, Any]], weights: Sequence[float], finish: Finish | None = None
    ) -> Self:
        """A model from fitted members; the table gives the columns and the classes, and its rows are not kept."""
        assert table.target is not None
        model = cls(list(members), list(weights), finish)
        model.columns_ = table.columns
        model.reading_ = table.reading
        model.task_ = table.target.task
        model.target_name_ = table.target.name
        model.feature_names_in_ = np.array([column.name for column in table.columns], dtype=object)
        model.n_features_in_ = len(table.columns)
        if table.target.task is Task.CLASSIFICATION:
            model.classes_ = np.array(table.target.classes)
        model.fit_warnings_ = {}
        model.about_ = None
        model.conformal_ = None
        return model

    def warned_of(self, caught: Mapping[str, tuple[str, ...]]) -> Self:
        """The model, which keeps what its members warned of; shown once, in our own words around theirs."""
        self.fit_warnings_ = dict(caught)
        if caught:
            words = "; ".join(f"{name}: {each}" for name, all_of_it in caught.items() for each in all_of_it)
            warnings.warn(f"while it was fitted on all rows, {words}", VenireWarning, stacklevel=3)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self, "classes_"):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        else:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def __sklearn_clone__(self) -> Self:
        """The same members, to be trained anew: a copy without the table's columns could not be fitted at all."""
        members = [(name, clone(member)) for name, member in self.members or ()]
        copied = type(self)(members, self.weights, self.finish)
        for name in _OF_THE_TABLE:
            if hasattr(self, name):
                setattr(copied, name, getattr(self, name))
        return copied

    def fit(self, rows: Any, y: Any) -> Self:
        """Train the members again, on rows with the columns and classes of the table they came from."""
        X = self._attributes(rows)
        known = y if self.task_ is Task.REGRESSION else self._codes(y)
        self.members, caught = fitted_quietly({name: partial(clone(m).fit, X, known) for name, m in self.members})
        self.about_ = None  # that was said of the model fitted on other rows
        self.conformal_ = None
        return self.warned_of(caught)

    def predict(self, rows: Any) -> NDArray[Any]:
        """Classes in the type they had in the table, or numbers."""
        X = self._attributes(rows)
        if self.task_ is Task.REGRESSION:
            return self._combined(X)[:, 0]
        return np.asarray(self.classes_[self.predicted(X).labels])

    def predict_proba(self, rows: Any) -> NDArray[np.float64]:
        """Class probabilities in the order of `classes_`; members without them give a vote."""
        if not hasattr(self, "classes_"):
            raise AttributeError("a model of numbers has no class probabilities")
        if self.gives is not Output.PROBABILITIES:
            raise UsageError(
                f"{self.members[0][0]} gives no probabilities",
                code="no_probabilities",
                hint=Advice("compare with ", Option("metric", "log_loss"), " to choose among models that do"),
            )
        predicted = self.predicted(self._attributes(rows)).outputs
        return np.asarray(predicted, dtype=np.float64)

    def predict_interval(self, rows: Any, coverage: float = 0.9) -> NDArray[np.float64]:
        """An interval for every number, [row, end]: so many of new rows lie in theirs, as held-out rows did."""
        radius = self.radius(coverage, Task.REGRESSION)
        return around(self._combined(self._attributes(rows))[:, 0], radius)

    def predict_sets(self, rows: Any, coverage: float = 0.9) -> NDArray[np.bool_]:
        """The classes that cannot be ruled out, [row, class] in the order of `classes_`; at least the likeliest.

        The class of so many of new rows is in their set, as it was of held-out rows.
        """
        radius = self.radius(coverage, Task.CLASSIFICATION)
        return likely_classes(self.predict_proba(rows), radius)

    def radius(self, coverage: float, task: Task) -> float:
        """How far the truth of a new row is from what is said of it, at most, in this share of rows."""
        if self.task_ is not task:
            wants = "intervals are of numbers" if task is Task.REGRESSION else "sets are of classes"
            raise UsageError(
                f"{wants}, and this model predicts {'classes' if task is Task.REGRESSION else 'numbers'}",
                code="wrong_task",
                hint="call predict_sets" if task is Task.REGRESSION else "call predict_interval",
            )
        held = getattr(self, "conformal_", None)
        if held is None:
            raise UsageError(
                "the model does not know how far it was off on held-out rows",
                code="no_residuals",
                hint="save it again from a comparison with this version; a model without probabilities has no sets",
            )
        return float(held.radius(coverage))

    @property
    def gives(self) -> Output:
        """What it says of a row in the richest form it has; several members together give probabilities."""
        if self.task_ is Task.REGRESSION:
            return Output.VALUES
        alone = self.members[0][1] if len(self.members) == 1 else None
        if alone is None or hasattr(alone, "predict_proba"):
            return Output.PROBABILITIES
        return Output.SCORES if hasattr(alone, "decision_function") else Output.LABELS

    @available_if(lambda model: model.gives is Output.SCORES)  # type: ignore[untyped-decorator]  # scikit-learn's
    def decision_function(self, rows: Any) -> NDArray[np.float64]:
        """The scores of the one member, where it has no probabilities: [row] of two classes, else [row, class]."""
        scores = self.outputs(self._attributes(rows))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def outputs(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """What it says about rows of the table's own matrix, in the form of `gives`: [row, output]."""
        predicted = self.predicted(X)
        if predicted.outputs is None:
            return np.eye(len(self.classes_))[predicted.labels]
        return np.asarray(predicted.outputs, dtype=np.float64)

    def score(self, rows: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is right, or R²; a score on rows it was fitted on flatters."""
        predicted = self.predict(rows)
        measured = r2_score if self.task_ is Task.REGRESSION else accuracy_score
        return float(measured(y, predicted, sample_weight=sample_weight))

    def predicted(self, X: NDArray[np.float64]) -> Predictions:
        """What the members say together of rows of the table's own matrix, finished as it was when it was judged."""
        alone = self.members[0][1]
        if self.gives is Output.VALUES:
            return Predictions(None, self._combined(X), Output.VALUES)
        if self.gives is Output.PROBABILITIES:
            outputs, labels = self._shares_and_labels(X)
            predicted = Predictions(labels, outputs, Output.PROBABILITIES)
        elif self.gives is Output.SCORES:
            scores, labels = scores_and_labels(alone, X)
            predicted = Predictions(labels, scores, Output.SCORES)
        else:
            predicted = Predictions(alone.predict(X), None, Output.LABELS)
        return predicted if self.finish is None else self.finish(predicted)

    def _attributes(self, rows: Any) -> NDArray[np.float64]:
        """The rows in the columns of the table; values that went missing on the way are warned of."""
        check_is_fitted(self, "columns_")
        new = conform(rows, self.columns_, reading=self.reading_)
        lost = [note for note in new.notes if note.code in _LOST]
        if lost:
            words = [note.message if note.column is None else f"{note.column}: {note.message}" for note in lost]
            warnings.warn("; ".join(words), VenireWarning, stacklevel=3)
        return new.X

    def _codes(self, y: Any) -> NDArray[np.intp]:
        labels = np.asarray(y)
        unknown = ~np.isin(labels, self.classes_)
        if unknown.any():
            raise DataError(
                f"{labels[unknown][0]!r} is not one of the classes {', '.join(map(repr, self.classes_.tolist()))}",
                code="unknown_class",
                hint="compare again to start from a table with the new class",
            )
        return np.searchsorted(self.classes_, labels)

    def _combined(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        predicted = [self._say(member, X) for _, member in self.members]
        return average(np.stack(predicted), np.asarray(self.weights, dtype=np.float64))

    def _shares_and_labels(self, X: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Several members decide by what they say together, one alone in its own way."""
        if len(self.members) > 1:
            outputs = self._combined(X)
            return outputs, decide(outputs)
        alone = self.members[0][1]
        shares, labels = shares_and_labels(alone, X)
        weights = np.asarray(self.weights, dtype=np.float64)
        return average(self._by_class(alone, shares)[None], weights), labels

    def _by_class(self, member: Any, shares: NDArray[Any]) -> NDArray[np.float64]:
        """Its shares by the codes of the table: trained anew, it may have missed a class."""
        found = np.zeros((len(shares), len(self.classes_)))
        found[:, member.classes_] = shares
        return found

    def _say(self, member: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.task_ is Task.REGRESSION:
            return np.asarray(member.predict(X), dtype=np.float64).reshape(len(X), 1)
        if hasattr(member, "predict_proba"):
            return self._by_class(member, member.predict_proba(X))
        votes = np.zeros((len(X), len(self.classes_)))
        votes[np.arange(len(X)), member.predict(X)] = 1.0
        return votes


def fitted_quietly(
    fits: Mapping[str, Callable[[], Any]],
) -> tuple[list[tuple[str, Any]], dict[str, tuple[str, ...]]]:
    """The members that these calls fit, and what each warned of meanwhile; none of it reaches the screen."""
    members, warned = [], {}
    for name, fit in fits.items():
        with caught_warnings() as caught:
            members.append((name, fit()))
        if caught:
            warned[name] = tuple(sorted(set(caught)))
    return members, warned
