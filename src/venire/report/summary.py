"""The verdict as one plain dictionary: the terminal, the page and `--json` all print this."""

from __future__ import annotations

import math
from importlib.metadata import version
from typing import Any

import numpy as np

from venire.inference import Interval
from venire.validation.run import Ran
from venire.verdict.judge import Judgement
from venire.verdict.leaderboard import Row

SCHEMA_VERSION = 1


def summarise(judgement: Judgement, ran: Ran, seconds: float) -> dict[str, Any]:
    """Every fact of the verdict. All but `timing` are the same bytes whenever the seed and the table are."""
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
        "rows_without_target": table.rows_without_target,
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
        "seed": plan.seed,
        "estimates": _estimates(judgement),
        "stopped": ran.stopped,
        "chosen": {
            "family": chosen.name,
            "setting": chosen.setting,
            "error": _number(top.error),
            "interval": _pair(top.interval),
            "weights": chosen.weights,
        },
        "leaderboard": [_row(row) for row in judgement.rows],
        "not_tried": [{"family": name, "reason": reason} for name, reason in ran.not_tried.items()],
        "failed": [{"family": name, "reason": reason} for name, reason in ran.failed.items()],
        "findings": [{"code": f.code, "message": f.message, "advice": f.advice} for f in judgement.findings],
        "columns": [
            {"name": c.name, "kind": str(c.kind), "missing": c.missing, "categories": len(c.categories)}
            for c in table.columns
        ],
        "left_out": [
            {"name": out.name, "kind": None if out.kind is None else str(out.kind), "reason": out.reason}
            for out in table.left_out
        ],
        "notes": [{"code": n.code, "message": n.message, "column": n.column} for n in table.notes],
        "timing": {
            "seconds": round(seconds, 3),
            "families": {name: round(spent, 3) for name, spent in ran.seconds.items()},
            "trials": ran.trials,
            "reused": ran.reused,
        },
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
        f"{dealt}), measured on rows that had no part in training or choosing"
    )


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _pair(interval: Interval) -> list[float | None] | None:
    return [_number(interval.low), _number(interval.high)] if interval.defined else None
