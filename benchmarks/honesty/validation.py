"""One two-layer validation of the small jury, with the truth beside it.

The plan, the choice of settings, vote and stack, the procedure and its fold losses are venire's own functions; only
the evidence stays in memory. The truth of a repetition is the error of its K outer models on fresh rows, an equal share
of the rows for each model. Averaged over repetitions it is the target: the expected error, over training sets of
n(1 − 1/K) rows, of the procedure that chooses family, setting and weights on those rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.jury import Member, Scene, jury
from benchmarks.honesty.problems import as_table
from venire.combine import average
from venire.data.table import Table, Task
from venire.metrics import metric
from venire.metrics.predictions import Output, decide
from venire.validation.evidence.evidence import FamilyKey, InMemory
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Place, Plan, Trial
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Outcome
from venire.validation.trials.ledger import Ledger
from venire.verdict.candidates import Candidate, member
from venire.verdict.combinations import combinations
from venire.verdict.procedure import Procedure, procedure

ERROR = metric("error", Task.CLASSIFICATION)


@dataclass(frozen=True, eq=False)
class Validated:
    """What venire concludes, and how the outer models do on rows nobody has seen."""

    docket: Docket
    ledgers: Mapping[str, Ledger]
    candidates: tuple[Candidate, ...]
    procedure: Procedure
    fresh: Mapping[str, NDArray[np.float64]]  # candidate or "procedure" → error of each outer model; empty without rows
    said: Mapping[tuple[str, int], Outcome]  # member and outer fold → what it says of its fresh rows
    answers: Mapping[int, NDArray[np.int32]]  # outer fold → the truth about its fresh rows

    @property
    def truth(self) -> float:
        """The procedure's error on fresh rows in this repetition."""
        return float(self.fresh["procedure"].mean())

    def fixed_truth(self, family: str, setting: int) -> float:
        """The error of one setting's outer models on fresh rows, nothing chosen."""
        return float(np.mean([np.mean(self.said[family, i].labels[setting] != y) for i, y in self.answers.items()]))


def validate(
    X: NDArray[np.float64],
    y: NDArray[np.int32],
    fresh: tuple[NDArray[np.float64], NDArray[np.int32]] | None,
    *,
    seed: int,
    stratified: bool = False,
    combined: Sequence[str] = ("vote", "stack"),
    members: Sequence[str] = ("baseline", "naive_bayes", "knn", "linear"),
    groups: NDArray[np.int32] | None = None,
) -> Validated:
    """Split, run, choose, judge; and ask the outer models about the fresh rows."""
    table = replace(as_table(X, y), groups=groups)
    table, plan = _by_fold(table, make_plan(table, seed=seed, stratified=stratified))
    extended = [_with_fresh(trial, plan, fresh is not None) for trial in plan.trials]
    scene = _scene(table, plan, fresh, extended)
    found = jury(scene, table.rows, members)
    outcomes, beyond = _parted(found, plan, extended)
    settings = {m.name: m.settings for m in found}
    keys = {m.name: FamilyKey(m.name, "jury") for m in found}
    evidence = InMemory()
    for (name, trial), outcome in outcomes.items():
        evidence.put(keys[name], trial, outcome)
    docket = Docket(table, plan, ERROR, evidence, {}, keys, settings)
    ledgers = {m.name: docket.ledger(m.name) for m in found}
    candidates = [member(docket, ledger) for ledger in ledgers.values()]
    candidates += combinations(docket, ledgers, candidates, combined)
    chosen = procedure(candidates)
    answers = {} if fresh is None else {i: scene.y[scene.rows((plan.folds + i,))] for i in range(plan.folds)}
    errors = {} if fresh is None else _fresh_errors(answers, beyond, candidates, chosen)
    return Validated(docket, ledgers, tuple(candidates), chosen, errors, beyond, answers)


def _by_fold(table: Table, plan: Plan) -> tuple[Table, Plan]:
    """The same rows in the order of their folds: then every trial's rows are whole folds."""
    order = np.argsort(plan.fold_of[0], kind="stable")
    assert table.target is not None
    moved = replace(
        table,
        X=np.asfortranarray(table.X[order]),
        target=replace(table.target, values=table.y[order]),
        groups=None if table.groups is None else table.groups[order],
        _digest=[],
    )
    return moved, replace(plan, fold_of=plan.fold_of[:, order])


def _with_fresh(trial: Trial, plan: Plan, fresh: bool) -> Trial:
    """An outer trial also predicts its share of the fresh rows, which form the fold K + i."""
    if not fresh or not plan.is_outer(trial):
        return trial
    return replace(trial, test=(*trial.test, plan.folds + trial.test[0]))


def _scene(table: Table, plan: Plan, fresh: tuple[NDArray[Any], NDArray[Any]] | None, trials: Sequence[Trial]) -> Scene:
    if fresh is None:
        return Scene.of(table.X, table.y, plan.fold_of[0], trials)
    X, y = fresh
    share = plan.folds + np.arange(len(y)) * plan.folds // len(y)
    return Scene.of(np.vstack([table.X, X]), np.append(table.y, y), np.append(plan.fold_of[0], share), trials)


def _parted(
    found: Sequence[Member], plan: Plan, extended: Sequence[Trial]
) -> tuple[dict[tuple[str, Trial], Outcome], dict[tuple[str, int], Outcome]]:
    """What was said of the table, by trial; and of the fresh rows, by outer fold."""
    said, beyond = {}, {}
    for at in found:
        for trial, run in zip(plan.trials, extended, strict=True):
            outcome = at.outcomes[run]
            if run is not trial:
                own = len(plan.rows(0, trial.test))
                beyond[at.name, trial.test[0]] = _rows(outcome, slice(own, None))
                outcome = _rows(outcome, slice(own))
            said[at.name, trial] = outcome
    return said, beyond


def _rows(outcome: Outcome, part: slice) -> Outcome:
    return Outcome(outcome.output, outcome.outputs[:, part], outcome.labels[:, part], {})


def _fresh_errors(
    answers: Mapping[int, NDArray[np.int32]],
    beyond: Mapping[tuple[str, int], Outcome],
    candidates: Sequence[Candidate],
    chosen: Procedure,
) -> dict[str, NDArray[np.float64]]:

    def error(candidate: Candidate, place: Place) -> float:
        return float(np.mean(_labels(candidate, beyond, place) != answers[place[1]]))

    errors = {c.name: np.array([error(c, place) for place in c.outer]) for c in candidates}
    errors["procedure"] = np.array([errors[pick.name][at] for at, pick in enumerate(chosen.picks.values())])
    return errors


def _labels(
    candidate: Candidate,
    beyond: Mapping[tuple[str, int], Outcome],
    place: Place,
) -> NDArray[np.int32]:
    """What a candidate's outer model decides for its fresh rows."""
    if candidate.kind == "member":
        labels: NDArray[np.int32] = beyond[candidate.name, place[1]].labels[candidate.settings[place]]
        return labels
    parts = candidate.parts_at[place]
    said = []
    for name, setting in parts:
        outcome = beyond[name, place[1]]
        probable = outcome.output is Output.PROBABILITIES
        said.append(outcome.outputs[setting] if probable else np.eye(2)[outcome.labels[setting]])
    return decide(average(np.stack(said), np.array(list(parts.values()))))
