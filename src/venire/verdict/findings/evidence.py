"""Checks of the evidence: is there enough of it, is the choice steady, do the figures mean what they seem to?

Each check looks at a judgement and yields a sentence and advice for everything it finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from venire.advice import Advice, Option
from venire.data.table import Task
from venire.metrics.predictions import Output
from venire.validation.trials.reasons import NoFixedSeed, Status
from venire.verdict.calibration import looked_at, reliability
from venire.verdict.differences import guessing, pairs
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import CLEARLY, practical_difference
from venire.verdict.simplicity import BASELINE, simpler_than
from venire.wording import percent, share

Said = tuple[str, str]  # what was found, and what to do about it

_FEW_ROWS = 100
_RARE = 0.2


def _figure(value: float) -> str:
    """Three digits, and no powers of ten where people write none.

    >>> _figure(0.03127), _figure(23307.0), _figure(2.5e18)
    ('0.0313', '23,300', '2.5e+18')
    """
    return f"{float(f'{value:.3g}'):,.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.3g}"


def few_rows(case: Judgement) -> Iterator[Said]:
    """So few rows that only the interval counts."""
    rows = case.docket.table.rows
    if rows < _FEW_ROWS:
        found, metric = case.top.interval, case.docket.metric
        low, high = metric.shown_interval(found.low, found.high)
        known = f"the {metric.shown_label} is between {_figure(low)} and {_figure(high)}"
        yield (
            f"{rows} rows are few: {known if found.defined else 'no interval can be given'}",
            Advice(
                "Read the interval, not the figure. Split the rows several times with ",
                Option("repeats"),
                ", or collect more rows.",
            ),
        )


def rare_classes(case: Judgement) -> Iterator[Said]:
    """Classes with fewer rows than there are folds."""
    target = case.docket.table.target
    if target is None or target.task is not Task.CLASSIFICATION:
        return
    counts = np.bincount(case.docket.table.y, minlength=len(target.classes))
    small = [(label, int(n)) for label, n in zip(target.labels, counts, strict=True) if n < case.docket.plan.folds]
    if small:
        named = ", ".join(f"{label!r} ({n})" for label, n in small[:5]) + (" and others" if len(small) > 5 else "")
        yield (
            f"classes with fewer rows than the {case.docket.plan.folds} folds: {named}",
            "Some folds have no row of them, so little can be said about them. Collect more rows, or merge classes.",
        )


def absent_classes(case: Judgement) -> Iterator[Said]:
    """Models that never saw a class."""
    target, plan = case.docket.table.target, case.docket.plan
    if target is None or target.task is not Task.CLASSIFICATION:
        return
    absent: set[str] = set()
    for trial in plan.trials:
        seen = np.bincount(case.docket.table.y[plan.train_rows(trial)], minlength=len(target.classes))
        absent |= {target.labels[c] for c in np.flatnonzero(seen == 0)}
    if absent:
        named = ", ".join(repr(label) for label in sorted(absent)[:5]) + (" and others" if len(absent) > 5 else "")
        yield (
            f"some models were trained without a single row of {named}",
            "These models give it probability 0. A class needs rows in three folds to be in every training part.",
        )


def undefined_folds(case: Judgement) -> Iterator[Said]:
    """Folds in which the metric is undefined."""
    losses = case.procedure.losses
    undefined = int(np.isnan(losses).sum())
    if undefined:
        yield (
            f"{case.docket.metric.shown_label} is undefined in {undefined} of {len(losses)} folds, which have too few "
            "classes; means are over the other folds",
            Advice(
                "Use fewer folds (", Option("folds"), "), or a metric that is defined in every fold, such as error."
            ),
        )


def no_better_than_guessing(case: Judgement) -> Iterator[Said]:
    """The procedure is not clearly better than the baseline."""
    # Row by row: some rows are hard for everybody, and that says nothing about the difference.
    found = guessing(case)
    if found is None or np.isnan(case.top.error) or found.standing == "better":
        return
    metric = case.docket.metric
    ours = f"the procedure ({metric.shown_label} {_figure(metric.shown(case.top.error))})"
    guessed = f"always predicting the same ({_figure(metric.shown(found.baseline_error))})"
    p = found.baseline.p_better
    sure = "" if np.isnan(p) else f": the probability that it is better is {p:.2f}"
    if found.standing == "likely":
        yield (
            f"{ours} is probably better than {guessed}, but this is not certain{sure}",
            Advice("Use it with care. More rows, or more splits with ", Option("repeats"), ", can settle it."),
        )
        return
    message = {
        "unclear": f"{ours} is not clearly better than {guessed}{sure}",
        "no better": f"{ours} is no better than {guessed}: they are equal in every row",
        "worse": f"{ours} is worse than {guessed}",
    }
    yield (
        message[found.standing],
        "The model has learned nothing that can be shown. Look for better columns or more rows.",
    )


def unsuited_metric(case: Judgement) -> Iterator[Said]:
    """Plain error where one of two classes is rare."""
    target = case.docket.table.target
    if target is None or not target.classes or case.docket.metric.name != "error":
        return
    shares = np.bincount(case.docket.table.y, minlength=len(target.classes)) / case.docket.table.rows
    if len(shares) == 2 and shares.min() < _RARE:
        rare = target.labels[int(shares.argmin())]
        yield (
            f"{rare!r} is {share(shares.min())} of the rows: a model that never predicts it "
            "is wrong on no more than that",
            Advice(
                "If the rare class is what matters, use ",
                *(Option("metric", "balanced_error"), ", ", Option("metric", "auc"), " or ", Option("metric", "f1")),
                ".",
            ),
        )


def not_separable(case: Judgement) -> Iterator[Said]:
    """The chosen one is not clearly better in practice than a simpler member."""
    chosen = case.procedure.chosen.name
    names = [c.name for c in case.candidates]
    better = {}
    for pair in pairs(case):
        better[pair.first, pair.second] = pair.comparison.p_better
        better[pair.second, pair.first] = pair.comparison.p_worse
    simpler = [name for name in simpler_than(chosen, names) if better[chosen, name] < CLEARLY]
    if simpler:
        shown = simpler if len(simpler) <= 4 else [*simpler[:4], f"{len(simpler) - 4} more"]
        named = " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
        yield (
            f"{chosen} is not clearly better than the simpler {named}: the probability that it is better by more than "
            f"{_figure(practical_difference(case.docket, case.candidates))} is below {percent(CLEARLY)}",
            Advice(
                "Take a simpler one if speed, explanation or maintenance matter. With ",
                *(Option("practical_difference"), " you say what difference matters to you."),
            ),
        )


def over_fitting(case: Judgement) -> Iterator[Said]:
    """A training error that says nothing about new rows."""
    gap = case.top.error - case.top.training_error
    width = case.top.interval.width
    if np.isfinite(gap) and gap > max(width, 0.5 * abs(case.top.error)) and gap > 0:
        metric = case.docket.metric
        trained, held_out = (_figure(metric.shown(loss)) for loss in (case.top.training_error, case.top.error))
        yield (
            f"the {metric.shown_label} on training rows ({trained}) says nothing about new rows ({held_out})",
            "Do not report the training error of this model.",
        )


def unstable_choice(case: Judgement) -> Iterator[Said]:
    """No family was chosen in most folds."""
    picked = Counter(c.name for c in case.procedure.picks.values())
    most = max(picked.values())
    total = sum(picked.values())
    if len(picked) > 1 and most <= total / 2:
        named = ", ".join(f"{family} {count}×" for family, count in picked.most_common())
        yield (
            f"no family was chosen in more than half of the {total} folds: {named}",
            "The families are close on this table. Which one wins is partly luck; the procedure's error includes that.",
        )


def learners_complained(case: Judgement) -> Iterator[Said]:
    """Warnings of the learners."""
    for name, ledger in case.ledgers.items():
        if ledger.warnings:
            text, count = ledger.warnings.most_common(1)[0]
            yield (
                f"{name} warned in {count} of {len(case.docket.plan.trials)} trials: {text}",
                "Its predictions were used as they are.",
            )


def stratified_folds(case: Judgement) -> Iterator[Said]:
    """Folds with the same class shares, as asked for."""
    if case.docket.plan.splitting == "stratified":
        what = "class shares" if case.docket.classes else "target values"
        yield (
            f"stratified folds: the {what} of a fold depend on the other rows, so the error of strongly regularised "
            "models is too low",
            Advice(
                "Leave out ",
                Option("stratified"),
                " unless a class is very rare." if case.docket.classes else ".",
            ),
        )


def out_of_calibration(case: Judgement) -> Iterator[Said]:
    """The chosen candidate's probabilities do not match the observed frequencies."""
    found = reliability(case, case.procedure.chosen.name)
    if found is None or not found.out_of_calibration:
        return
    whose = found.family if case.docket.classes == 2 else f"{found.family} for the class it names"
    whose += f" ({rows})" if (rows := looked_at(case)) else ""
    yield (
        f"the probabilities of {whose} are {found.fault}: their calibration error is {found.calibration_error:.2f}, "
        f"where chance would give {found.by_chance:.2f}",
        Advice(
            "Do not use them as probabilities. With ",
            *(Option("metric", "log_loss"), ", ", Option("metric", "brier"), " or ", Option("costs")),
            " they are calibrated.",
        ),
    )


def leaking_members(case: Judgement) -> Iterator[Said]:
    """A family whose predictions depend on rows it must not know."""
    for name, certificate in case.certificates.items():
        if certificate.status is not Status.LEAKS:
            continue
        part = "there is no other model" if name in case.ledgers else "it takes no part in the verdict"
        yield f"{certificate.reason}; {part}", "Its figures mean nothing. It must learn from its training part only."


def unrepeatable_members(case: Judgement) -> Iterator[Said]:
    """A member that says something else each time it is fitted to the same rows."""
    for name, certificate in case.certificates.items():
        if not isinstance(certificate.reason, NoFixedSeed):
            continue
        part = ", and it would be handed over" if name in case.handed_over else ""
        yield (
            f"{name} says something else each time it is fitted to the same rows, so nothing can be said about leaks: "
            f"its figures and its P(best) may rest on what it remembers of other fits{part}",
            "Give it a fixed seed (random_state). If it has one, look for what it keeps of earlier fits: a cache.",
        )


def no_probabilities(case: Judgement) -> str | None:
    """Why calibration cannot be looked at, if it cannot."""
    if not case.docket.classes:
        return "numbers are predicted"
    chosen = case.procedure.chosen
    if chosen.kind == "member" and case.ledgers[chosen.name].output is not Output.PROBABILITIES:
        return f"{chosen.name} gives no probabilities"
    return None


def no_classes(case: Judgement) -> str | None:
    """Why nothing can be said of classes, if it cannot."""
    return None if case.docket.classes else "numbers are predicted"


def no_baseline(case: Judgement) -> str | None:
    """Why it cannot be compared with guessing, if it cannot."""
    return None if case.has(BASELINE) else "the baseline is not among the models"


def one_candidate(case: Judgement) -> str | None:
    """Why there is no choice to look at, if there is none."""
    return "there is one model only" if len(case.candidates) == 1 else None


def no_training_error(case: Judgement) -> str | None:
    """Why it cannot be compared with its training error, if it cannot."""
    return "the training error is not known" if np.isnan(case.top.training_error) else None


def not_checked(case: Judgement) -> str | None:
    """Why nothing is known about leaks, if nothing is."""
    return None if case.certificates else "no member was checked"
