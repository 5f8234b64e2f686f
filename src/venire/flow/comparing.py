"""Table → plan → trials → evidence → verdict → document: the whole flow, as one short function."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from venire.cluster.where import Where
from venire.data.readers.frames import library_of
from venire.data.table import Table
from venire.families.affordable_folds import drawn_within, folds_within
from venire.families.requested import able_families, asked_families
from venire.flow.checks import checked_members
from venire.flow.fits_in_time import too_late
from venire.flow.on_test_rows import read_test_rows, tested
from venire.flow.refusals import nothing_finished
from venire.flow.verdict import Verdict
from venire.flow.watching import shows_progress
from venire.validation.averaging import refuse_single_rows
from venire.validation.choice import check_rule
from venire.validation.evidence.questions import Kind, Question, check_name
from venire.validation.evidence.recipes import recipe_of
from venire.validation.evidence.runs import Runs
from venire.validation.honesty.certificate import Certificate
from venire.validation.plans.folds import make_plan
from venire.validation.subject import as_table, measure_of
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort, Tick, check_seed, unwatched
from venire.validation.trials.reasons import Status
from venire.validation.trials.runner import Ran, run_trials
from venire.validation.trials.stopwatch import Stages
from venire.validation.trials.workers.afar import session_of
from venire.validation.trials.workers.pool import Pool, pool
from venire.validation.unknown_options import refuse_unknown
from venire.verdict.findings.catalogue import check_codes, reviewed
from venire.verdict.judgement import Assessment, Judgement
from venire.verdict.leaderboard import check_difference
from venire.verdict.shown.row_groups import check_group_column

DEFAULT_BUDGET = 600.0
_SORTING = 16.0  # what ranking predictions costs more than counting the wrong ones
_FINISHING = 6.0  # what calibrating them and setting thresholds on them does


@shows_progress
def compare(
    source: Any,
    target: str | ArrayLike | None = None,
    *,
    positive: Any = None,
    metric: str | None = None,
    models: Sequence[Any] | None = None,
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
    test: Any = None,
    by: str | None = None,
    name: str | None = None,
    home: str | os.PathLike[str] | None = None,
    fit: bool = False,
    cluster: Any = None,
    shared: str | os.PathLike[str] | None = None,
    began: float | None = None,
    progress: bool = True,  # `shows_progress` reads it
    tick: Callable[[Tick], None] = unwatched,
    **reading: Any,
) -> Verdict:
    """Train many models, validate them in two layers, and say which model, how good, and whether it matters.

    What was computed before is not computed again.

    Parameters
    ----------
    source
        Anything `read_table` takes, such as a path or a frame, or `X` with `y` as the target.
    target
        The column to predict, or its values, one per row.
    positive
        The class of interest, with two classes.
    metric
        What is measured; by default the error rate, or the root mean squared error.
    models
        Names of models, scikit-learn estimators or families of your own; by default all that need no extra.
    folds, repeats
        How many folds (by default 10, 5 or 3 by the rows and the budget), and how often rows are split into them.
    groups, time, weights
        Columns, or values, one per row, as of `read_table`.
    stratified
        Give every fold the same shares of the classes.
    seed
        The same seed gives the same verdict.
    jobs
        How many trials run at a time; it changes nothing but the time.
    budget
        Seconds, None for no limit.
    costs
        What a mistake costs: "fp:fn" such as "1:10", a matrix `[actual][predicted]`, a dictionary or a file.
    rule
        How a setting is chosen: "best", or "one_standard_error" for the simplest within one standard error of it.
    duplicates
        Copies of a row: "together" in one fold, or "apart" like any other rows.
    practical_difference
        Two models whose metric differs by less are the same to you; by default 1 % of the baseline's error.
    mute
        Codes of findings that are not to be shown.
    test
        Rows with known targets to try every model on in the end: anything `read_table` takes, or `(X, y)`. They have
        no part in training or in any choice; it takes one more fit of every model.
    by
        A column: the report lists the errors of each of its groups. It is looked for before anything is trained.
    name
        What `venire runs` calls it; by default the name of the file.
    home
        The folder for runs and their evidence; by default that of `VENIRE_HOME`, or `.venire`.
    fit
        Fit what is chosen on all rows, within the budget: `Verdict.fit` then has it ready.
    cluster
        Run the trials on the workers of a Dask cluster: an address, a scheduler file, a `Client` or a `Cluster`.
        It changes nothing but the time. Needs `pip install 'venire[cluster]'`.
    shared
        A folder that is there on all machines of the cluster: the table and what trials found travel through it.
    began
        When the budget began, by `time.monotonic()`; by default now.
    progress
        Show how far it is: in a notebook below the cell, else on stderr where that is a terminal.
    tick
        Is called after every step, in place of showing progress.
    **reading
        Further options of `read_table`.

    Returns
    -------
    Verdict
        The leaderboard, the chosen procedure, and the evidence behind both.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = compare(X, X[:, 0] > 0, models=["baseline", "naive_bayes"], folds=4)
    >>> verdict.chosen["family"], round(verdict.chosen["error"], 3)
    ('naive_bayes', 0.067)
    """
    recipe = recipe_of(locals())  # before there is anything else
    refuse_unknown(reading, compare)
    # All that can be refused without the table comes before it is read.
    effort = Effort.of(jobs, budget, began, tick, fitting=fit)
    stages = Stages(effort.began, budget)
    where = Where.of(cluster, shared)
    families, combined = asked_families(models)
    check_seed(seed)
    check_difference(practical_difference)
    chosen_by, muted, called = check_rule(rule), check_codes(mute), check_name(name)

    given = {"positive": positive, "groups": groups, "time": time, "weights": weights, **reading}
    if home is not None and not isinstance(source, Table):
        given.setdefault("store", home)
    table = as_table(source, target, duplicates=duplicates, **given)
    test_rows = None if test is None else read_test_rows(test, table)
    if by is not None:
        check_group_column(table, by)
    table, drawn = drawn_within(table, budget, seed)
    measure = measure_of(table, metric, costs)
    plan = make_plan(
        table,
        folds=folds_within(table, budget) if folds is None else folds,
        repeats=repeats,
        seed=seed,
        stratified=stratified,
    )
    plan = replace(plan, notes=(*drawn, *plan.notes))
    refuse_single_rows(plan, measure)
    able, unable = able_families(families, table, measure)
    runs = Runs.default() if home is None else Runs(Path(home).absolute())
    docket = Docket.of(table, plan, measure, runs.open(table, plan), able, practical_difference)
    stages.ended("reading")

    further = (chosen_by, practical_difference, sorted(muted), *(() if test_rows is None else (test_rows.digest,)))
    asked = tuple(sorted([*(family.name for family in families), *combined]))
    keys = tuple(docket.keys.values())
    with runs.asked(Question(Kind.COMPARISON, table, plan, measure, keys, further, asked, called)) as run:
        run.recipe(recipe)
        assessment = Assessment(docket, chosen_by)
        how: dict[str, Any] = {"score": assessment.error, "judging": _judging(docket), "not_tried": unable}
        with pool(docket, effort.jobs) as workers, session_of(where) as session:
            ran = run_trials(docket, effort, **how, workers=workers, session=session)
            judgement = _judged(assessment, ran, combined, stages, workers)
        final = reviewed(*judgement, muted)
        outcome = None
        if test_rows is not None:
            outcome = tested(final, test_rows, effort.jobs)
            stages.ended("test")
        return Verdict.kept(final, ran, stages, run, library_of(source), outcome, fitted=fit, by=by)


def _judged(
    assessment: Assessment, ran: Ran, combined: Sequence[str], stages: Stages, workers: Pool
) -> tuple[Judgement, Mapping[str, Certificate]]:
    """What the trials came to, without members that leak as long as there are others; and every certificate.

    What is handed over can be fitted within the budget, as far as a forecast tells.
    """
    docket = assessment.docket
    complete = [name for name in docket.families if name in ran.complete]
    if not complete:
        raise nothing_finished(ran)
    stages.ended("trials")

    bare = assessment.judgement(complete, combined)
    stages.ended("verdict")

    checked = checked_members(docket.only(complete), bare, ran, stages, workers)
    stages.ended("checks")

    honest = [name for name in complete if checked[name].status is not Status.LEAKS] or complete
    judgement = bare if honest == complete else assessment.judgement(honest, combined)
    late = too_late(judgement, ran, stages)
    if late.without:
        judgement = assessment.judgement(honest, combined, late.without)
        stages.ended("verdict")
    return judgement.as_models_of_folds(late.of_folds), checked


def _judging(docket: Docket) -> float:
    """How much longer judging by the metric takes than counting errors."""
    return _FINISHING if docket.finishing else _SORTING if docket.metric.name == "auc" else 1.0
