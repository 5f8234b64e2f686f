"""The verdict as one plain dictionary: the terminal, the page and `--json` all print this."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import numpy as np

from venire.data.show import account
from venire.inference import Interval
from venire.metrics import ConfusionMatrix
from venire.metrics.predictions import Output
from venire.validation.trials.runner import Ran
from venire.validation.trials.stopwatch import Stages
from venire.verdict.calibration import reliability
from venire.verdict.candidates import Candidate
from venire.verdict.confusion import confusion
from venire.verdict.differences import Pair, expenses, guessing, more_rows, pairs
from venire.verdict.judge import Judgement
from venire.verdict.leaderboard import PROCEDURE, Row, practical_difference

SCHEMA_VERSION = 1
_F = {"f_half": 0.5, "f1": 1.0, "f2": 2.0}  # recall counting a quarter of precision, as much, four times
_FEW = 10  # rows of a block from which on the mean of their RMSEs is within about 3 % of the RMSE of all


def summarise(judgement: Judgement, ran: Ran) -> dict[str, Any]:
    """Every fact of the verdict but `timing`: the same bytes whenever the seed and the table are."""
    docket = judgement.docket
    table, plan, metric = docket.table, docket.plan, docket.metric
    target = table.target
    assert target is not None
    top = judgement.rows[0]
    chosen = judgement.procedure.chosen
    return {
        "schema_version": SCHEMA_VERSION,
        "venire": version("venire"),
        "source": table.source,
        "rows": table.rows,
        "target": target.name,
        "task": str(target.task),
        "classes": list(target.labels),
        "class_counts": _class_counts(judgement),
        "positive": None if target.positive is None else target.labels[target.positive],
        "metric": metric.name,
        "metric_label": metric.label,
        "blocks": plan.blocks,
        "repeats": plan.repeats,
        "dealing": plan.dealing,
        "plan_notes": list(plan.notes),
        "seed": plan.seed,
        "estimates": _estimates(judgement),
        "stopped": ran.stopped,
        "chosen": {
            "family": chosen.name,
            "setting": chosen.setting,
            "error": _number(top.error),
            "interval": _pair(top.interval),
            "weights": chosen.weights,
            **_finish(judgement, chosen),
        },
        "leaderboard": [_row(row) for row in judgement.rows],
        "confusion": _confusion(judgement),
        "costs": _costs(judgement),
        "guessing": _guessing(judgement),
        "more_rows": _more_rows(judgement),
        "practical_difference": _number(practical_difference(docket, judgement.candidates)),
        "pairwise": [_pair_of(pair) for pair in pairs(judgement)],
        "calibration": _calibration(judgement),
        "certificates": [vars(certificate) for certificate in judgement.certificates.values()],
        "not_tried": [{"family": name, "reason": reason} for name, reason in ran.not_tried.items()],
        "failed": [{"family": name, "reason": reason} for name, reason in ran.failed.items()],
        "findings": [{"code": f.code, "message": f.message, "advice": f.advice} for f in judgement.findings],
        "checks": [vars(check) for check in judgement.checks],
        "columns": [
            {"name": c.name, "kind": str(c.kind), "missing": c.missing, "categories": len(c.categories)}
            for c in table.columns
        ],
        **account(table),
    }


def timing(ran: Ran, stages: Stages) -> dict[str, Any]:
    """Where the time went: of this run by stage, and of each family in all its trials, whenever these were run."""
    return {
        "seconds": round(stages.total, 3),
        "budget": stages.budget,
        "stages": {name: round(spent, 3) for name, spent in stages.seconds.items()},
        "families": {name: round(spent, 3) for name, spent in ran.seconds.items()},
        "trials": ran.trials,
        "reused": ran.reused,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "family": row.family,
        "kind": row.kind,
        "setting": row.setting,
        "error": _number(row.error),
        "interval": _pair(row.interval),
        "training_error": _number(row.training_error),
        "one_layer_error": _number(row.one_layer_error),
        "p_best": _number(row.p_best),
        "p_as_good": _number(row.p_as_good),
    }


def _finish(judgement: Judgement, candidate: Candidate) -> dict[str, Any]:
    """How the chosen candidate's outputs are calibrated, and from where on the positive class is said."""
    finish = candidate.finish
    if not judgement.docket.finishing:
        return {}
    decision = None
    if finish.threshold is not None:
        decision = "threshold" if math.isfinite(finish.threshold) else "one class"
    elif finish.costs is not None:
        decision = "least expected cost"
    return {
        "calibration": None if finish.calibration is None else finish.calibration.method,
        "decision": decision,
        **_threshold(judgement, candidate),
    }


def _threshold(judgement: Judgement, candidate: Candidate) -> dict[str, Any]:
    """From where on the positive class is said: by a probability of that class, or by a score that speaks for it."""
    target, limit = judgement.docket.table.target, candidate.finish.threshold
    if target is None or limit is None or not math.isfinite(limit):
        return {"threshold": None}
    combined = candidate.kind != "member"  # of probabilities, and of votes where members give none
    chances = combined or judgement.ledgers[candidate.name].output is Output.PROBABILITIES
    if target.positive == 0:  # kept for class 1: the two probabilities sum to one, and scores change their sign
        limit = 1.0 - limit if chances else -limit
    return {
        "threshold": limit,
        "threshold_class": target.labels[1 if target.positive is None else target.positive],
        "threshold_of": "probability" if chances else "score",
    }


def _confusion(judgement: Judgement) -> dict[str, Any] | None:
    """The decisions of the procedure on held-out rows, and every figure read off them, class by class."""
    matrix = confusion(judgement)
    if matrix is None:
        return None
    return {
        "family": PROCEDURE,
        "rows": int(matrix.total),
        "measured_on": _measured_on(judgement, int(matrix.total)),
        "labels": list(matrix.labels),
        "counts": matrix.counts.tolist(),
        "accuracy": _number(matrix.accuracy),
        "error": _number(matrix.error),
        "balanced_accuracy": _number(matrix.balanced_accuracy),
        "classes": [_class_figures(matrix, code) for code in range(len(matrix.labels))],
    }


def _class_figures(matrix: ConfusionMatrix, code: int) -> dict[str, Any]:
    return {
        "label": matrix.labels[code],
        "rows": int(matrix.actual[code]),
        "predicted": int(matrix.predicted[code]),
        "sensitivity": _number(matrix.sensitivity(code)),
        "specificity": _number(matrix.specificity(code)),
        "precision": _number(matrix.precision(code)),
        **{name: _number(matrix.f_beta(beta, code)) for name, beta in _F.items()},
    }


def _measured_on(judgement: Judgement, rows: int) -> str:
    """Which rows are pooled: each once, as one dealing predicts them."""
    plan = judgement.docket.plan
    if plan.ordered:
        judged = len(plan.outer_blocks())
        blocks = f"in the last {judged} of {plan.blocks} blocks in time order"
        return f"{rows:,} rows {blocks}, predicted by models trained on the blocks before"
    dealt = f", in the first of {plan.repeats} dealings" if plan.repeats > 1 else ""
    return f"{rows:,} rows in {plan.blocks} blocks, each predicted by models trained without its block{dealt}"


def _costs(judgement: Judgement) -> dict[str, Any] | None:
    matrix = judgement.docket.metric.costs
    if matrix is None:
        return None
    return {
        "matrix": [list(row) for row in matrix],
        "per_thousand": [
            {"name": each.name, "cost": _number(each.per_thousand), "interval": _pair(each.interval)}
            for each in expenses(judgement)
        ],
    }


def _guessing(judgement: Judgement) -> dict[str, Any] | None:
    found = guessing(judgement)
    if found is None:
        return None
    return {
        "baseline_error": _number(found.baseline_error),
        "difference": _number(found.baseline.difference),
        "interval": _pair(found.baseline.interval()),
        "p_better": _number(found.baseline.p_better),
        "p_better_than_coin": None if found.coin is None else _number(found.coin.p_better),
    }


def _more_rows(judgement: Judgement) -> dict[str, Any] | None:
    found = more_rows(judgement)
    if found is None:
        return None
    rope = practical_difference(judgement.docket, judgement.candidates)
    gain = found.gain()
    # Where nothing is ruled out there is nothing to say, unless even the most that is possible would not matter.
    judged = found.tells() or found.most <= rope
    return {
        "rows": found.rows,
        "error": _number(found.measured),
        "most": _number(found.most),
        "judged": judged,
        "gain": _number(gain.value) if judged else None,
        "gain_interval": _pair(gain.interval) if judged else None,
        "twice": _number(found.measured - gain.value) if judged else None,
        "p_helps": _number(found.p_helps(rope)) if judged else None,
    }


def _pair_of(pair: Pair) -> dict[str, Any]:
    compared = pair.comparison
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": _number(compared.difference),
        "interval": _pair(compared.interval()),
        "p_better": _number(compared.p_better),
        "p_equal": _number(compared.p_equal),
        "p_worse": _number(compared.p_worse),
    }


def _calibration(judgement: Judgement) -> list[dict[str, Any]]:
    if not judgement.docket.classes:
        return []
    found = [reliability(judgement, row.family) for row in judgement.rows]
    return [
        {
            "family": each.family,
            "rows": each.rows,
            "calibration_error": _number(each.calibration_error),
            "by_chance": _number(each.by_chance),
            "slope": _number(each.slope),
            "intercept": _number(each.intercept),
            "bias": _number(each.bias),
            "reliability": _number(each.reliability),
            "resolution": _number(each.resolution),
            "uncertainty": _number(each.uncertainty),
            "chance": _number(each.chance),
            "out_of_calibration": each.out_of_calibration,
        }
        for each in found
        if each is not None
    ]


def _class_counts(judgement: Judgement) -> list[int]:
    target = judgement.docket.table.target
    if target is None or not target.classes:
        return []
    return [int(n) for n in np.bincount(target.values, minlength=len(target.classes))]


def _estimates(judgement: Judgement) -> str:
    """What the two-layer figure is a figure of, with the number of rows behind it."""
    plan, rows = judgement.docket.plan, judgement.docket.table.rows
    label = judgement.docket.metric.label
    if plan.ordered:
        return (
            f"expected {label} on the rows that follow, of the procedure trained on the blocks before them; "
            f"mean over the last {len(plan.outer_blocks())} of {plan.blocks} blocks in time order"
        )
    trained = round(rows * (plan.blocks - 1) / plan.blocks)
    dealt = f", dealt {plan.repeats} times" if plan.repeats > 1 else ""
    return (
        f"expected {label} of the procedure trained on {trained:,} rows ({plan.blocks - 1} of {plan.blocks} blocks"
        f"{dealt}), measured on rows that had no part in training or choosing{_of_few(judgement)}"
    )


def _of_few(judgement: Judgement) -> str:
    """A mean of roots lies below the root of a mean, and the more so the fewer rows a block has."""
    a_block = judgement.docket.table.rows / judgement.docket.plan.blocks
    if judgement.docket.metric.name != "rmse" or a_block >= _FEW:
        return ""
    return f"; the mean over blocks of about {a_block:.0f} rows, which lies below the RMSE over all rows together"


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _pair(interval: Interval) -> list[float | None] | None:
    return [_number(interval.low), _number(interval.high)] if interval.defined else None
