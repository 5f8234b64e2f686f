"""The pictures of a verdict by name, each with its title and a caption that says which rows it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, cast

from venire.errors import UsageError
from venire.flow.drawing.model_plots import ModelPlots
from venire.flow.explaining import Explainer
from venire.flow.learning import learning_of
from venire.report.charts.figure import Figure
from venire.report.document.shapes.verdict import VerdictDocument
from venire.verdict.differences import pairs
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.pictures import curves_of, picture_of

# Drawn when asked for: they take fits, or come from elsewhere than the data behind the pictures.
_ASKED = (
    "importance", "dependence", "shapley", "learning_curve", "pairwise", "difference", "tree", "coefficients",
    "forest_curves", "selection_path",
)  # fmt: skip
_OF_CLASSES = (
    "kappa_error", "boundary", "member_boundaries", "boosting_rounds", "boosting_alpha", "one_vs_one_votes",
    "ascent_history", "accuracy_posterior",
)  # fmt: skip
_OF_NUMBERS = ("residual_stages", "bias_and_variance")


def pairwise_figure(document: VerdictDocument) -> Figure:
    """Every pair of models of a verdict: the probability that one is better than the other."""
    from venire.pictures import pairwise

    names = [row["family"] for row in document["leaderboard"] if row["kind"] != PROCEDURE]
    chances = {(pair["first"], pair["second"]): pair["p_better"] for pair in document["pairwise"]}
    chances |= {(pair["second"], pair["first"]): pair["p_worse"] for pair in document["pairwise"]}
    return pairwise(names, [[chances.get((one, other)) for other in names] for one in names])


class Plot(ModelPlots):
    """The pictures of one verdict: `verdict.plot.roc()`, or of some models: `verdict.plot.roc("forest", "tree")`.

    Each is a `Figure`, which shows itself in a notebook without a network and can be saved. `dir(verdict.plot)` lists
    those there are.

    Parameters
    ----------
    judgement, document, drawn, explainer
        What was found, the facts of the verdict, the data behind its pictures, and who explains its models.

    Examples
    --------
    >>> import numpy as np
    >>> from venire import compare
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = compare(X, X[:, 0] > 0, models=["baseline", "naive_bayes"], folds=4)
    >>> "roc" in dir(verdict.plot), verdict.plot.roc("naive_bayes")
    (True, <Figure roc: ROC curves>)
    """

    def __init__(
        self, judgement: Judgement, document: VerdictDocument, drawn: Mapping[str, Any], explainer: Explainer
    ) -> None:
        super().__init__(judgement, explainer)
        self._document = document
        self._pictures = drawn

    def __dir__(self) -> list[str]:
        from venire.report.charts import catalogue as charts

        of_task = _OF_CLASSES if len(self._labels) else _OF_NUMBERS
        return [*charts.available(self._document, self._pictures), *_ASKED, *of_task]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"there is no picture {name!r}; there are: {', '.join(dir(self))}")

    def errors(self, *models: str) -> Figure:
        """The error of every model (or of these) with its interval, beside its one-layer and training error."""
        if not models:
            return self._figure("errors")
        self._known(models)
        rows = [row for row in self._document["leaderboard"] if row["family"] in models]
        return self._figure("errors", cast("VerdictDocument", {**self._document, "leaderboard": rows}))

    def fold_errors(self, *models: str) -> Figure:
        """The error of every model (or of these) on every fold."""
        folds = self._pictures.get("fold_errors") or {}
        self._known(models)
        drawn = {name: folds[name] for name in models or folds}
        return self._figure("fold_errors", drawn={**self._pictures, "fold_errors": drawn})

    def roc(self, *models: str) -> Figure:
        """ROC curves of the procedure, the choice and the best others, or of these models."""
        return self._curves("roc", models)

    def precision_recall(self, *models: str) -> Figure:
        """Precision against recall of the procedure, the choice and the best others, or of these models."""
        return self._curves("precision_recall", models)

    def cost_curve(self, *models: str) -> Figure:
        """The least expected cost at every balance of the two mistakes, of the same models or of these."""
        return self._curves("cost_curve", models)

    def calibration(self, *models: str) -> Figure:
        """Predicted probability against how often it came true, of the same models or of these."""
        return self._curves("calibration", models)

    def confusion(self, model: str = PROCEDURE) -> Figure:
        """The confusion matrix on held-out rows."""
        return self._single("confusion", model)

    def scatter(self, model: str = PROCEDURE) -> Figure:
        """Predicted against actual values on held-out rows."""
        return self._single("scatter", model)

    def residuals(self, model: str = PROCEDURE) -> Figure:
        """Actual minus predicted value against the prediction, on held-out rows."""
        return self._single("residuals", model)

    def threshold_cost(self) -> Figure:
        """What 1,000 rows cost at every threshold of the procedure, two classes."""
        return self._figure("threshold_cost")

    def pairwise(self) -> Figure:
        """Every pair of models: the probability that one is better than the other."""
        return pairwise_figure(self._document)

    def difference(self, first: str, second: str) -> Figure:
        """What the folds say of the difference between two models, with the region of no practical difference."""
        from venire.pictures import difference_posterior

        self._known([first, second])
        label = f"difference in {self._document['metric_label']}"
        for pair in pairs(self._judgement):
            if {pair.first, pair.second} == {first, second}:
                compared = pair.comparison if pair.first == first else pair.comparison.reverse()
                return difference_posterior(compared, first=first, second=second, label=label)
        raise UsageError(f"{first} and {second} are not compared", code="no_picture", hint="give two different models")

    def coefficients(self, model: str | None = None) -> Figure:
        """The coefficients of a linear model, fitted on all rows: of what is handed over, or of another model."""
        from venire.report.page.form_panel import coefficient_figure

        found = self._explainer.coefficients(self._candidate(model))
        if found is None:
            name = self._candidate(model) or self._explainer.chosen
            raise UsageError(
                f"{name} has no coefficients of columns", code="no_picture", hint="linear and logistic have them"
            )
        return coefficient_figure(found)

    def paths(self, model: str | None = None) -> Figure:
        """The complexity curve of a family; without a name of the chosen one, or of the best that has a curve."""
        from venire.report.page.panels import path_figure

        curves = self._pictures.get("paths") or {}
        if model is None or not curves:
            return self._figure("paths")
        if model not in curves:
            hint = f"there are curves of: {', '.join(curves)}"
            raise UsageError(f"there is no complexity curve of {model!r}", code="no_picture", hint=hint)
        return path_figure(self._document, self._pictures, model)

    def selection(self) -> Figure:
        """Which family was chosen when each fold was held out."""
        return self._figure("selection")

    def importance(self, model: str | None = None) -> Figure:
        """Permutation importance with intervals on held-out rows, of what is handed over or of another model.

        The model is fitted without some folds, at most five, and asked about their rows, at most 1,000.
        """
        found = self._explainer.importance(self._candidate(model))
        return self._figure("importance", drawn={**self._pictures, "importance": found})

    def dependence(self, column: str | int, model: str | None = None) -> Figure:
        """Partial dependence: the mean prediction as one column takes its values, and the middle 80 % of the rows."""
        from venire.report.page.explanation_panels import dependence_figure

        return dependence_figure(self._document, self._explainer.dependence(column, self._candidate(model)))

    def shapley(self, rows: int | None = None, model: str | None = None, of: Any = None) -> Figure:
        """Shapley values of some rows (at most 100 by default), a dot for each row and column.

        `of` is the class whose probability is explained: by default the positive one, of several the most frequent.
        """
        from venire.report.page.explanation_panels import shapley_figure

        if rows is not None and not (isinstance(rows, Integral) and rows >= 1):
            hint = f"name a model with model={rows!r}" if isinstance(rows, str) else None
            raise UsageError(f"rows must be a whole number from 1 on, not {rows!r}", code="bad_rows", hint=hint)
        return shapley_figure(self._document, self._explainer.shapley(rows, self._candidate(model), of))

    def learning_curve(self, model: str | None = None, sizes: Sequence[float] | None = None) -> Figure:
        """Training and held-out error of a family against the rows it is trained on.

        Of what is handed over, or of the best single family where that is a combination. It is validated anew in five
        folds, with its setting chosen inside of every part; `sizes` are numbers or shares of rows.
        """
        from venire.report.page.explanation_panels import learning_figure

        curve = learning_of(self._judgement, self._candidate(model), sizes)
        return learning_figure(self._document, {**curve.to_dict(), "folds": curve.losses.shape[1]})

    def _curves(self, name: str, models: Sequence[str]) -> Figure:
        self._known(models)
        drawn = {**self._pictures, **curves_of(self._judgement, models)} if models else self._pictures
        return self._figure(name, drawn=drawn)

    def _single(self, name: str, model: str) -> Figure:
        self._known([model])
        return self._figure(name, drawn={**self._pictures, **picture_of(self._judgement, model)})

    def _figure(
        self, name: str, document: VerdictDocument | None = None, drawn: Mapping[str, Any] | None = None
    ) -> Figure:
        from venire.report.page.panels import figure  # Altair takes a third of a second to import

        return figure(name, document or self._document, self._pictures if drawn is None else drawn)
