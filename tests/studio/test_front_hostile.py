"""Hundreds of requests that want what they should not get: each is refused, nothing of them is kept or logged."""

from __future__ import annotations

import json

import pytest

from tests.serve.asking import Asked
from tests.serve.hostile import TOKENS
from tests.studio import hostile
from tests.studio.conftest import OWN, SECRET, housed

REQUESTS = hostile.requests()


@pytest.fixture(scope="module")
def besieged(tmp_path_factory):
    return housed(tmp_path_factory.mktemp("besieged"))


def check_refusal(answer, asked):
    assert 400 <= answer.status < 500, (answer.status, answer.body[:200], asked)
    assert SECRET.encode() not in answer.body
    assert "set-cookie" not in answer.headers
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert b"passwd" not in answer.body


@pytest.mark.parametrize("what", REQUESTS)
def test_it_is_refused(besieged, what):
    for asked in REQUESTS[what]:
        check_refusal(besieged.own(asked), asked)
    assert besieged.own(Asked.get("/api/choices")).status == 200


def test_strangers_are_refused(besieged):
    for asked in hostile.strangers():
        answer = besieged.ask(asked)
        check_refusal(answer, asked)
        assert answer.status == 401


def test_pages_of_others_are_refused(besieged):
    for asked in hostile.origins():
        answer = besieged.ask(asked, besieged.cookie)
        check_refusal(answer, asked)
        assert answer.status == 403


@pytest.mark.parametrize("cookie", hostile.COOKIES)
def test_another_cookie_is_none(besieged, cookie):
    right = besieged.cookie[1].partition("=")[2]
    answer = besieged.ask(Asked.get("/api/state"), ("cookie", cookie.format(right, SECRET)), OWN)
    assert answer.status == 401


@pytest.mark.parametrize("token", [token for token in TOKENS if token is not None])
def test_another_token_is_none(besieged, token):
    told = token.format(SECRET, SECRET[:-1], SECRET.upper())
    assert besieged.ask(Asked.get("/api/state"), ("authorization", told)).status == 401


@pytest.mark.parametrize(
    "query",
    [
        "token=",
        "token=x",
        f"token={SECRET}x",
        f"token={SECRET}&token={SECRET}",
        f"Token={SECRET}",
        "token[]=x",
        f"x={SECRET}",
        "&" * 20 + f"token={SECRET}x",
    ],
)
def test_another_token_in_the_address_is_none(besieged, query):
    answer = besieged.ask(Asked.get("/", query=query))
    assert (answer.status, "set-cookie" in answer.headers) == (401, False)


def test_there_are_enough_of_them():
    total = sum(map(len, REQUESTS.values())) + len(hostile.strangers()) + len(hostile.origins())
    assert total >= 500
    assert all(REQUESTS.values())


def test_nothing_is_left_of_them(besieged):
    for requests in REQUESTS.values():
        for asked in requests:
            besieged.own(asked)
    uploads = besieged.folder / ".venire" / "studio" / "uploads"
    assert not uploads.exists() or not list(uploads.iterdir())
    assert besieged.workshop.jobs.all() == []
    assert sorted(path.name for path in besieged.folder.parent.iterdir()) == ["inside", "secret.csv"]


def test_the_log_has_routes_and_words_alone(besieged):
    for asked in [*REQUESTS["files"], *REQUESTS["paths"], *hostile.origins()]:
        besieged.own(asked)
    besieged.ask(Asked.get("/", query=f"token={SECRET}"))
    text = besieged.logged()
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines
    assert {key for line in lines for key in line} <= {
        "time",
        "event",
        "route",
        "method",
        "status",
        "ms",
        "rows",
        "code",
    }
    assert not {line["status"] for line in lines} & {500, 502}
    session = besieged.cookie[1].partition("=")[2]
    assert not any(
        word in text for word in (SECRET, session, "passwd", "evil", "flowers", "colour", "secret", "token=")
    )
