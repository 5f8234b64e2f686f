"""The parts of the verdict that are measured on held-out rows: confusion, costs, guessing, more rows, calibration."""

from __future__ import annotations

import math

from venire.inference import Interval
from venire.metrics import ConfusionMatrix
from venire.report.document.shapes.verdict import (
    CalibrationFacts,
    ClassFigures,
    Confusion,
    Costs,
    Guessing,
    MoreRows,
    PairFacts,
)
from venire.verdict.calibration import Reliability, reliability
from venire.verdict.differences import Pair, expenses, guessing, more_rows
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE, practical_difference
from venire.verdict.shown.class_confusion import confusion


def confusion_facts(judgement: Judgement) -> Confusion | None:
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
        "accuracy": number(matrix.accuracy),
        "error": number(matrix.error),
        "balanced_accuracy": number(matrix.balanced_accuracy),
        "classes": [_class_figures(matrix, code) for code in range(len(matrix.labels))],
    }


def _class_figures(matrix: ConfusionMatrix, code: int) -> ClassFigures:
    return {
        "label": matrix.labels[code],
        "rows": int(matrix.actual[code]),
        "predicted": int(matrix.predicted[code]),
        "sensitivity": number(matrix.sensitivity(code)),
        "specificity": number(matrix.specificity(code)),
        "precision": number(matrix.precision(code)),
        "f_half": number(matrix.f_beta(0.5, code)),  # recall counting a quarter of precision, as much, four times
        "f1": number(matrix.f_beta(1.0, code)),
        "f2": number(matrix.f_beta(2.0, code)),
    }


def _measured_on(judgement: Judgement, rows: int) -> str:
    """Which rows are pooled: each once, as one split predicts them."""
    plan = judgement.docket.plan
    if plan.ordered:
        judged = len(plan.outer_folds())
        folds = f"in the last {judged} of {plan.used_folds} folds in time order"
        return f"{rows:,} rows {folds}, predicted by models trained on the folds before"
    of_several = f", in the first of {plan.repeats} splits" if plan.repeats > 1 else ""
    return f"{rows:,} rows in {plan.folds} folds, each predicted by models trained without its fold{of_several}"


def cost_facts(judgement: Judgement) -> Costs | None:
    """What mistakes cost, and what 1,000 rows do; None without costs."""
    matrix = judgement.docket.metric.costs
    if matrix is None:
        return None
    return {
        "matrix": [list(row) for row in matrix],
        "per_thousand": [
            {"name": each.name, "cost": number(each.per_thousand), "interval": ends(each.interval)}
            for each in expenses(judgement)
        ],
    }


def guessing_facts(judgement: Judgement) -> Guessing | None:
    """The procedure beside guessing; None where guessing was not tried."""
    found = guessing(judgement)
    if found is None:
        return None
    return {
        "baseline_error": number(found.baseline_error),
        "difference": number(found.baseline.difference),
        "interval": ends(found.baseline.interval()),
        "p_better": number(found.baseline.p_better),
        "p_better_than_coin": None if found.coin is None else number(found.coin.p_better),
    }


def more_rows_facts(judgement: Judgement) -> MoreRows | None:
    """What twice the rows would bring; None where that cannot be asked."""
    found = more_rows(judgement)
    if found is None:
        return None
    rope = practical_difference(judgement.docket, judgement.candidates)
    gain = found.gain()
    # Where nothing is ruled out there is nothing to say, unless even the most that is possible would not matter.
    judged = found.tells() or found.most <= rope
    return {
        "rows": found.rows,
        "error": number(found.measured),
        "most": number(found.most),
        "judged": judged,
        "gain": number(gain.value) if judged else None,
        "gain_interval": ends(gain.interval) if judged else None,
        "twice": number(found.measured - gain.value) if judged else None,
        "p_helps": number(found.p_helps(rope)) if judged else None,
    }


def pair_facts(pair: Pair) -> PairFacts:
    """Two candidates, fold by fold."""
    compared = pair.comparison
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": number(compared.difference),
        "interval": ends(compared.interval()),
        "p_better": number(compared.p_better),
        "p_equal": number(compared.p_equal),
        "p_worse": number(compared.p_worse),
    }


def calibration_facts(judgement: Judgement) -> list[CalibrationFacts]:
    """How far the probabilities of every row of the leaderboard are from what comes true."""
    if not judgement.docket.classes:
        return []
    found = [reliability(judgement, row.family) for row in judgement.rows]
    return [reliability_facts(each) for each in found if each is not None]


def reliability_facts(each: Reliability) -> CalibrationFacts:
    """How well calibrated one model is."""
    return {
        "family": each.family,
        "rows": each.rows,
        "calibration_error": number(each.calibration_error),
        "by_chance": number(each.by_chance),
        "slope": number(each.slope),
        "intercept": number(each.intercept),
        "bias": number(each.bias),
        "reliability": number(each.reliability),
        "resolution": number(each.resolution),
        "uncertainty": number(each.uncertainty),
        "chance": number(each.chance),
        "out_of_calibration": each.out_of_calibration,
    }


def number(value: float) -> float | None:
    """A figure as a document has it: null where it is not defined."""
    return float(value) if math.isfinite(value) else None


def ends(interval: Interval) -> list[float | None] | None:
    """Both ends of an interval; null where there is none."""
    return [number(interval.low), number(interval.high)] if interval.defined else None
