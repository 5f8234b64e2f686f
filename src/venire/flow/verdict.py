"""The verdict as a user holds it: what it says, in every form; the evidence behind it; and the model to keep."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

from venire.data import Table
from venire.ensembles.table_model import TableModel, fitted_quietly
from venire.errors import UsageError
from venire.flow.model_figures import figures_of
from venire.report.document import verdict as summary
from venire.report.document.shapes.verdict import Chosen, VerdictDocument
from venire.report.sentences import verdict as words
from venire.report.terminal import verdict as text
from venire.validation.evidence.runs import Asked
from venire.validation.plans.plan import Plan
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.verdict.held_out import Witnesses
from venire.verdict.judgement import Judgement
from venire.verdict.pictures import pictures


class Verdict:
    """A jury's verdict: the leaderboard, the chosen procedure, and the evidence behind both.

    Parameters
    ----------
    judgement, ran, stages
        What `compare` found, how the run went, and when. `compare` makes a verdict; there is no need to.

    Examples
    --------
    >>> import numpy as np
    >>> from venire import compare
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = compare(X, X[:, 0] > 0, models=["baseline", "naive_bayes"], folds=4)
    >>> verdict.fit().predict(X[:2]).shape, sorted(verdict.to_dict())[:1]
    ((2,), ['calibration'])
    """

    def __init__(self, judgement: Judgement, ran: Ran, stages: Stages) -> None:
        self.judgement = judgement
        self.ran = ran
        self.pictures = pictures(judgement)  # the data behind the pictures
        facts = summary.summarise(judgement, ran)
        stages.ended("verdict")
        self._document: VerdictDocument = {**facts, "timing": summary.timing(ran, stages)}

    @classmethod
    def kept(cls, judgement: Judgement, ran: Ran, stages: Stages, run: Asked) -> Verdict:
        """The verdict, with its document left as the answer of a run, for `venire runs` and `venire report`."""
        verdict = cls(judgement, ran, stages)
        content = {"document": verdict._document, "pictures": verdict.pictures}
        run.answer(json.dumps(content).encode())
        return verdict

    def __str__(self) -> str:
        return text.to_text(self._document)

    def __repr__(self) -> str:
        chosen = self._document["chosen"]
        error = "undefined" if chosen["error"] is None else f"{chosen['error']:.4g}"
        return f"<Verdict: {chosen['family']}, {chosen['setting']}, error {error}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    @property
    def chosen(self) -> Chosen:
        """What the procedure picked, and the error of the procedure."""
        return self._document["chosen"].copy()

    @property
    def table(self) -> Table:
        """The table as it was read."""
        return self.judgement.docket.table

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
        """Held-out predictions: of the `procedure`, of each member, of `vote` and `stack`, by these names."""
        return Witnesses(self.judgement)

    @cached_property
    def plot(self) -> Plot:
        """Pictures by name: `verdict.plot.roc()`."""
        return Plot(self._document, self.pictures)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report: one page that opens offline."""
        from venire.report.page import html

        return html.write(self._document, self.pictures, path)

    def fit(self, family: str | None = None) -> TableModel:
        """The chosen model or combination (or another of the leaderboard), fitted on all rows.

        What its members warn of while they are fitted is said in one `VenireWarning`, and kept as `fit_warnings_`.
        """
        name = family or self.judgement.procedure.chosen.name
        held_names = [candidate.name for candidate in self.judgement.candidates]
        if name not in held_names:
            raise UsageError(f"there is no candidate {name!r}", hint=f"there are: {', '.join(held_names)}")
        candidate = self.judgement.candidate(name)
        weights = candidate.weights or {name: 1.0}
        heavy = {member: weight for member, weight in weights.items() if weight > 0}
        members, caught = fitted_quietly({member: partial(self._refit, member) for member in heavy})
        model = TableModel.of(self.table, members, list(heavy.values()), candidate.finish)
        model.about_ = dict(figures_of(self._document, self.table, candidate, chosen=family is None))
        return model.warned_of(caught)

    def save(self, path: str | os.PathLike[str], family: str | None = None) -> Path:
        """Fit the chosen model or combination (or another of the leaderboard) on all rows, and write it to a file.

        The figures of the verdict are in the file; `venire.load` reads it.
        """
        from venire.persist import save  # it knows every estimator there is

        return save(self.fit(family), path)

    def _refit(self, name: str) -> Any:
        setting = self.judgement.ledgers[name].settings[self.judgement.candidate(name).final_setting]
        return self.judgement.docket.families[name].refit(self.table, setting, self.plan.seed)


class Plot:
    """The pictures of one verdict: `verdict.plot.roc()`.

    Parameters
    ----------
    document, drawn
        The facts of the verdict, and the data behind its pictures.

    Examples
    --------
    >>> import numpy as np
    >>> from venire import compare
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = compare(X, X[:, 0] > 0, models=["baseline", "naive_bayes"], folds=4)
    >>> "roc" in dir(verdict.plot)
    True
    """

    def __init__(self, document: VerdictDocument, drawn: Mapping[str, Any]) -> None:
        self._document = document
        self._pictures = drawn

    def __dir__(self) -> list[str]:
        from venire.report.charts import catalogue as charts

        return charts.available(self._document, self._pictures)

    def __getattr__(self, name: str) -> Callable[[], Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        from venire.report.charts import catalogue as charts

        return lambda: charts.draw(name, self._document, self._pictures)
