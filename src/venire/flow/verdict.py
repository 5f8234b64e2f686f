"""The verdict as a user holds it: what it says, in every form; the evidence behind it; and the model to keep."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from numpy.typing import NDArray

from venire.data import Table
from venire.data.readers.frames import Library, installed_library
from venire.flow.drawing.plot import Plot
from venire.flow.explaining import Explainer
from venire.flow.further_explanations import Allowance, further_explanations
from venire.flow.model_figures import figures_of
from venire.flow.refits import in_one_line, refit
from venire.flow.tables import leaderboard_columns
from venire.persist.kept_model import KeptModel
from venire.report.charts.figure import Figure
from venire.report.document import verdict as summary
from venire.report.document.shapes.verdict import Chosen, OnTestRows, VerdictDocument
from venire.report.notebook import verdict as notebook
from venire.report.page.kept_figures import as_kept
from venire.report.sentences import verdict as words
from venire.report.terminal import verdict as text
from venire.validation.evidence.runs import Asked
from venire.validation.held_out import frame_of
from venire.validation.plans.plan import Plan
from venire.validation.trials.reasons import Stopped
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.verdict.conformity import conformal
from venire.verdict.every_metric import metric_figures
from venire.verdict.held_out_predictions import Witnesses
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.pictures import pictures
from venire.verdict.shown.row_groups import errors_by_group
from venire.verdict.worst import worst

DRAWN_COLUMNS = 6  # whose dependence the report draws
UNEXPLAINED = "The budget left no time to fit the model again for this part. A report with more time has it."
Explanations = bool | Literal["all"]


class Verdict:
    """A jury's verdict: the leaderboard, the chosen procedure, and the evidence behind both.

    Parameters
    ----------
    judgement, ran, stages
        What `compare` found, how the run went, and when. `compare` makes a verdict; there is no need to.
    library
        Whose frames it gives: "pandas", "polars" or "pyarrow"; None for the first of them that is installed.
    test
        Every model on a separate test file, if there is one.

    Examples
    --------
    >>> import numpy as np
    >>> from venire import compare
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = compare(X, X[:, 0] > 0, models=["baseline", "naive_bayes"], folds=4)
    >>> verdict.fit().predict(X[:2]).shape, sorted(verdict.to_dict())[:1]
    ((2,), ['calibration'])
    """

    def __init__(
        self,
        judgement: Judgement,
        ran: Ran,
        stages: Stages,
        library: Library | None = None,
        test: OnTestRows | None = None,
    ) -> None:
        self._library: Library | None = library
        self._run: Asked | None = None  # whose answer it is
        self._by: str | None = None  # the column whose groups a report lists
        self._fitted: KeptModel | None = None  # what was chosen, where it was to be fitted at once
        self.judgement = judgement
        self.ran = ran
        self.pictures = pictures(judgement)  # the data behind the pictures
        facts = summary.summarise(judgement, ran)
        stages.ended("verdict")
        self._document: VerdictDocument = {**facts, "test": test, "timing": summary.timing(ran, stages)}

    @classmethod
    def kept(
        cls,
        judgement: Judgement,
        ran: Ran,
        stages: Stages,
        run: Asked,
        library: Library | None = None,
        test: OnTestRows | None = None,
        *,
        fitted: bool = False,
        by: str | None = None,
    ) -> Verdict:
        """The verdict, with its document left as the answer of a run, for `venire runs` and `venire report`."""
        verdict = cls(judgement, ran, stages, library, test)
        verdict._run, verdict._by = run, by
        verdict._keep()
        if fitted and ran.stopped is not Stopped.INTERRUPTED:
            verdict._fitted = verdict._refitted(None, verdict._left_of_folds())
        return verdict

    def _keep(self) -> None:
        if self._run is not None:
            self._run.answer(json.dumps({"document": self._document, "pictures": self.pictures}).encode())

    def __str__(self) -> str:
        return text.to_text(self._document)

    def __repr__(self) -> str:
        chosen = self._document["chosen"]
        error = "undefined" if chosen["error"] is None else f"{chosen['error']:.4g}"
        return f"<Verdict: {chosen['family']}, {chosen['setting']}, error {error}>"

    def _repr_html_(self) -> str:
        return notebook.to_html(self._document)

    @property
    def chosen(self) -> Chosen:
        """What the procedure picked, and the error of the procedure."""
        return self._document["chosen"].copy()

    @property
    def table(self) -> Table:
        """The table as it was read."""
        return self.judgement.docket.table

    @property
    def run(self) -> str | None:
        """The key of the run that keeps it, for `venire runs`; None where none does."""
        return None if self._run is None else self._run.folder.name

    @property
    def plan(self) -> Plan:
        """Which rows were in which fold."""
        return self.judgement.docket.plan

    def explain(self) -> str:
        """The verdict in three sentences: which model, how good it is really, and what to make of the difference."""
        return str(words.verdict(self._document))

    def to_dict(self) -> VerdictDocument:
        """The document that `--json` prints; there, advice speaks of options and not of arguments."""
        return json.loads(json.dumps(self._document))  # type: ignore[no-any-return]  # a deep copy of plain data

    @property
    def evidence(self) -> Witnesses:
        """Held-out predictions: of the `procedure`, of each member and of each combination, by their names."""
        return Witnesses(self.judgement)

    @cached_property
    def plot(self) -> Plot:
        """Pictures by name: `verdict.plot.roc()`."""
        return Plot(self.judgement, self._document, self.pictures, self._explainer)

    @cached_property
    def _explainer(self) -> Explainer:
        return Explainer(self.judgement)

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        explanations: Explanations = True,
        worst_rows: int = 0,
        by: str | None = None,
        plots: Sequence[Figure] = (),
    ) -> Path:
        """Write the report: one page that opens offline.

        `explanations` are the importance of columns on held-out rows and the dependence on the first of them, which
        takes a few fits of what is handed over, and Shapley values and the learning curve where they take at most a
        tenth of the run's time; "all" has them in any case, also after the budget, False leaves all of them out.
        `worst_rows` is how many of the rows that are most wrong are listed. `by` is a column: the errors of each of its
        groups are listed, with intervals; by default the one that `compare` was given. `plots` are further pictures,
        such as `verdict.plot.boundary("age", "income")`.
        """
        from venire.report.page import html

        found = self.report_pictures(explanations=explanations, worst_rows=worst_rows, by=by, plots=plots)
        return html.write(self._document, found, path)

    def report_pictures(
        self,
        *,
        explanations: Explanations = True,
        worst_rows: int = 0,
        by: str | None = None,
        plots: Sequence[Figure] = (),
    ) -> dict[str, Any]:
        """The data behind the pictures of a report. Explanations are kept for `venire report`, single rows are not."""
        by = by or self._by
        groups = None if by is None else errors_by_group(self.judgement, by)  # a wrong name is said before all the work
        everything = explanations == "all"
        if "metrics" not in self.pictures:
            self.pictures = {**self.pictures, "metrics": metric_figures(self.judgement)}
            self._keep()
        if explanations and ("importance" not in self.pictures or (everything and self.pictures["left_out"])):
            fresh = {"unexplained": None, "left_out": [], **self._explained(everything=everything)}
            self.pictures = {**self.pictures, **fresh}
            self._keep()
        rows = worst(self.evidence[PROCEDURE], worst_rows) if worst_rows else {}
        listed = {name: found.tolist() for name, found in rows.items()}
        asked = [as_kept(plot) for plot in plots]
        return {**self.pictures, "worst_rows": listed, "groups": groups, "asked": asked}

    def _explained(self, *, everything: bool) -> dict[str, Any]:
        """Explanations for the report, or a sentence where the budget has no time for them."""
        timing, explainer, began = self._document["timing"], self._explainer, monotonic()
        expected = explainer.fits * sum(self.ran.seconds.get(n, 0.0) for n in self.judgement.handed_over)
        expected /= max(1, len(self.plan.trials))
        late = timing["budget"] is not None and timing["seconds"] + expected > timing["budget"]
        if late and not everything:
            return {"unexplained": UNEXPLAINED}
        try:
            found = explainer.pictures(DRAWN_COLUMNS)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # somebody's estimator may raise anything, or leave: the page says it
            return {"unexplained": f"{explainer.chosen} could not be explained: {in_one_line(error)}"}
        trials = sum(self.ran.seconds.values()) / max(1, self.ran.jobs)
        allowance = Allowance.of(timing, began, everything=everything, trials=trials)
        return {**found, **further_explanations(self.judgement, self.ran, explainer, allowance)}

    def fit(self, family: str | None = None) -> KeptModel:
        """The chosen model or combination (or another of the leaderboard), fitted on all rows.

        What its members warn of while they are fitted is said in one `VenireWarning`, and kept as `fit_warnings_`.
        """
        ready = self._fitted if family is None else None
        model = self._refitted(family) if ready is None else ready
        return model.warned_of(model.fit_warnings_)

    def _left_of_folds(self) -> dict[str, list[Any]]:
        """The models of the folds of families that there is no time to fit on all rows."""
        outer = [held.trial for held in self.plan.finals]
        return {name: [self.ran.models[name][trial] for trial in outer] for name in self.judgement.of_folds}

    def _refitted(self, family: str | None, left: Mapping[str, Sequence[Any]] | None = None) -> KeptModel:
        name = family or self.judgement.procedure.chosen.name
        model = refit(self.judgement, name, threads=self.ran.jobs, left=left)
        candidate = self.judgement.candidate(name)
        ledgers = self.judgement.ledgers
        model.about_ = dict(figures_of(self._document, self.table, candidate, ledgers, chosen=family is None))
        model.conformal_ = conformal(self.judgement, PROCEDURE if family is None else name)
        return model

    def save(self, path: str | os.PathLike[str], family: str | None = None) -> Path:
        """Fit the chosen model or combination (or another of the leaderboard) on all rows, and write it to a file.

        The figures of the verdict are in the file; `venire.load` reads it.
        """
        from venire.persist import save  # it knows every estimator there is

        return save(self.fit(family), path)

    def card(self, path: str | os.PathLike[str], family: str | None = None) -> Path:
        """Write the model card of the chosen model (or of another): Markdown (`.md`) or a page (`.html`).

        It says what the model predicts and from which columns, how good it is, from which rows, its limits, and what
        it keeps of the training data. For that the model is fitted on all rows.
        """
        from venire.persist.model_files import facts_of, versions_here
        from venire.report.card.contents import card_of
        from venire.report.card.page import refuse_other_cards, write_card

        refuse_other_cards(Path(path))
        return write_card(card_of({**facts_of(self.fit(family)), "written_by": versions_here()}), path)

    def leaderboard(self, metrics: Sequence[str] | None = None, *, seconds: bool = True) -> Any:
        """The leaderboard as a frame of the library the table came in, with an interval beside every figure.

        `metrics` are names such as "error", "auc" or "log_loss"; without them, all that the evidence allows, that of
        the verdict first. Scores such as AUC are given as scores. Nothing is chosen again: each model is as the verdict
        has it. The seconds are those of fitting on all rows and of predicting a row, which takes a fit of every model;
        `seconds=False` leaves them out.
        """
        columns = leaderboard_columns(self.judgement, self._document, metrics, timed=seconds)
        return self._frame(columns)

    def worst_rows(self, n: int = 20, model: str = PROCEDURE) -> Any:
        """The held-out rows that are most wrong, the worst first: a frame of row, fold, actual, predicted and loss.

        Rows are counted from 0, among those that have a target, as in `evidence`. The loss is −log of the probability
        given to the truth, 1 for a wrong label where a model gives no probabilities, or the absolute error of a number.
        """
        held = self.evidence[model]
        return self._frame(worst(held, n), categorical=held.categorical)

    def _frame(self, columns: Mapping[str, NDArray[Any]], *, categorical: bool = False) -> Any:
        return frame_of(columns, self._library or installed_library(), categorical=categorical)
