"""Findings: what a careful colleague would point out, each with a stable code, a sentence and advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from venire.data.table import Task
from venire.inference import corrected_t
from venire.verdict.candidates import Candidate
from venire.verdict.combinations import BASELINE
from venire.verdict.leaderboard import Row
from venire.verdict.ledger import Docket, Ledger
from venire.verdict.procedure import Procedure

_FEW_ROWS = 100
_RARE = 0.2


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing before acting on the verdict."""

    code: str
    message: str
    advice: str


@dataclass(frozen=True, eq=False)
class _Case:
    docket: Docket
    ledgers: Mapping[str, Ledger]
    candidates: Sequence[Candidate]
    procedure: Procedure
    rows: Sequence[Row]

    @property
    def top(self) -> Row:
        return self.rows[0]


def find(
    docket: Docket,
    ledgers: Mapping[str, Ledger],
    candidates: Sequence[Candidate],
    procedure: Procedure,
    rows: Sequence[Row],
) -> tuple[Finding, ...]:
    """Everything that applies, in the order of the codes."""
    case = _Case(docket, ledgers, candidates, procedure, rows)
    return tuple(finding for check in CHECKS for finding in check(case))


def few_rows(case: _Case) -> Iterator[Finding]:
    """V001."""
    rows = case.docket.table.rows
    if rows < _FEW_ROWS:
        found = case.top.interval
        told = f"the interval from {found.low:.3g} to {found.high:.3g} is what they can tell"
        yield Finding(
            "V001",
            f"{rows} rows are few: {told if found.defined else 'not even an interval can be given'}",
            "Read the interval, not the figure; repeat the dealing with --repeats, or collect more rows.",
        )


def rare_classes(case: _Case) -> Iterator[Finding]:
    """V002."""
    target = case.docket.table.target
    if target is None or target.task is not Task.CLASSIFICATION:
        return
    counts = np.bincount(case.docket.table.y, minlength=len(target.classes))
    small = [(label, int(n)) for label, n in zip(target.labels, counts, strict=True) if n < case.docket.plan.blocks]
    if small:
        named = ", ".join(f"{label!r} ({n})" for label, n in small[:5]) + (" and others" if len(small) > 5 else "")
        yield Finding(
            "V002",
            f"classes with fewer rows than the {case.docket.plan.blocks} blocks: {named}",
            "They are absent from some blocks, so little can be said about them; collect more, or merge them.",
        )


def absent_classes(case: _Case) -> Iterator[Finding]:
    """V003."""
    target, plan = case.docket.table.target, case.docket.plan
    if target is None or target.task is not Task.CLASSIFICATION:
        return
    absent: set[str] = set()
    for trial in plan.trials:
        seen = np.bincount(case.docket.table.y[plan.train_rows(trial)], minlength=len(target.classes))
        absent |= {target.labels[c] for c in np.flatnonzero(seen == 0)}
    if absent:
        named = ", ".join(repr(label) for label in sorted(absent)[:5]) + (" and others" if len(absent) > 5 else "")
        yield Finding(
            "V003",
            f"some models were trained without a single row of {named}",
            "They give it probability 0; a class needs rows in three blocks to be in every training part.",
        )


def undefined_blocks(case: _Case) -> Iterator[Finding]:
    """V004."""
    losses = case.procedure.losses
    undefined = int(np.isnan(losses).sum())
    if undefined:
        yield Finding(
            "V004",
            f"{case.docket.metric.label} is undefined in {undefined} of {len(losses)} blocks, which hold too few "
            "classes; means are over the others",
            "Use fewer blocks (--folds), or a metric that every block defines, such as error.",
        )


def no_better_than_guessing(case: _Case) -> Iterator[Finding]:
    """V005."""
    baseline = next((c for c in case.candidates if c.name == BASELINE), None)
    if baseline is None or np.isnan(case.top.error):
        return
    # Block by block: some blocks are hard for everybody, and that tells nothing about the difference.
    gap = case.procedure.losses - baseline.losses
    if corrected_t(gap, case.docket.plan.test_over_train()).high < 0:
        return
    yield Finding(
        "V005",
        f"the procedure ({case.top.error:.3g}) cannot be told from always predicting the same ({baseline.error:.3g})",
        "Do not use the model as if it knew something; look for better attributes or more rows.",
    )


def unsuited_metric(case: _Case) -> Iterator[Finding]:
    """V006."""
    target = case.docket.table.target
    if target is None or not target.classes or case.docket.metric.name != "error":
        return
    shares = np.bincount(case.docket.table.y, minlength=len(target.classes)) / case.docket.table.rows
    if len(shares) == 2 and shares.min() < _RARE:
        rare = target.labels[int(shares.argmin())]
        yield Finding(
            "V006",
            f"{rare!r} is {shares.min():.1%} of the rows: always saying the other is wrong on no more than that",
            "Judge by --metric balanced_error, auc or f1 if finding the rare class is what matters.",
        )


def not_separable(case: _Case) -> Iterator[Finding]:
    """V007."""
    order = {c.name: at for at, c in enumerate(case.candidates)}
    chosen = case.procedure.chosen.name
    simpler = [
        row
        for row in case.rows[1:]
        if row.family != chosen and order[row.family] < order[chosen] and row.p_as_good > 0.5
    ]
    if simpler:
        named = ", ".join(row.family for row in simpler[:4])
        yield Finding(
            "V007",
            f"{chosen} is not clearly better than the simpler {named}",
            "Prefer a simpler one when speed, explanation or upkeep matter.",
        )


def over_fitting(case: _Case) -> Iterator[Finding]:
    """V008."""
    gap = case.top.error - case.top.training_error
    width = case.top.interval.width
    if np.isfinite(gap) and gap > max(width, 0.5 * abs(case.top.error)) and gap > 0:
        yield Finding(
            "V008",
            f"the error on rows it was trained on ({case.top.training_error:.3g}) says nothing about new ones "
            f"({case.top.error:.3g})",
            "Never report the training error of this model.",
        )


def unstable_choice(case: _Case) -> Iterator[Finding]:
    """V009."""
    picked = Counter(c.name for c in case.procedure.picks.values())
    most = max(picked.values())
    total = sum(picked.values())
    if len(picked) > 1 and most <= total / 2:
        named = ", ".join(f"{family} {count}×" for family, count in picked.most_common())
        yield Finding(
            "V009",
            f"no family was chosen in more than half of the {total} blocks: {named}",
            "The families are close on this table; which one wins is partly luck, and the procedure's error says so.",
        )


def learners_complained(case: _Case) -> Iterator[Finding]:
    """V010."""
    for name, ledger in case.ledgers.items():
        if ledger.warnings:
            text, count = ledger.warnings.most_common(1)[0]
            yield Finding(
                "V010",
                f"{name} warned in {count} of {len(case.docket.plan.trials)} trials: {text}",
                "What it predicted was judged as it is.",
            )


def stratified_blocks(case: _Case) -> Iterator[Finding]:
    """V011."""
    if case.docket.plan.dealing == "stratified":
        yield Finding(
            "V011",
            "strictly stratified blocks make a block's class shares depend on the other rows, which biases the error "
            "of heavily shrunk models downwards",
            "Leave out --stratified unless a class is very rare.",
        )


CHECKS: tuple[Callable[[_Case], Iterator[Finding]], ...] = (
    few_rows,
    rare_classes,
    absent_classes,
    undefined_blocks,
    no_better_than_guessing,
    unsuited_metric,
    not_separable,
    over_fitting,
    unstable_choice,
    learners_complained,
    stratified_blocks,
)
