"""What the model that is handed over does with its columns, as data for pictures.

Importance is measured on held-out rows: the same model is fitted without some folds and asked about them. Dependence
and Shapley values are of the model itself, fitted on all rows. All of it is bounded by rules of the table's shape, so
that the same seed gives the same figures.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from venire.data.spaced_rows import spaced_rows
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.explain.cross_fitted import CrossFitted
from venire.explain.dependence import partial_dependence
from venire.explain.exchange import column_number
from venire.explain.importance import held_out_importance
from venire.explain.shapley import ORDERS, matrix_values
from venire.flow.explained import dependence_data, shapley_data
from venire.flow.forms import coefficient_data, form_data
from venire.flow.refits import refit
from venire.flow.screening import closest_columns
from venire.validation.trials.learner_warnings import caught_warnings
from venire.verdict.judgement import Judgement
from venire.verdict.shown.class_confusion import class_of_interest
from venire.verdict.shown.class_curves import plains

HELD_OUT_ROWS = 1000  # that importance is measured on
MOST_FOLDS = 5  # that are left out for it: a fit each
MOST_COLUMNS = 60  # whose importance is measured
REPEATS = 3  # of the shuffling
DEPENDENCE_ROWS = 300
POINTS = 20
BACKGROUND = 64  # rows that stand for "column not known"
SHAPLEY_ROWS = 100
_PREDICTIONS = 150_000  # made-up rows that sampling may ask about
_SEED = 0xE81A


class Explainer:
    """Explanations of the models of one judgement; what was fitted for one is kept for the next."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self._table = judgement.docket.table
        self._fitted: dict[str, TableModel] = {}
        self._importance: dict[str, dict[str, Any]] = {}
        self.fit_seconds: dict[str, float] = {}  # of what was fitted on all rows

    @property
    def chosen(self) -> str:
        """What is handed over."""
        return self._judgement.procedure.chosen.name

    @property
    def fits(self) -> int:
        """How many fits a report's explanations take."""
        return len(self.folds) + 1

    def pictures(self, columns: int) -> dict[str, Any]:
        """The importances, and the dependence on the columns that matter most, of what is handed over."""
        found = self.importance()
        order = np.argsort(-np.array(found["values"], dtype=np.float64), kind="stable")[:columns]
        dependence = [self.dependence(found["names"][at]) for at in order]
        form = form_data(self.model(self.chosen), self._table, self._interest, self.chosen)
        return {"importance": found, "dependence": dependence, **form}

    def coefficients(self, model: str | None = None) -> dict[str, Any] | None:
        """The coefficients of a linear model, fitted on all rows; None of any other."""
        name = model or self.chosen
        return coefficient_data(self.model(name), self._table, self._interest, name)

    def importance(self, model: str | None = None) -> dict[str, Any]:
        """How much the loss rises on held-out rows when a column is shuffled, with intervals."""
        name = model or self.chosen
        if name not in self._importance:
            with (
                caught_warnings()
            ):  # what other people's code warns of is no news: it was kept when the trials were run
                self._importance[name] = self._measured(name)
        return self._importance[name]

    def dependence(self, column: str | int, model: str | None = None) -> dict[str, Any]:
        """What the model says on average as one column takes values from end to end, with the middle of the rows."""
        name = model or self.chosen
        at = column_number(column, [each.name for each in self._table.columns])
        asked = CrossFitted((self.model(name),), np.empty(0, np.intp))
        with caught_warnings():
            found = partial_dependence(asked, self._table.X, at, points=POINTS, rows=DEPENDENCE_ROWS)
        return dependence_data(found, self._table, at, self._interest) | {"model": name}

    def shapley(self, rows: int | None = None, model: str | None = None, of: Any = None) -> dict[str, Any]:
        """What every column adds to the prediction of some rows."""
        name = model or self.chosen
        at = spaced_rows(self._table.rows, self.shapley_rows if rows is None else rows)
        others = self._table.X[spaced_rows(self._table.rows, BACKGROUND)]
        with caught_warnings():
            found = matrix_values(self.model(name), self._table.X[at], others, seed=self._judgement.docket.plan.seed)
        return shapley_data(found, self._table, at, self._class(of)) | {"model": name}

    @property
    def shapley_rows(self) -> int:
        """How many rows are explained where nobody says how many."""
        most = _PREDICTIONS // (2 * ORDERS * max(1, len(self._table.columns) - 1))
        return min(self._table.rows, max(10, min(SHAPLEY_ROWS, most)))

    def _measured(self, name: str) -> dict[str, Any]:
        docket, table = self._judgement.docket, self._table
        held = [docket.plan.outer(0, fold) for fold in self.folds]
        models = tuple(refit(self._judgement, name, table.take(docket.plan.train_rows(one.trial))) for one in held)
        rows = np.concatenate([docket.rows(one) for one in held])
        of_row = np.repeat(np.arange(len(held)), [len(docket.rows(one)) for one in held])
        if len(rows) > HELD_OUT_ROWS:
            rng = np.random.default_rng([docket.plan.seed, _SEED])
            kept = np.sort(rng.choice(len(rows), HELD_OUT_ROWS, replace=False))
            rows, of_row = rows[kept], of_row[kept]
        jury, X = CrossFitted(models, of_row), table.X[rows]
        columns = closest_columns(X, jury.answers(X), table.categorical, MOST_COLUMNS)
        groups = None if table.groups is None else table.groups[rows]
        found = held_out_importance(
            jury,
            X,
            table.y[rows],
            docket.metric,
            of_row,
            groups=groups,
            columns=columns,
            repeats=REPEATS,
            seed=docket.plan.seed,
        )
        return {
            "model": name,
            "names": list(found.names),
            "values": plains(found.values),
            "low": plains([one.low for one in found.intervals]),
            "high": plains([one.high for one in found.intervals]),
            "rows": found.rows,
            "folds": len(held),
            "columns": len(table.columns),
            "repeats": REPEATS,
        }

    @property
    def folds(self) -> list[int]:
        """As many folds as it takes for the rows, the last ones first where they are in time order."""
        docket = self._judgement.docket
        folds = list(docket.plan.outer_folds())
        folds = folds[::-1] if docket.plan.ordered else folds
        sizes = np.cumsum([len(docket.rows(docket.plan.outer(0, fold))) for fold in folds[:MOST_FOLDS]])
        enough = int(np.searchsorted(sizes, HELD_OUT_ROWS)) + 1
        return folds[: min(enough, MOST_FOLDS, len(folds))]

    def model(self, name: str) -> TableModel:
        """A model of the leaderboard, fitted on all rows, once."""
        if name not in self._fitted:
            began = time.perf_counter()
            self._fitted[name] = refit(self._judgement, name)
            self.fit_seconds[name] = time.perf_counter() - began
        return self._fitted[name]

    @property
    def _interest(self) -> int:
        """Of two classes the one of interest, of several the most frequent, of numbers the only output."""
        target = self._table.target
        assert target is not None
        if len(target.classes) <= 2:
            return class_of_interest(self._judgement) if target.classes else 0
        return int(np.bincount(target.values).argmax())

    def _class(self, of: Any) -> int:
        """The code of a class asked for by its label."""
        target = self._table.target
        assert target is not None
        if of is None:
            return self._interest
        if of in target.classes:
            return target.classes.index(of)
        there = ", ".join(map(repr, target.classes[:10])) or "none: numbers are predicted"
        raise UsageError(f"there is no class {of!r}", code="unknown_class", hint=f"there are: {there}")
