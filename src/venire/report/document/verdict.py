"""The verdict as one document (`shapes.verdict`): the terminal, the page and `--json` all print this."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from venire.advice import parts_of
from venire.data.show import account
from venire.data.table import Target
from venire.metrics import Metric
from venire.metrics.predictions import Output
from venire.report.document.held_out import (
    calibration_facts,
    confusion_facts,
    cost_facts,
    ends,
    guessing_facts,
    more_rows_facts,
    number,
    pair_facts,
)
from venire.report.document.shapes.basics import Score
from venire.report.document.shapes.verdict import (
    CheckFacts,
    Chosen,
    FindingFacts,
    LeaderboardRow,
    ThresholdFacts,
    Timing,
    VerdictFacts,
)
from venire.report.sentences.reasons import reason_words
from venire.report.sentences.weights import setting_words
from venire.validation.honesty.document import certificate_facts
from venire.validation.plans.plan import Plan
from venire.validation.question import metric_facts, table_facts
from venire.validation.trials.ledger import Ledger
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.verdict.candidates import Candidate
from venire.verdict.differences import pairs
from venire.verdict.judgement import Checked, Finding, Judgement
from venire.verdict.leaderboard import PROCEDURE, Row, practical_difference


def summarise(judgement: Judgement, ran: Ran) -> VerdictFacts:
    """Every fact of the verdict but `timing`: the same bytes whenever the seed and the table are."""
    docket = judgement.docket
    table, plan, metric = docket.table, docket.plan, docket.metric
    target = table.target
    assert target is not None
    chosen = judgement.procedure.chosen
    return {
        **table_facts(table),
        "class_counts": _class_counts(judgement),
        "positive": None if target.positive is None else target.labels[target.positive],
        **metric_facts(metric),
        "folds": plan.used_folds,
        "judged_folds": len(plan.outer_folds()),
        "repeats": plan.repeats,
        "splitting": plan.splitting,
        "plan_notes": list(plan.notes),
        "seed": plan.seed,
        "estimates": _estimates(judgement),
        "stopped": None if ran.stopped is None else str(ran.stopped),
        "chosen": _chosen(judgement, chosen),
        "leaderboard": [_row(row, judgement) for row in judgement.rows],
        "confusion": confusion_facts(judgement),
        "costs": cost_facts(judgement),
        "guessing": guessing_facts(judgement),
        "more_rows": more_rows_facts(judgement),
        "practical_difference": number(practical_difference(docket, judgement.candidates)),
        "pairwise": [pair_facts(pair) for pair in pairs(judgement)],
        "calibration": calibration_facts(judgement),
        "certificates": [certificate_facts(certificate) for certificate in judgement.certificates.values()],
        "not_tried": [
            {"family": name, "kind": why.kind, "figures": why.figures, "reason": reason_words(why)}
            for name, why in ran.not_tried.items()
        ],
        "not_fitted": [
            {"family": name, "kind": why.kind, "figures": why.figures, "reason": reason_words(why)}
            for name, why in judgement.not_fitted.items()
        ],
        "models_of_folds": [
            {"family": name, "kind": why.kind, "figures": why.figures, "reason": reason_words(why)}
            for name, why in judgement.of_folds.items()
        ],
        "failed": [
            {"family": name, "kind": why.kind, "figures": why.figures, "reason": reason_words(why)}
            for name, why in ran.failed.items()
        ],
        "findings": [_finding(finding) for finding in judgement.findings],
        "checks": [_check(check) for check in judgement.checks],
        "columns": [
            {"name": c.name, "kind": str(c.kind), "missing": c.missing, "categories": len(c.categories)}
            for c in table.columns
        ],
        "test": None,
        **account(table),
    }


def timing(ran: Ran, stages: Stages) -> Timing:
    """Where the time went: of this run by stage, and of each family in all its trials, whenever these were run."""
    return {
        "seconds": round(stages.total, 3),
        "budget": stages.budget,
        "stages": {name: round(spent, 3) for name, spent in stages.seconds.items()},
        "families": {name: round(spent, 3) for name, spent in ran.seconds.items()},
        "trials": ran.trials,
        "reused": ran.reused,
        "workers": ran.workers or None,
    }


def _row(row: Row, judgement: Judgement) -> LeaderboardRow:
    chosen = judgement.procedure.chosen
    candidate = chosen if row.kind == PROCEDURE else judgement.candidate(row.family)
    setting = setting_words(row.setting, row.weights, candidate.settings_taken)
    return {
        "family": row.family,
        "kind": row.kind,
        "setting": f"{chosen.name}, {setting}" if row.kind == PROCEDURE else setting,
        "weights": row.weights,
        "error": number(row.error),
        "interval": ends(row.interval),
        "training_error": number(row.training_error),
        "one_layer_error": number(row.one_layer_error),
        "p_best": number(row.p_best),
        "p_as_good": number(row.p_as_good),
        **_score(row, judgement.docket.metric),
    }


def _score(row: Row, metric: Metric) -> Score:
    """The error as the score people know, where higher is better; else null."""
    if not metric.higher_is_better:
        return {"score": None, "score_interval": None}
    both = [number(end) for end in metric.shown_interval(row.interval.low, row.interval.high)]
    return {"score": number(metric.shown(row.error)), "score_interval": both if row.interval.defined else None}


def _chosen(judgement: Judgement, candidate: Candidate) -> Chosen:
    """What was chosen; where outputs are finished also how they are calibrated, and what decides."""
    top, finish = judgement.rows[0], candidate.finish
    score = _score(top, judgement.docket.metric)
    chosen: Chosen = {
        "family": candidate.name,
        "setting": setting_words(candidate.setting, candidate.weights, candidate.settings_taken),
        "error": number(top.error),
        "interval": ends(top.interval),
        "weights": candidate.weights,
        "score": score["score"],
        "score_interval": score["score_interval"],
    }
    if not judgement.docket.finishing:
        return chosen
    decision = None
    if finish.threshold is not None:
        decision = "threshold" if math.isfinite(finish.threshold) else "one class"
    elif finish.costs is not None:
        decision = "least expected cost"
    chosen["calibration"] = None if finish.calibration is None else finish.calibration.method
    chosen["decision"] = decision
    found = threshold_facts(judgement.docket.table.target, candidate, judgement.ledgers)
    if found is None:
        chosen["threshold"] = None
        return chosen
    return {**chosen, **found}


def threshold_facts(
    target: Target | None, candidate: Candidate, ledgers: Mapping[str, Ledger]
) -> ThresholdFacts | None:
    """From where on the positive class is said: by a probability of that class, or by a score that speaks for it."""
    limit = None if candidate.finish is None else candidate.finish.threshold
    if target is None or limit is None or not math.isfinite(limit):
        return None
    combined = candidate.kind != "member"  # of probabilities, and of votes where members give none
    chances = combined or ledgers[candidate.name].output is Output.PROBABILITIES
    if target.positive == 0:  # kept for class 1: the two probabilities sum to one, and scores change their sign
        limit = 1.0 - limit if chances else -limit
    return {
        "threshold": limit,
        "threshold_class": target.labels[1 if target.positive is None else target.positive],
        "threshold_of": "probability" if chances else "score",
    }


def _finding(finding: Finding) -> FindingFacts:
    return {
        "code": finding.code,
        "message": finding.message,
        "advice": str(finding.advice),
        "advice_parts": parts_of(finding.advice),
    }


def _check(check: Checked) -> CheckFacts:
    return {"code": check.code, "title": check.title, "status": check.status, "reason": check.reason}


def _class_counts(judgement: Judgement) -> list[int]:
    target = judgement.docket.table.target
    if target is None or not target.classes:
        return []
    return [int(n) for n in np.bincount(target.values, minlength=len(target.classes))]


def _late(plan: Plan) -> str:
    """The rows of groups in time order that take no part, if there are any."""
    late = int((plan.fold_of[0] >= plan.used_folds).sum())
    return f"; {late:,} rows that come after the fold in which their group begins took no part" if late else ""


def _estimates(judgement: Judgement) -> str:
    """What the two-layer figure is a figure of, with the number of rows behind it."""
    plan, rows = judgement.docket.plan, judgement.docket.table.rows
    label = judgement.docket.metric.shown_label
    if plan.ordered:
        return (
            f"expected {label} on the rows that follow, of the procedure trained on the folds before them; "
            f"measured on the last {len(plan.outer_folds())} of {plan.used_folds} folds in time order{_late(plan)}"
        )
    trained = round(rows * (plan.folds - 1) / plan.folds)
    of_several = f", split {plan.repeats} times" if plan.repeats > 1 else ""
    return (
        f"expected {label} of the procedure trained on {trained:,} rows ({plan.folds - 1} of {plan.folds} folds"
        f"{of_several}), measured on rows that had no part in training or choosing"
    )
