"""Runs: their pages, what can be downloaded of them, their model at work, and their end."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from venire.flow.listing import Kept, reading_a_verdict
from venire.report.page import html
from venire.serve.refused import Refusal
from venire.serve.request_reply import Reply
from venire.studio.front import Answer, Stream, Visit
from venire.studio.kept_models import HELD_OUT, MODEL, is_of, kept_file, kept_worst
from venire.studio.recipe_lines import command_of, python_of
from venire.studio.whole_pages import asset_named, first_page, two_runs_page, verdict_page
from venire.studio.workshop import Workshop, document_of, in_thread
from venire.validation.evidence.pruning import delete
from venire.validation.evidence.recipes import read_recipe
from venire.validation.evidence.run_files import Run

HTML = "text/html; charset=utf-8"
_ASKED = ("form", "row", "what_if", "boundary", "step")
_PIECE = 1 << 18


async def home(workshop: Workshop, visit: Visit) -> Reply:
    """The first page."""
    return Reply(first_page(workshop.premises.folder.name or "/", version("venire")).encode(), HTML)


async def static(workshop: Workshop, visit: Visit) -> Reply:
    """A script or a style sheet."""
    found = await in_thread(lambda: asset_named(visit.parts[0]))
    if found is None:
        raise Refusal(404, "no_route", "there is nothing under this path")
    return Reply(found[0], found[1], headers=(("cache-control", "private, max-age=300"),))


async def page(workshop: Workshop, visit: Visit) -> Reply:
    """The verdict of a run, live."""
    run = workshop.run(visit.parts[0])
    return Reply((await in_thread(lambda: _page(workshop, run))).encode(), HTML)


def _page(workshop: Workshop, run: Run) -> str:
    kept, folder = workshop.kept(run), workshop.runs.folder(run)
    recipe = read_recipe(folder)
    facts: dict[str, Any] = {
        "run": run.key,
        "called": run.called,
        "command": None if recipe is None else command_of(_shown(workshop, recipe)),
        "python": None if recipe is None else python_of(_shown(workshop, recipe)),
        "has_model": is_of(folder, kept["document"]) and kept_file(folder, MODEL) is not None,
        "again": recipe is not None and _is_there(recipe),
        "members": html.as_json(_members(kept["document"], kept["pictures"])),
    }
    with reading_a_verdict(run):
        return verdict_page(kept["document"], _pictures(folder, kept), facts)


def _pictures(folder: Path, kept: Kept) -> dict[str, Any]:
    """The pictures of a verdict, and the rows most wrong where they are known of this very verdict."""
    return {**kept["pictures"], "worst_rows": kept_worst(folder) if is_of(folder, kept["document"]) else {}}


def _members(document: Any, pictures: Any) -> dict[str, Any]:
    """What the part that compares two members needs."""
    keys = ("family", "setting", "error", "interval", "training_error", "one_layer_error", "p_best", "kind")
    board = [{key: row.get(key) for key in keys} for row in document["leaderboard"]]
    return {
        "board": board,
        "pairs": document.get("pairwise") or [],
        "folds": pictures.get("fold_errors") or {},
        "score": bool(document.get("score_label")),
        "label": document.get("score_label") or document["metric_label"],
        "practical": document.get("practical_difference"),
        "matter": _that_matter(pictures),
    }


def _that_matter(pictures: Any) -> list[str]:
    """The columns by how much the model needs them, where that was measured."""
    from venire.report.charts.explanations import ranked  # with Altair: the studio opens without it

    found = pictures.get("importance")
    return [str(found["names"][at]) for at in ranked(found)] if found else []


def _shown(workshop: Workshop, recipe: dict[str, Any]) -> dict[str, Any]:
    """The recipe as somebody in the studio's folder would type it."""
    folder = workshop.premises.folder

    def relative(path: str) -> str:
        return Path(path).relative_to(folder).as_posix() if Path(path).is_relative_to(folder) else path

    source = recipe["source"]
    return {**recipe, "source": relative(source) if isinstance(source, str) else [relative(one) for one in source]}


def _is_there(recipe: dict[str, Any]) -> bool:
    source = recipe["source"]
    return all(Path(one).is_file() for one in ([source] if isinstance(source, str) else source))


async def two(workshop: Workshop, visit: Visit) -> Reply:
    """Two runs side by side."""
    runs = [workshop.run(key) for key in visit.parts]

    def drawn() -> str:
        kept = [workshop.kept(run) for run in runs]
        sides = [(one["document"], one["pictures"]) for one in kept]
        names = [f"{run.called} ({run.key[:8]})" for run in runs]
        with reading_a_verdict(runs[0]):
            paired, keys = runs[0].evidence == runs[1].evidence, [run.key for run in runs]
            return two_runs_page(*sides, paired=paired, names=names, keys=keys)

    return Reply((await in_thread(drawn)).encode(), HTML)


async def download(workshop: Workshop, visit: Visit) -> Answer:
    """The report, the model, the held-out predictions or the commands of a run."""
    run, name = workshop.run(visit.parts[0]), visit.parts[1]
    folder = workshop.runs.folder(run)
    if name == "report.html":
        kept = workshop.kept(run)
        with reading_a_verdict(run):
            text = await in_thread(lambda: html.render(kept["document"], _pictures(folder, kept)))
        return Reply(text.encode(), HTML, headers=(_attached(run, name), ("content-security-policy", "sandbox")))
    if name == "commands.txt" and (recipe := read_recipe(folder)) is not None:
        shown = _shown(workshop, recipe)
        lines = [*filter(None, [command_of(shown)]), "", python_of(shown), ""]
        return Reply("\n".join(lines).encode(), "text/plain; charset=utf-8", headers=(_attached(run, name),))
    path = kept_file(folder, name) if name in (MODEL, HELD_OUT) else None
    if path is None or not is_of(folder, workshop.kept(run)["document"]):
        raise Refusal(404, "no_file", "this run does not keep that", hint="have its model prepared")
    kind = "text/csv; charset=utf-8" if name == HELD_OUT else "application/octet-stream"
    return Stream(_parts(path), kind, path.stat().st_size, (_attached(run, name),))


def _attached(run: Run, name: str) -> tuple[str, str]:
    return ("content-disposition", f'attachment; filename="venire-{run.key[:8]}-{name}"')


async def _parts(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
            await asyncio.sleep(0)


async def ask(workshop: Workshop, visit: Visit) -> Reply:
    """Something of the model of a run."""
    run, asked = workshop.run(visit.parts[0]), document_of(visit)
    if set(asked) != {"what", "with"} or asked["what"] not in _ASKED or not isinstance(asked["with"], dict):
        raise Refusal(400, "bad_question", "there is no such question", hint="load the page again")
    return Reply.of(await workshop.live.ask(run.key, asked["what"], asked["with"]))


async def prepare(workshop: Workshop, visit: Visit) -> Reply:
    """Have the model of a run fitted, kept and explained: the same question again, on the evidence that is there."""
    run, asked = workshop.run(visit.parts[0]), document_of(visit)
    if not set(asked) <= {"explain"} or not isinstance(asked.get("explain", False), bool):
        raise Refusal(400, "bad_question", "there is no such question", hint="load the page again")
    recipe = read_recipe(workshop.runs.folder(run))
    if recipe is None or not _is_there(recipe):
        raise Refusal(409, "no_recipe", "the table of this run is not there any more", hint="compare it again")
    await workshop.live.forget(run.key)
    job = workshop.jobs.add({"budget": None, **recipe}, run.called, explain=asked.get("explain", False))
    workshop.queue.look()
    return Reply.of(job.document(), status=201)


async def predict(workshop: Workshop, visit: Visit) -> Reply:
    """Predict a file that is sent; what comes out is fetched by its number."""
    run = workshop.run(visit.parts[0])
    name = visit.request.parameters(("name",)).get("name", "")
    assert visit.stream is not None
    file = await workshop.premises.kept(name, visit.stream)
    source = workshop.premises.table(file)
    number = secrets.token_hex(8)
    output = workshop.premises.predictions / f"{number}.csv"
    output.parent.mkdir(parents=True, exist_ok=True)
    try:
        given = {"source": str(source), "output": str(output)}
        found = await workshop.live.ask(run.key, "predict_file", given)
    finally:
        source.unlink(missing_ok=True)
    return Reply.of({**found, "file": number})


async def predicted(workshop: Workshop, visit: Visit) -> Answer:
    """The predictions of a file."""
    path = workshop.premises.predictions / f"{visit.parts[0]}.csv"
    if not path.is_file():
        raise Refusal(404, "no_file", "there are no such predictions")
    headers = (("content-disposition", 'attachment; filename="predictions.csv"'),)
    return Stream(_parts(path), "text/csv; charset=utf-8", path.stat().st_size, headers)


async def remove(workshop: Workshop, visit: Visit) -> Reply:
    """Delete a run, and its evidence that no other run uses."""
    run = workshop.run(visit.parts[0])
    await workshop.live.forget(run.key)
    recipe = read_recipe(workshop.runs.folder(run))
    removed = await in_thread(lambda: delete(workshop.runs, [run.key]))
    if removed.running:
        raise Refusal(409, "running", "this run is running", hint="stop it first")
    if recipe is not None:
        workshop.premises.forget_upload(recipe["source"], workshop.tables_in_use())
    return Reply.of({"deleted": run.key, "bytes": removed.bytes})
