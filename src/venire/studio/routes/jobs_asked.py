"""Jobs: asked for, watched, stopped, resumed, forgotten."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

from venire.serve.refused import Refusal
from venire.serve.request_reply import Reply
from venire.studio.ask_options import recipe_from
from venire.studio.front import Stream, Visit
from venire.studio.job_folders import DONE, FAILED, FORGOTTEN, RUNNING, STOPPED, Jobs, is_key
from venire.studio.workshop import Workshop, document_of, in_thread

_PAUSE = 0.2  # seconds between two looks at the files of a job
_SIGN_OF_LIFE = 15.0  # seconds
_MOST_WAITING = 50
_MOST_WATCHED = 200  # jobs of one stream


async def state(workshop: Workshop, visit: Visit) -> Reply:
    """Tables, jobs and runs: all that the first page shows."""
    tables = await in_thread(workshop.premises.tables)
    rows = await in_thread(workshop.rows.all)
    jobs = [job.document() for job in workshop.jobs.all()]
    return Reply.of({"tables": tables, "jobs": jobs, "runs": rows})


async def ask(workshop: Workshop, visit: Visit) -> Reply:
    """Put a comparison into the queue."""
    recipe = recipe_from(workshop.premises, document_of(visit))
    if "target" not in recipe:
        raise Refusal(400, "no_target", "which column is to be predicted?", hint="choose a target")
    if sum(job.state not in (DONE, STOPPED, FAILED) for job in workshop.jobs.all()) >= _MOST_WAITING:
        raise Refusal(429, "too_many_jobs", f"{_MOST_WAITING} jobs are waiting", hint="stop some of them")
    called = recipe.get("name") or workshop.premises.shown(recipe["source"])
    recipe.setdefault("name", Path(called).name[:100])
    job = workshop.jobs.add(recipe, called)
    workshop.queue.look()
    return Reply.of(job.document(), status=201)


async def job(workshop: Workshop, visit: Visit) -> Reply:
    """How a job stands."""
    return Reply.of(workshop.job(visit.parts[0]).document())


async def events(workshop: Workshop, visit: Visit) -> Stream:
    """How jobs stand, each again whenever that changes, until all have ended.

    A page asks for all its jobs at once: a browser keeps no more than six connections to one place, and every answer
    that goes on takes one of them.
    """
    keys = visit.request.parameters(("jobs",)).get("jobs", "").split(",")
    if len(keys) > _MOST_WATCHED or not all(map(is_key, keys)):
        raise Refusal(400, "bad_query", "these are no jobs", hint=f"name up to {_MOST_WATCHED}, with commas between")
    return Stream(_told(workshop.jobs, dict.fromkeys(keys)), "text/event-stream")


async def _told(jobs: Jobs, left: dict[str, str | None]) -> AsyncIterator[bytes]:
    """Of each job that is left: what was last said of it."""
    loop = asyncio.get_running_loop()
    quiet = loop.time()
    while left:
        for key in tuple(left):
            found = jobs.find(key)
            document = {"id": key, "state": FORGOTTEN} if found is None else found.document()
            text = json.dumps(document)
            if text != left[key]:
                left[key], quiet = text, loop.time()
                yield f"data: {text}\n\n".encode()
            if document["state"] in (DONE, STOPPED, FAILED, FORGOTTEN):
                del left[key]
        if loop.time() - quiet > _SIGN_OF_LIFE:
            quiet = loop.time()
            yield b": still here\n\n"
        await asyncio.sleep(_PAUSE)


async def stop(workshop: Workshop, visit: Visit) -> Reply:
    """Have a job stopped."""
    found = workshop.job(visit.parts[0])
    workshop.queue.stop(found)
    return Reply.of(found.document())


async def resume(workshop: Workshop, visit: Visit) -> Reply:
    """Have a job that was stopped, or failed, go on from its evidence."""
    found = workshop.job(visit.parts[0])
    if found.state not in (STOPPED, FAILED):
        raise Refusal(409, "not_stopped", "only a job that was stopped can be resumed")
    found.again()
    workshop.queue.look()
    return Reply.of(found.document())


async def forget(workshop: Workshop, visit: Visit) -> Reply:
    """Take a job off the list; its run stays."""
    found = workshop.job(visit.parts[0])
    if found.state == RUNNING:
        raise Refusal(409, "running", "this job is running", hint="stop it first")
    found.delete()
    return Reply.of({"forgotten": found.key})
