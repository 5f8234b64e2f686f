"""All that the routes of the studio stand on: the folder, the runs, the jobs, and the processes behind open pages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from venire.flow.listing import Kept, kept_verdict
from venire.serve.bodies.strict_json import parsed
from venire.serve.refused import Refusal
from venire.serve.request_reply import JSON
from venire.studio.front import Visit
from venire.studio.job_folders import DONE, Job, Jobs
from venire.studio.job_queue import Queue
from venire.studio.live_processes import LiveProcesses
from venire.studio.premises import Premises
from venire.studio.run_rows import RunRows
from venire.validation.evidence.recipes import read_recipe
from venire.validation.evidence.run_files import Run
from venire.validation.evidence.runs import Runs

Result = TypeVar("Result")
_A_DAY = 86_400.0  # seconds


@dataclass(frozen=True, eq=False)
class Workshop:
    """One folder with its home."""

    premises: Premises
    runs: Runs
    rows: RunRows
    jobs: Jobs
    queue: Queue
    live: LiveProcesses
    reading: asyncio.Lock  # one table is looked at at a time

    @classmethod
    def at(cls, folder: Path, home: Path, upload_bytes: int) -> Workshop:
        """The workshop of a folder."""
        runs, jobs = Runs(home), Jobs(home)
        premises = Premises(folder, home, upload_bytes)
        return cls(premises, runs, RunRows(runs), jobs, Queue(jobs), LiveProcesses(home), asyncio.Lock())

    def tables_in_use(self) -> set[str]:
        """The files that runs and jobs are made of."""
        recipes = [read_recipe(self.runs.folder(run)) for run in self.runs.all()]
        recipes += [job.asked.get("recipe") for job in self.jobs.all()]
        sources = [recipe["source"] for recipe in recipes if recipe]
        return {str(one) for source in sources for one in (source if isinstance(source, list) else [source])}

    def sweep(self) -> None:
        """Remove what earlier days left and nothing uses: jobs that are done, uploads, fetched predictions."""
        before = time.time() - _A_DAY
        for job in self.jobs.all():
            with suppress(OSError):
                if job.state == DONE and job.folder.stat().st_mtime < before:
                    job.delete()
        self.premises.sweep(self.tables_in_use(), before)

    def run(self, key: str) -> Run:
        """The run of a path; a refusal where there is none."""
        for run in self.runs.all():
            if run.key.startswith(key):
                return run
        raise Refusal(404, "unknown_run", "there is no such run", hint="it may have been deleted")

    def kept(self, run: Run) -> Kept:
        """The verdict that a run left."""
        return kept_verdict(self.runs, run)

    def job(self, key: str) -> Job:
        """The job of a path; a refusal where there is none."""
        found = self.jobs.find(key)
        if found is None:
            raise Refusal(404, "unknown_job", "there is no such job", hint="it may have been deleted")
        return found


def document_of(visit: Visit) -> dict[str, Any]:
    """The body of a request, an object of JSON."""
    if visit.request.media_type() != JSON:
        raise Refusal(415, "wrong_media_type", "the body is of a type that is not read here", hint=f"send {JSON}")
    found = parsed(visit.request.body)
    if not isinstance(found, dict):
        raise Refusal(400, "bad_document", "the body is no object")
    return found


async def in_thread(work: Callable[[], Result]) -> Result:
    """Work that takes long, beside the answering of others."""
    return await asyncio.get_running_loop().run_in_executor(None, work)
