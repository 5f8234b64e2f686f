"""Every route there is: a method, a pattern, and who answers. What is not here is refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from venire.studio.front import Answer, Route, Visit
from venire.studio.routes import jobs_asked, runs_asked, tables_asked
from venire.studio.workshop import Workshop

Answerer = Callable[[Workshop, Visit], Awaitable[Answer]]


def routes(workshop: Workshop) -> list[Route]:
    """The routes of a workshop."""
    listed: list[tuple[str, str, Answerer, bool]] = [
        ("GET", "/", runs_asked.home, False),
        ("GET", "/static/{file}", runs_asked.static, False),
        ("GET", "/runs/{key}", runs_asked.page, False),
        ("GET", "/runs/{key}/{file}", runs_asked.download, False),
        ("GET", "/compare/{key}/{other}", runs_asked.two, False),
        ("GET", "/predicted/{key}", runs_asked.predicted, False),
        ("GET", "/api/state", jobs_asked.state, False),
        ("GET", "/api/choices", tables_asked.choices, False),
        ("POST", "/api/look", tables_asked.look, False),
        ("POST", "/api/uploads", tables_asked.upload, True),
        ("POST", "/api/jobs", jobs_asked.ask, False),
        ("GET", "/api/jobs/{key}", jobs_asked.job, False),
        ("GET", "/api/events", jobs_asked.events, False),
        ("POST", "/api/jobs/{key}/stop", jobs_asked.stop, False),
        ("POST", "/api/jobs/{key}/resume", jobs_asked.resume, False),
        ("DELETE", "/api/jobs/{key}", jobs_asked.forget, False),
        ("POST", "/api/runs/{key}/ask", runs_asked.ask, False),
        ("POST", "/api/runs/{key}/prepare", runs_asked.prepare, False),
        ("POST", "/api/runs/{key}/predict", runs_asked.predict, True),
        ("DELETE", "/api/runs/{key}", runs_asked.remove, False),
    ]
    return [Route(method, label, partial(answer, workshop), streamed) for method, label, answer, streamed in listed]
