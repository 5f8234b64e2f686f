"""Plain rows for the lists: the models there are, and the runs on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, TypedDict

from venire.errors import UsageError
from venire.families.boosters import boosters
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.models.boosters.engines import EXTRA
from venire.report.document.shapes.lists import COMPLETE, NO_VERDICT, DatedRun, ModelFacts, RunFacts
from venire.report.document.shapes.verdict import VerdictDocument
from venire.validation.evidence.runs import Run, Runs
from venire.validation.trials.generic import GenericFamily

# How a figure of the run is to be shown.
_MEASURE = ("metric", "metric_label", "higher_is_better", "score_label", "practical_difference")
_COMBINED = {"vote": "the mean of the other models", "stack": "weights learned on held-out predictions"}


class Kept(TypedDict):
    """What a run left behind: its document, and the data of its pictures."""

    document: VerdictDocument
    pictures: dict[str, Any]


def bucket() -> list[ModelFacts]:
    """Every family with its tasks and the rule of its path, which is resolved for each table's own shape."""
    rows = [_listed(family, family.path_rule) for family in default_bucket()]
    rows += [{"family": name, "task": "both", "path": _COMBINED[name]} for name in COMBINATIONS]
    asked = "only when asked for: --models +{}; needs " + EXTRA
    return rows + [_listed(family, f"{family.path_rule}; {asked.format(family.name)}") for family in boosters()]


def _listed(family: GenericFamily, path: str) -> ModelFacts:
    return {"family": family.name, "task": _tasks(family.tasks), "path": path}


def kept_runs(home: Runs) -> list[RunFacts]:
    """Every run, newest first, with its last verdict if it came to one.

    Its `state` is "complete", what cut that verdict short ("budget", "interrupted"), or "no verdict".
    """
    return [_row(home, run) for run in home.all()]


def dated(rows: list[RunFacts], now: datetime) -> list[DatedRun]:
    """The rows, each with the time that has passed since it was begun."""
    return [{**row, "when": _ago(now - datetime.fromisoformat(row["created"]))} for row in rows]


def _ago(passed: timedelta) -> str:
    """How long ago, in the largest unit that fits.

    >>> _ago(timedelta(minutes=125)), _ago(timedelta(days=1, hours=3))
    ('2 h ago', '1 day ago')
    """
    seconds = max(0, int(passed.total_seconds()))
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{seconds // 60} min ago"
    if seconds < 86400:
        return f"{seconds // 3600} h ago"
    return f"{seconds // 86400} day{'s' if seconds >= 2 * 86400 else ''} ago"


def kept_verdict(home: Runs, run: Run) -> Kept:
    """The document and the picture data that a run left behind."""
    try:
        kept = json.loads((home.folder(run) / "verdict.json").read_bytes())
        return {"document": kept["document"], "pictures": kept["pictures"]}
    except (OSError, ValueError, KeyError) as error:
        raise UsageError(
            f"run {run.key[:8]} has no verdict yet: it was stopped too early",
            code="no_verdict",
            hint="run the same comparison again: it resumes where it stopped",
        ) from error


def _tasks(tasks: Iterable[str]) -> str:
    several = sorted(map(str, tasks))
    return several[0] if len(several) == 1 else "both"


def _row(home: Runs, run: Run) -> RunFacts:
    row: RunFacts = {
        "key": run.key[:8],
        "source": run.source.rsplit("/", 1)[-1],
        "target": run.target,
        "rows": run.rows,
        "folds": run.folds,
        "seed": run.seed,
        "families": list(run.families),
        "trials": run.trials,
        "bytes": run.bytes,
        "created": run.created,
        "state": NO_VERDICT,
    }
    try:
        document = kept_verdict(home, run)["document"]
    except UsageError:
        return row
    chosen = document["chosen"]
    row["state"] = document.get("stopped") or COMPLETE
    row["chosen"], row["metric"], row["error"] = chosen["family"], document["metric"], chosen["error"]
    row["metric_label"], row["interval"] = document["metric_label"], chosen["interval"]
    row["higher_is_better"] = document.get("higher_is_better", False)  # a verdict of an earlier version does not say
    row["score_label"], row["practical_difference"] = document.get("score_label"), document["practical_difference"]
    row["seconds"] = document["timing"]["seconds"]
    return row
