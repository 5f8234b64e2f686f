"""The whole flow as one short function, and the verdict as a user holds it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from html import escape
from numbers import Integral, Real
from pathlib import Path
from time import monotonic
from typing import Any

from numpy.typing import ArrayLike

from venire.data import Table
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError, VenireError
from venire.families.requested import able_families, asked_families
from venire.report.document import verdict as summary
from venire.report.sentences import verdict as words
from venire.report.terminal import verdict as text
from venire.validation.averaging import refuse_single_rows
from venire.validation.choice import check_rule
from venire.validation.options import refuse_unknown
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.subject import as_table
from venire.validation.trials.budget import time_to_tell
from venire.validation.trials.certificates import INTERRUPTED, NO_TIME, certificates
from venire.validation.trials.evidence import FamilyKey, write_atomically
from venire.validation.trials.family import Family
from venire.validation.trials.runner import Ran, Tick, run_trials
from venire.validation.trials.runs import Runs
from venire.validation.trials.stopwatch import Stages
from venire.verdict.findings.catalogue import check_codes
from venire.verdict.hearing import Hearing
from venire.verdict.held_out import Witnesses
from venire.verdict.judge import Judgement, reviewed
from venire.verdict.ledger import Docket
from venire.verdict.measure import measure_of
from venire.verdict.pictures import pictures

DEFAULT_BUDGET = 600.0
_SORTING = 16.0  # what ranking predictions costs more than counting the wrong ones
_FINISHING = 80.0  # what calibrating them and setting thresholds on them does


def compare(
    source: Any,
    target: str | ArrayLike | None = None,
    *,
    positive: Any = None,
    metric: str | None = None,
    models: Sequence[str | Family | Any] | None = None,
    folds: int | None = None,
    repeats: int = 1,
    groups: str | ArrayLike | None = None,
    time: str | ArrayLike | None = None,
    weights: str | ArrayLike | None = None,
    stratified: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    budget: float | None = DEFAULT_BUDGET,
    costs: Any = None,
    rule: str = "best",
    duplicates: str = "together",
    practical_difference: float | None = None,
    mute: Sequence[str] | str = (),
    home: str | os.PathLike[str] | None = None,
    began: float | None = None,
    tick: Callable[[Tick], None] = lambda _: None,
    **reading: Any,
) -> Verdict:
    """Train the bucket, validate it in two layers, and say which model, how good, and whether it matters.

    `source` is anything `read_table` takes (and `reading` its further options). `target`, `groups`, `time` and
    `weights` are columns of it, or values, one a row: `compare(X, y)`. `models` are names of the bucket, scikit-learn
    estimators or families of your own; `budget` is in seconds, None for no limit, and counts from `began` (by
    `time.monotonic()`; else from now). `costs` says what a mistake costs: "fp:fn" such as "1:10", a matrix
    [actual][predicted], a dictionary or a file. `rule` is how a setting is chosen, "best" or "one_standard_error";
    `duplicates` keeps copies of a row "together" in one fold, or lets them lie "apart"; `practical_difference` is the
    difference of the metric below which two models are the same to you (else a share of the baseline's error).
    `mute` has codes of findings that are left out. What was computed before is not computed again.
    """
    refuse_unknown(reading, compare)
    stages = Stages(monotonic() if began is None else began, budget)
    families, combined = asked_families(models)
    workers = _jobs(jobs)
    _check_seed(seed)
    _check_budget(budget)
    check_rule(rule)
    muted = check_codes(mute)
    _check_difference(practical_difference)
    # After all that can be refused without it.
    given = {"positive": positive, "groups": groups, "time": time, "weights": weights, **reading}
    table = as_table(source, target, duplicates=duplicates, **given)
    measure = measure_of(table, metric, costs)
    plan = make_plan(table, blocks=folds, repeats=repeats, seed=seed, stratified=stratified)
    refuse_single_rows(plan, measure)
    runs = Runs.default() if home is None else Runs(Path(home).absolute())
    evidence = runs.open(table, plan)
    able, unable = able_families(families, table, measure)
    settings = {family.name: family.path(table) for family in able}
    keys = {family.name: FamilyKey.of(family, settings[family.name]) for family in able}
    docket = Docket(table, plan, evidence, measure, keys, settings, practical_difference)
    hearing = Hearing(docket, check_rule(rule))
    stages.ended("reading")
    ran = run_trials(
        table,
        plan,
        able,
        evidence,
        jobs=workers,
        budget=budget,
        began=stages.began,
        tick=tick,
        score=hearing.error,
        judging=_FINISHING if docket.finishing else _SORTING if measure.name == "auc" else 1.0,
        not_tried=unable,
    )
    complete = [family.name for family in able if family.name in ran.complete]
    if not complete:
        raise _nothing(ran)
    stages.ended("trials")
    bare = hearing.judgement(complete, combined)
    stages.ended("verdict")
    interrupted = ran.stopped == "interrupted"
    checked = certificates(
        [family for family in able if family.name in complete],
        table,
        plan,
        evidence,
        keys,
        jobs=workers,
        first=bare.handed_over,
        until=stages.began if interrupted else stages.until(time_to_tell(table.rows * len(bare.candidates))),
        late=INTERRUPTED if interrupted else NO_TIME,
    )
    stages.ended("checks")
    honest = [name for name in complete if checked[name].status != "leaks"] or complete
    if honest != complete:
        bare = hearing.judgement(honest, combined)
    verdict = Verdict(reviewed(bare, checked, muted), {family.name: family for family in able}, ran, stages)
    verdict._keep()
    return verdict


class Verdict:
    """A jury's verdict: the leaderboard, the chosen procedure, and the evidence behind both."""

    def __init__(self, judgement: Judgement, families: Mapping[str, Family], ran: Ran, stages: Stages) -> None:
        self.judgement = judgement
        self.ran = ran
        self.pictures = pictures(judgement)  # the data behind the pictures
        self._families = families
        self._document = summary.summarise(judgement, ran)
        stages.ended("verdict")
        self._document["timing"] = summary.timing(ran, stages)

    def __str__(self) -> str:
        return text.to_text(self._document)

    def __repr__(self) -> str:
        chosen = self._document["chosen"]
        error = "undefined" if chosen["error"] is None else f"{chosen['error']:.4g}"
        return f"<Verdict: {chosen['family']}, {chosen['setting']}, error {error}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    @property
    def chosen(self) -> dict[str, Any]:
        """What the procedure picked, and the error of the procedure."""
        return dict(self._document["chosen"])

    @property
    def table(self) -> Table:
        """The table as it was read."""
        return self.judgement.docket.table

    @property
    def plan(self) -> Plan:
        """Which rows were in which block."""
        return self.judgement.docket.plan

    def explain(self) -> str:
        """The verdict in three sentences: which model, how good it is really, and what to make of the difference."""
        return str(words.verdict(self._document))

    def to_dict(self) -> dict[str, Any]:
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
        """The chosen model or combination (or another of the leaderboard), fitted on all rows."""
        name = family or self.judgement.procedure.chosen.name
        held_names = [candidate.name for candidate in self.judgement.candidates]
        if name not in held_names:
            raise UsageError(f"there is no candidate {name!r}", hint=f"there are: {', '.join(held_names)}")
        candidate = self.judgement.candidate(name)
        weights = candidate.weights or {name: 1.0}
        heavy = {member: weight for member, weight in weights.items() if weight > 0}
        members = [(member, self._refit(member)) for member in heavy]
        return TableModel.of(self.table, members, list(heavy.values()), candidate.finish)

    def _refit(self, name: str) -> Any:
        setting = self.judgement.ledgers[name].settings[self.judgement.candidate(name).final_setting]
        return self._families[name].refit(self.table, setting, self.plan.seed)

    def _keep(self) -> None:
        """Leave the document beside the evidence, for `venire runs` and `venire report`."""
        kept = {"document": self._document, "pictures": self.pictures}
        path = self.judgement.docket.evidence.folder / "verdict.json"
        with suppress(OSError):  # a home that can only be read still gives its verdict
            write_atomically(path, json.dumps(kept).encode())


class Plot:
    """The pictures of one verdict."""

    def __init__(self, document: Mapping[str, Any], drawn: Mapping[str, Any]) -> None:
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


def _jobs(jobs: int | None) -> int:
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}", hint="jobs=1 uses one core")
    return jobs


def _check_seed(seed: int) -> None:
    if not isinstance(seed, Integral) or seed < 0:
        raise UsageError(
            f"the seed must be 0 or more, not {seed!r}", code="bad_seed", hint="any whole number from 0 on"
        )


def _check_budget(budget: float | None) -> None:
    if budget is not None and not (isinstance(budget, Real) and budget > 0):
        raise UsageError(
            f"the budget must be a number of seconds above 0, not {budget!r}",
            code="bad_budget",
            hint="None is no limit",
        )


def _check_difference(difference: float | None) -> None:
    if difference is not None and not (isinstance(difference, Real) and 0 <= difference < float("inf")):
        raise UsageError(
            f"practical_difference must be a number from 0 on, not {difference!r}",
            code="bad_practical_difference",
            hint="in the unit of the metric: 0.01 is one percent of the rows for error",
        )


def _nothing(ran: Ran) -> VenireError:
    """No family was finished: say why."""
    reasons = sorted({**ran.failed, **ran.not_tried}.items(), key=lambda item: item[1].startswith("too "))
    first = "; ".join(f"{name}: {reason}" for name, reason in reasons[:3])  # those that were begun say more
    if ran.stopped == "interrupted":
        return VenireError(
            "interrupted before any model was finished",
            code="interrupted",
            hint="trials that were finished are kept; the same command goes on from there",
        )
    return VenireError(f"no model was finished ({first})", code="nothing_finished", hint=_way_out(ran))


def _way_out(ran: Ran) -> str:
    """What would let a model be finished: time, memory, or a model that does not fail."""
    reasons = tuple(ran.not_tried.values())
    if ran.stopped == "budget" or any(reason.startswith("too dear") for reason in reasons):
        return "give more time with budget=, or name cheaper models with models="
    if any(reason.startswith("too large") for reason in reasons):
        return "use fewer workers with jobs=, or name models that need less memory with models="
    return "the model itself raised this: fit it by hand on some of the rows to see where, or name others with models="
