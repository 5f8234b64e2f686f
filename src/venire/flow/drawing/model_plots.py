"""Pictures of the models of a verdict at work on its own table: where they draw lines, and what ensembles are made of.

They take fits, so they are drawn when somebody asks for them. Of a long table they show rows at equal distances.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from venire.data.encode import OneHotScaled
from venire.data.spaced_rows import spaced_rows
from venire.data.table import Table, label_text
from venire.errors import UsageError
from venire.explain.exchange import column_number
from venire.flow.drawing.fits_along import fits_along
from venire.flow.drawing.on_matrix import OnMatrix
from venire.flow.explaining import Explainer
from venire.flow.forms import last_step, tree_figure
from venire.flow.refits import refit
from venire.flow.screening import closest_columns
from venire.metrics.predictions import Output, Predictions
from venire.report.charts.figure import Figure
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.class_confusion import class_of_interest

MOST_ROWS = 600  # drawn one by one, and fitted where the picture is of the rows a model was fitted on
_MOST_FITTED = 2000  # rows of fits whose rows are not drawn
_FOLDS = 5  # of a selection
_MOST_CLIMBING = 5  # columns of an ascent
_BAGGED = ("bagging", "forest")


class ModelPlots:
    """The pictures of models of one verdict; `Plot` has them besides those of its figures.

    Parameters
    ----------
    judgement, explainer
        What was found, and who fits its models.

    Examples
    --------
    >>> from venire import compare
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> compare(X, X[:, 0] > 0, models=["baseline", "forest"], folds=4).plot.member_boundaries("x0", "x1")
    <Figure member_boundaries: Members of an ensemble, and their average>
    """

    def __init__(self, judgement: Judgement, explainer: Explainer) -> None:
        self._judgement = judgement
        self._explainer = explainer

    def tree(self) -> Figure:
        """The decision tree, fitted on all rows with the setting that was chosen for it."""
        self._known(["tree"])
        return tree_figure(self._explainer.model("tree"), self._table)

    def boundary(self, across: str, up: str, model: str | None = None) -> Figure:
        """Where what is handed over (or another model) draws the line in the plane of two numeric columns.

        The model is trained without one fold, whose rows are rings: the error is given in and out of bag.
        """
        from venire.pictures import decision_boundary

        self._of_classes("a boundary parts classes")
        name = self._candidate(model) or self._explainer.chosen
        inside, outside = self._apart()
        rows = np.concatenate([some[spaced_rows(len(some), MOST_ROWS // 2)] for some in (inside, outside)])
        fitted = OnMatrix(refit(self._judgement, name, self._table.take(inside)), self._labels, name)
        seen = np.isin(rows, inside)
        return decision_boundary(fitted, self._table.X[rows], self._said[rows], columns=[across, up], in_bag=seen)

    def member_boundaries(self, across: str, up: str, model: str | None = None) -> Figure:
        """What members of the bagging or the forest say of the plane of two columns, and what all say together."""
        from venire.pictures import member_boundaries

        self._of_classes("members part classes here")
        name = model or next((one for one in _BAGGED if one in self._judgement.ledgers), _BAGGED[0])
        ensemble, rows = self._relearned(name, MOST_ROWS)
        if not hasattr(ensemble, "estimators_samples_"):
            raise UsageError(f"{name} has no members with rows of their own", code="no_picture", hint="take the forest")
        return member_boundaries(
            ensemble, self._table.X[rows], self._said[rows], columns=[across, up], names=self._names
        )

    def boosting_rounds(self, across: str, up: str) -> Figure:
        """AdaBoost round by round: the rows as large as they weigh, ε, α, and the member's regions in two columns."""
        from venire.pictures import boosting_rounds

        self._of_classes("AdaBoost parts classes")
        boosting, rows = self._relearned("adaboost", MOST_ROWS)
        return boosting_rounds(boosting, self._table.X[rows], self._said[rows], columns=[across, up], names=self._names)

    def boosting_alpha(self) -> Figure:
        """What a round of AdaBoost counts for (α), and what it multiplies weights by, against its weighted error ε."""
        from venire.pictures import boosting_alpha

        return boosting_alpha(max(2, len(self._labels)))

    def forest_curves(self) -> Figure:
        """Error of a forest and of its trees, and the correlation of two trees, against q and T, on held-out rows."""
        from venire.pictures import forest_curves

        if len(self._table.columns) < 2:
            raise UsageError("q is a number of columns, and this table has one", code="no_picture")
        inside, outside = (rows[spaced_rows(len(rows), _MOST_FITTED)] for rows in self._apart())
        X, y = self._table.X, self._said if len(self._labels) else self._table.y.astype(np.float64)
        categorical, seed = self._table.categorical, self._judgement.docket.plan.seed
        return forest_curves(X[inside], y[inside], X[outside], y[outside], categorical=categorical, seed=seed)

    def residual_stages(self, column: str) -> Figure:
        """Stagewise fits of residuals along one numeric column, by small trees that see this column alone."""
        from venire.ensembles.additive import AdditiveRegressor
        from venire.models.tree.estimators import DecisionTreeRegressor
        from venire.pictures import residual_stages

        X, y, _ = self._along(column)
        learner = AdditiveRegressor(DecisionTreeRegressor(max_depth=2), n_estimators=10, random_state=0)
        return residual_stages(learner.fit(X, y), X, y, stages=(1, 2, 10), name=column)

    def bias_and_variance(self, column: str, model: str = "tree") -> Figure:
        """Many fits of a model along one numeric column, each on other rows, their mean, and the held-out rows."""
        from venire.pictures import bias_and_variance

        self._known([model])
        family = self._judgement.docket.families.get(model)
        if family is None:
            raise UsageError(f"{model} is a combination, and this picture is of a single model", code="no_picture")
        _, _, table = self._along(column)
        return bias_and_variance(fits_along(family, table, self._judgement.docket.plan.seed), name=column)

    def one_vs_one_votes(self, model: str = "tree") -> Figure:
        """Who votes for whom on held-out rows, one against one, by copies of a model of the leaderboard."""
        from venire.pictures import one_vs_one_votes
        from venire.reductions import OneVsOneClassifier

        self._of_classes("votes are for classes")
        inside, outside = self._apart()
        inside = inside[spaced_rows(len(inside), _MOST_FITTED)]
        encoder, learner = self._steps(model)
        X = encoder.fit(self._table.X[inside]).transform(self._table.X)
        jury = OneVsOneClassifier(learner).fit(X[inside], self._said[inside])
        asked = [outside[self._said[outside] == label][:2] for label in dict.fromkeys(self._said[outside])]
        return one_vs_one_votes(jury, X[np.concatenate(asked)[:12]])

    def ascent_history(self, *columns: str) -> Figure:
        """Gradient ascent of a logistic regression on numeric columns, step by step: two classes.

        Without names on the five columns whose values go with the class most closely.
        """
        from venire.models.gradient_ascent import logistic_ascent
        from venire.pictures import ascent_history

        if len(self._labels) != 2:
            raise UsageError("this ascent is of two classes", code="no_picture")
        names = list(columns) or self._closest()
        X, y = self._table.X, self._table.y == class_of_interest(self._judgement)
        places = [column_number(name, self._names) for name in names]
        rows = spaced_rows(len(X), _MOST_FITTED)
        part = X[rows][:, places]
        values = OneHotScaled(categorical=np.zeros(len(places), dtype=bool)).fit(part).transform(part)[:, : len(places)]
        return ascent_history(logistic_ascent(values, y[rows], eta=0.5), names=tuple(names))

    def kappa_error(self, model: str | None = None) -> Figure:
        """Every pair of models: how much their held-out predictions agree beyond chance, against their mean error.

        With the name of a bagging or a forest, every pair of its members.
        """
        from venire.pictures import kappa_error

        if model is not None:
            self._of_classes("agreement is between models of classes")
            inside, outside = self._apart()
            ensemble, _ = self._relearned(model, _MOST_FITTED, inside)
            return kappa_error(ensemble, self._table.X[outside], self._said[outside], name=f"the members of {model}")
        members = [each.name for each in self._judgement.candidates if each.kind == "member"]
        held = [held_out(self._judgement, name) for name in members]
        if len(held) < 2 or not held[0].classes:
            raise UsageError("agreement is between two or more models of classes", code="no_picture")
        return kappa_error(np.stack([one.predicted for one in held]), None, held[0].actual, name="the models")

    def accuracy_posterior(self, model: str = PROCEDURE) -> Figure:
        """The posterior of the accuracy of the procedure (or of a model) on held-out rows, beside guessing."""
        from venire.pictures import accuracy_posterior

        self._of_classes("an accuracy is of classes")
        self._known([model])
        held = held_out(self._judgement, model)
        most = float(np.bincount(self._table.y).max() / self._table.rows)
        return accuracy_posterior(int((~held.wrong).sum()), len(held.wrong), guessing=most)

    def selection_path(self, direction: Literal["forward", "backward"] = "forward", model: str | None = None) -> Figure:
        """The path of a forward or backward selection of columns, by naive Bayes or least squares or another model."""
        from venire.pictures import selection_path
        from venire.selection.select import select

        plan = self._judgement.docket.plan
        name = model or ("naive_bayes" if len(self._labels) else "linear")
        metric = self._judgement.docket.metric
        how: dict[str, Any] = {"metric": metric.name, "costs": metric.costs, "folds": min(_FOLDS, plan.folds)}
        found = select(self._table, direction=direction, model=name, seed=plan.seed, jobs=1, **how)
        return selection_path(found)

    @property
    def _table(self) -> Table:
        return self._judgement.docket.table

    @cached_property
    def _labels(self) -> NDArray[Any]:
        """The labels of the classes by their codes; none where numbers are predicted."""
        target = self._table.target
        return np.array(target.labels if target is not None and target.labels else (), dtype=object)

    @cached_property
    def _said(self) -> NDArray[Any]:
        """The class of every row, as it is called."""
        names = np.array([label_text(label) for label in self._labels], dtype=object)
        return np.asarray(names[self._table.y])

    def _of_classes(self, words: str) -> None:
        if not len(self._labels):
            raise UsageError(f"{words}, and this target is a number", code="no_picture")

    def _apart(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows that a model is trained on when one fold is left out, and the rows of that fold."""
        docket = self._judgement.docket
        held = docket.plan.outer(0, self._explainer.folds[0])
        return docket.plan.train_rows(held.trial), docket.rows(held)

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self._table.columns]

    def _relearned(self, name: str, most: int, rows: NDArray[np.intp] | None = None) -> tuple[Any, NDArray[np.intp]]:
        """The learner of a model with its chosen setting, fitted on some rows with the names of their classes."""
        self._known([name])
        among = np.arange(self._table.rows) if rows is None else rows
        kept, weights = among[spaced_rows(len(among), most)], self._table.weights
        learner = clone(last_step(self._explainer.model(name)))
        given = {} if weights is None else {"sample_weight": weights[kept]}
        return learner.fit(self._table.X[kept], self._said[kept], **given), kept

    def _steps(self, name: str) -> tuple[Any, Any]:
        """What prepares the columns of a model, and its learner; both to be fitted anew."""
        self._known([name])
        members = self._explainer.model(name).members
        steps = getattr(members[0][1], "steps", None)
        if len(members) > 1 or steps is None or len(steps) != 2:
            raise UsageError(f"{name} is no single learner of pairs", code="no_picture", hint="take the tree")
        return clone(steps[0][1]), clone(steps[1][1])

    def _along(self, column: str) -> tuple[NDArray[np.float64], NDArray[np.float64], Table]:
        """The known values of one numeric column with the targets of their rows, and both as a table."""
        table = self._table
        if len(self._labels):
            raise UsageError("this picture is of numbers, and this target is a class", code="no_picture")
        at = column_number(column, self._names)
        if table.categorical[at]:
            raise UsageError(f"{column} holds categories, and this picture is of numbers", code="no_picture")
        known = np.flatnonzero(np.isfinite(table.X[:, at]))
        rows = known[spaced_rows(len(known), MOST_ROWS)]
        part = table.take(rows)
        X = np.ascontiguousarray(part.X[:, [at]])
        return X, part.y.astype(np.float64), replace(part, X=X, columns=(table.columns[at],), _digest=[])

    def _closest(self) -> list[str]:
        """The numeric columns whose values go with the class most closely."""
        table = self._table
        numeric = np.flatnonzero(~table.categorical)
        if not len(numeric):
            raise UsageError("this ascent is on numeric columns, and there are none", code="no_picture")
        said = Predictions(table.y.astype(np.int32), None, Output.LABELS)
        none_of_them = np.zeros(len(numeric), dtype=bool)
        kept = closest_columns(table.X[:, numeric], said, none_of_them, _MOST_CLIMBING)
        return [self._names[at] for at in (numeric if kept is None else numeric[list(kept)])]

    def _candidate(self, model: str | None) -> str | None:
        """The name of a model that can be fitted: the procedure stands for what it hands over."""
        if model is None or model == PROCEDURE:
            return None
        self._known([model])
        return model

    def _known(self, models: Any) -> None:
        there = [row.family for row in self._judgement.rows]
        for model in models:
            if model not in there:
                raise UsageError(
                    f"there is no model {model!r} on the leaderboard",
                    code="unknown_model",
                    hint=f"there are: {', '.join(there)}",
                )
