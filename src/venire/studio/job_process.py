"""The process that carries out one job: the same engine as `venire compare`, on the same evidence.

Called as `python -m venire.studio.job_process FOLDER HOME`. It says how far it is in files, so that it needs nobody who
listens, and SIGINT stops it as Ctrl-C stops a command: what is finished is kept, and a verdict is given on it.
"""

from __future__ import annotations

import math
import os
import sys
import time
from pathlib import Path
from typing import Any

from venire.disk.locks import marked
from venire.errors import UsageError, VenireError
from venire.studio.job_folders import (
    DONE,
    END,
    FAILED,
    PROGRESS,
    RUNNING_SIGN,
    STOPPED,
    Job,
    write_plain,
)
from venire.studio.page_words import error_facts
from venire.validation.evidence.recipes import is_recipe

_PAUSE = 0.15  # seconds between two notes
WORST = 20  # rows
_WORTH_WAITING = 20.0  # seconds for pictures that a report leaves out where a run was shorter than they take


class Notes:
    """Writes down how far a job is, a few times a second."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._facts: dict[str, Any] = {"pid": os.getpid(), "began": time.time(), "note": "reading the table"}
        self._last = 0.0
        self.write()

    def note(self, text: str) -> None:
        """The name of a stage."""
        self._facts["note"] = text
        self.write()

    def tick(self, tick: Any) -> None:
        """One step of the trials; a step that is no news is not written."""
        facts = {
            "note": f"trials of {tick.family}",
            "done": tick.done,
            "total": tick.total,
            "left": tick.left,
            "errors": {name: error for name, error in tick.errors.items() if math.isfinite(error)},
        }
        news = len(facts["errors"]) != len(self._facts.get("errors", ())) or tick.done == tick.total
        self._facts |= facts
        if news or time.monotonic() - self._last > _PAUSE:
            self.write()

    def write(self) -> None:
        """Write it now."""
        self._last = time.monotonic()
        write_plain(self._folder / PROGRESS, {**self._facts, "at": time.time()})


def main(folder: Path, home: Path) -> int:
    """Carry the job out; however it ends, that is written down."""
    job = Job(folder)
    with marked(folder, RUNNING_SIGN):
        try:
            end = _carried_out(job, home)
        except KeyboardInterrupt:
            end = {"state": STOPPED}
        except VenireError as error:
            end = {"state": STOPPED if error.code == "interrupted" else FAILED, "error": error_facts(error)}
        except Exception as error:  # somebody's table may bring anything to light
            end = {"state": FAILED, "error": {"code": "internal", "message": f"{type(error).__name__}", "hint": None}}
        write_plain(folder / END, end)
    return 0


def _carried_out(job: Job, home: Path) -> dict[str, Any]:
    notes = Notes(job.folder)
    from venire.flow import compare
    from venire.studio.kept_models import keep_model
    from venire.validation.trials.reasons import Stopped

    asked = job.asked.get("recipe")
    if not is_recipe(asked):
        raise UsageError("this job is not as the studio writes them", code="bad_job", hint="ask for it again")
    recipe = dict(asked)
    verdict = compare(recipe.pop("source"), home=home, fit=True, tick=notes.tick, **recipe)
    assert verdict.run is not None
    stopped = verdict.ran.stopped is Stopped.INTERRUPTED
    if not stopped:
        notes.note("explaining the choice")
        pictures = verdict.report_pictures(explanations="all" if job.asked.get("explain") is True else True)
        left_out = [one["seconds"] for one in pictures.get("left_out") or ()]
        if left_out and None not in left_out and sum(left_out) < _WORTH_WAITING:
            verdict.report_pictures(explanations="all")
        notes.note("keeping the model")
        keep_model(verdict, home / "runs" / verdict.run, WORST)
    return {"state": STOPPED if stopped else DONE, "run": verdict.run}


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
