"""The runs on disk, as the terminal lists them; and what became of those that were deleted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from venire.report.document.shapes.lists import COMPLETE, DAMAGED, RUNNING, DamagedRun, DatedRun, DeletedDocument
from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import measured_by
from venire.report.terminal.console import Plain, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.wording import MISSING, count, size


def _known(value: Any) -> str:
    return MISSING if value is None else str(value)


_RUNS: Layout = (
    ("key", "run", None),
    ("called", "name", None),
    ("target", "target", None),
    ("models", "models", _known),
    ("chosen", "chosen", None),
    ("result", "result", _known),
    ("bytes", "size", size),
    ("when", "last run", None),
)

_MARKS = {
    "interrupted": ("*", "interrupted: the same command resumes it"),
    "budget": ("**", "out of time: not all models were finished; allow more with --budget"),
    RUNNING: ("…", "running"),
    DAMAGED: ("!", "its verdict is damaged: the same command makes it again"),
}


def runs(
    rows: Sequence[DatedRun], console: Console, damaged: Sequence[DamagedRun] = (), used: int | None = None
) -> None:
    """Print the runs on disk, what cannot be read of them, and how many bytes all of it takes.

    A state other than complete has a mark. The target has a column of its own only where runs of one name differ in it.
    """
    if not rows and not damaged:
        console.print("No runs here yet: `venire compare` makes one.")
        return
    if rows:
        listing([_shown(row) for row in rows], _layout(rows), console)
    for state, (mark, meaning) in _MARKS.items():
        if any(row.get("state") == state for row in rows):
            console.print(Plain(words(f"{mark:2} {meaning}", console)))
    for each in damaged:
        console.print(Plain(words(f"run {each['key']} cannot be read: {each['why']}", console)))
    if damaged:
        console.print(Plain(words("delete such a run with --delete and its whole key", console)))
    if used is not None:
        shared = "; evidence that runs share is counted once" if len(rows) > 1 else ""
        console.print(Plain(words(f"{size(used)} in all{shared}", console)))


def deleted(document: DeletedDocument, console: Console) -> None:
    """Print what was deleted, and how much that freed."""
    for run in document["deleted"]:
        console.print(Plain(words(f"deleted run {run['key']} ({run['name']})", console)))
    for run in document["running"]:
        console.print(Plain(words(f"kept run {run['key']} ({run['name']}): it is running", console)))
    home = short_path(document["home"])
    freed, left = size(document["bytes_freed"]), size(document["bytes_left"])
    what = count(len(document["deleted"]), "run")
    console.print(Plain(words(f"{what} deleted, {freed} freed; {left} left in {home}", console)))


def _layout(rows: Sequence[DatedRun]) -> Layout:
    """All columns, but the target where the name of a run tells it."""
    targets = defaultdict(set)
    for row in rows:
        targets[row.get("name")].add(row.get("target"))
    several = any(len(each) > 1 for each in targets.values())
    return [column for column in _RUNS if several or column[0] != "target"]


def _shown(row: DatedRun) -> dict[str, Any]:
    """The row as people read it: how many models, which was chosen, and the figure under the name they know."""
    models = len(row["models"]) if "models" in row else None
    shown: dict[str, Any] = {**row, "called": row.get("name"), "models": models, "chosen": _outcome(row)}
    if row.get("kind", "comparison") != "comparison":
        shown["result"] = row["kind"]  # its figures are printed by the same command again
    elif finite(row.get("error")) is not None:
        measure = measured_by(row, [row], finite(row.get("practical_difference")) or 0.0)
        shown["result"] = f"{measure.short} {measure.say(row['error'])}"
    return shown


def _outcome(row: DatedRun) -> str | None:
    """What was chosen, marked where that verdict was cut short; else what became of it."""
    state = row.get("state") or COMPLETE
    if row.get("kind", "comparison") != "comparison":
        of = ", ".join(name.removeprefix("select_") for name in row.get("models") or ())
        return of if state != RUNNING else f"{of} {_MARKS[state][0]}"
    if not row.get("chosen"):
        return state
    return f"{row['chosen']} {_MARKS[state][0]}" if state in _MARKS else row["chosen"]
