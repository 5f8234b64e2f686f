"""Plain rows for the lists: the models there are, and the runs on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from venire.data.datasets import load
from venire.errors import UsageError
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.validation.trials.runs import Run, Runs

# How a figure of the run is to be shown.
_MEASURE = ("metric", "metric_label", "higher_is_better", "score_label", "practical_difference")
_COMBINED = {"vote": "the mean of the other models", "stack": "weights learned on held-out predictions"}


def bucket() -> list[dict[str, Any]]:
    """Every family with its tasks and its path, resolved for the table that ships with the package."""
    table = load("banknotes")
    rows = []
    for family in default_bucket():
        settings = family.path(table)
        shown = settings[0].label if len(settings) == 1 else f"{len(settings)}: {settings[0]} … {settings[-1]}"
        rows.append({"family": family.name, "task": _tasks(family.tasks), "path": shown})
    return rows + [{"family": name, "task": "both", "path": _COMBINED[name]} for name in COMBINATIONS]


def kept_runs(home: Runs) -> list[dict[str, Any]]:
    """Every run, newest first, with its last verdict if it came to one.

    Its `state` is "complete", what cut that verdict short ("budget", "interrupted"), or "no verdict".
    """
    return [_row(home, run) for run in home.all()]


def dated(rows: list[dict[str, Any]], now: datetime) -> list[dict[str, Any]]:
    """The rows, each with the time that has passed since it was begun."""
    return [row | {"when": _ago(now - datetime.fromisoformat(row["created"]))} for row in rows]


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


def kept_verdict(home: Runs, run: Run) -> dict[str, Any]:
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


def _row(home: Runs, run: Run) -> dict[str, Any]:
    row = {
        "key": run.key[:8],
        "source": run.source.rsplit("/", 1)[-1],
        "target": run.target,
        "rows": run.rows,
        "blocks": run.blocks,
        "seed": run.seed,
        "families": list(run.families),
        "trials": run.trials,
        "bytes": run.bytes,
        "created": run.created,
    }
    try:
        document = kept_verdict(home, run)["document"]
    except UsageError:
        return row | {"state": "no verdict"}
    chosen = document["chosen"]
    asked = {key: document[key] for key in _MEASURE if key in document}
    found = {"chosen": chosen["family"], **asked, "error": chosen["error"], "interval": chosen["interval"]}
    state = document.get("stopped") or "complete"
    return row | found | {"state": state, "seconds": document["timing"]["seconds"]}
