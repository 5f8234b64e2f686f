"""Tables: which there are, uploads, and what is read of one."""

from __future__ import annotations

from functools import partial
from typing import Any

from venire.data import describe, read_table
from venire.data.table import Task
from venire.families.boosters import boosters
from venire.flow.listing import bucket
from venire.metrics.scores import metric_names
from venire.serve.refused import Refusal
from venire.serve.request_reply import Reply
from venire.studio.ask_options import recipe_from
from venire.studio.front import Visit
from venire.studio.page_words import in_fields
from venire.studio.workshop import Workshop, document_of, in_thread

_ASKED = ("file", "kinds", "target", "positive", "task")
_PREVIEW = 300  # columns that a page lists


async def choices(workshop: Workshop, visit: Visit) -> Reply:
    """The models and the metrics that can be asked for."""
    metrics = {str(task): list(metric_names(task)) for task in Task}
    further = {family.name for family in boosters()}  # they need packages that may not be there
    return Reply.of({"models": [one for one in bucket() if one["family"] not in further], "metrics": metrics})


async def upload(workshop: Workshop, visit: Visit) -> Reply:
    """Keep a table that is sent."""
    name = visit.request.parameters(("name",)).get("name", "")
    assert visit.stream is not None
    if not name or len(name) > 300:
        raise Refusal(400, "no_name", "an upload has a name", hint="add ?name=FILE")
    return Reply.of({"file": await workshop.premises.kept(name, visit.stream)}, status=201)


async def look(workshop: Workshop, visit: Visit) -> Reply:
    """What is read of a table: its columns with their kinds, the target, what is left out."""
    asked = document_of(visit)
    if not set(asked) <= set(_ASKED):
        raise Refusal(400, "bad_field", "the question has an unknown field", hint=f"known: {', '.join(_ASKED)}")
    recipe = recipe_from(workshop.premises, asked)
    async with workshop.reading:
        return Reply.of(await in_thread(partial(_seen, workshop, recipe)))


def _seen(workshop: Workshop, recipe: dict[str, Any]) -> dict[str, Any]:
    given = dict(recipe)
    source = given.pop("source")
    facts: dict[str, Any] = dict(describe(read_table(source, given.pop("target", None), **given)))
    facts["columns"] = facts["columns"][:_PREVIEW]
    notes = [{**note, "message": in_fields(note["message_parts"])} for note in facts["notes"]]
    return {**facts, "notes": notes, "source": workshop.premises.shown(source)}
