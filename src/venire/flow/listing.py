"""Plain rows for the lists: the models there are, and the runs on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypedDict

from venire.disk.regular_files import content
from venire.errors import SCHEMA_VERSION, UsageError, VenireError
from venire.families.boosters import boosters
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.models.boosters.engines import EXTRA
from venire.report.document.shapes.lists import (
    COMPLETE,
    DAMAGED,
    NO_VERDICT,
    RUNNING,
    Answer,
    DatedRun,
    DeletedDocument,
    ModelFacts,
    RunFacts,
    RunName,
    RunsDocument,
)
from venire.report.document.shapes.verdict import VerdictDocument
from venire.report.sentences.numbers import finite
from venire.validation.evidence.pruning import delete, prune
from venire.validation.evidence.questions import Kind
from venire.validation.evidence.run_files import Run
from venire.validation.evidence.runs import ANSWER, Broken, Runs, size_of
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import Stopped

_COMMANDS = {Kind.VALIDATION: "validate", Kind.SELECTION: "select"}
_COMBINED = {
    "vote": "the mean of the other models",
    "stack": "weights learned on held-out predictions",
    "blend": "three settings of every model, picked one by one on held-out predictions",
}


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


def kept_runs(home: Runs) -> RunsDocument:
    """Every run, the one run last first, with its answer if it came to one; and what cannot be read.

    The `state` of one is "complete", what cut its answer short ("budget", "interrupted"), "no verdict", "running", or
    "damaged" where its answer is none.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "home": str(home.home),
        "bytes": size_of([home.home]),
        "runs": [run_row(home, run) for run in home.all()],
        "damaged": [{"key": broken.key, "why": broken.why} for broken in home.broken()],
    }


def deleted(
    home: Runs, keys: list[str] | None, now: datetime, older_than: timedelta | None, larger_than: int | None
) -> DeletedDocument:
    """Delete these runs, or without any those that are too old or too many; what that came to."""
    removed = delete(home, keys) if keys else prune(home, now=now, older_than=older_than, larger_than=larger_than)
    return {
        "schema_version": SCHEMA_VERSION,
        "home": str(home.home),
        "deleted": [_named(run) for run in removed.runs],
        "bytes_freed": removed.bytes,
        "bytes_left": size_of([home.home]),
        "running": [_named(run) for run in removed.running],
    }


def _named(run: Run | Broken) -> RunName:
    return {"key": run.key[:8], "name": run.called if isinstance(run, Run) else "damaged"}


def dated(rows: list[RunFacts], now: datetime) -> list[DatedRun]:
    """The rows, each with the time that has passed since it was run last."""
    return [{**row, "when": _ago(now - datetime.fromisoformat(row["last_run"]))} for row in rows]


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
    if run.kind != Kind.COMPARISON:
        raise UsageError(
            f"run {run.key[:8]} is a {run.kind}: a report is written of comparisons",
            code="no_verdict",
            hint=f"`venire {_COMMANDS[run.kind]}` prints it again, without computing it again",
        )
    try:
        text = content(home.folder(run) / ANSWER)
    except FileNotFoundError:
        raise UsageError(
            f"run {run.key[:8]} has no verdict yet: it was stopped too early",
            code="no_verdict",
            hint="run the same comparison again: it resumes where it stopped",
        ) from None
    except OSError as error:
        raise _damaged(run) from error
    with reading_a_verdict(run):
        kept = json.loads(text)
        if kept["document"]["schema_version"] != SCHEMA_VERSION:
            raise UsageError(
                f"the verdict of run {run.key[:8]} was written by another version of venire",
                code="other_version",
                hint="run the same comparison again: what it has in common with this version is not computed again",
            )
        return {"document": kept["document"], "pictures": kept["pictures"]}


@contextmanager
def reading_a_verdict(run: Run) -> Iterator[None]:
    """What goes wrong because a kept verdict is not one, as one error that says so."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, VenireError):
            raise
        raise _damaged(run) from error


def _damaged(run: Run) -> VenireError:
    return VenireError(
        f"the verdict that run {run.key[:8]} left is damaged",
        code="damaged_verdict",
        hint="run the same comparison again: it takes its evidence from disk",
    )


def _tasks(tasks: Iterable[str]) -> str:
    several = sorted(map(str, tasks))
    return several[0] if len(several) == 1 else "both"


def run_row(home: Runs, run: Run) -> RunFacts:
    """What a list says of a run."""
    held = home.evidence_of(run)
    row: RunFacts = {
        "key": run.key[:8],
        "kind": run.kind,
        "name": run.called,
        "source": run.source.rsplit("/", 1)[-1],
        "target": run.target,
        "rows": run.rows,
        "folds": run.folds,
        "seed": run.seed,
        "models": list(run.models),
        "families": sorted(folder.name.rsplit("-", 1)[0] for folder in held),
        "trials": sum(1 for folder in held for _ in folder.glob("*.trial")),
        "bytes": size_of({home.folder(run): None, **dict.fromkeys(held if run.evidence else ())}),
        "created": run.created,
        "last_run": run.last_run,
        "state": NO_VERDICT,
    }
    try:
        document = kept_verdict(home, run)["document"]
        with reading_a_verdict(run):
            row = {**row, **_answer(document)}
    except UsageError:
        pass
    except VenireError:
        row["state"] = DAMAGED
    if home.running(run):
        row["state"] = RUNNING
    return row


def _answer(document: VerdictDocument) -> Answer:
    """What a list shows of a verdict."""
    chosen, stopped = document["chosen"], document.get("stopped")
    return {
        "state": COMPLETE if stopped is None else str(Stopped(stopped)),
        "chosen": str(chosen["family"]),
        "metric": str(document["metric"]),
        "metric_label": str(document["metric_label"]),
        "higher_is_better": bool(document.get("higher_is_better", False)),  # one of an earlier version does not say
        "score_label": None if document.get("score_label") is None else str(document["score_label"]),
        "practical_difference": finite(document["practical_difference"]),
        "error": finite(chosen["error"]),
        "interval": _ends(chosen["interval"]),
        "seconds": _measured(document["timing"]["seconds"]),
    }


def _measured(value: Any) -> float:
    found = finite(value)
    if found is None:
        raise ValueError(f"{value!r} is no number")
    return found


def _ends(interval: Any) -> list[float | None] | None:
    if interval is None:
        return None
    low, high = interval
    return [finite(low), finite(high)]
