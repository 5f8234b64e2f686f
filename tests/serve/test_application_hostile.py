"""Hundreds of requests that want what they should not get: each is refused, and nothing of them is logged."""

from __future__ import annotations

import json

import pytest

from tests.serve import hostile
from tests.serve.asking import Asked, ask, with_token
from tests.serve.conftest import SECRET

REQUESTS = hostile.requests()


def check_refusal(answer, asked):
    assert 400 <= answer.status < 500, (answer.status, asked)
    assert answer.headers["content-type"] == "application/json"
    error = answer.document["error"]
    said = error if isinstance(error, str) else error["message"]
    assert said
    assert len(said) < 400
    assert SECRET.encode() not in answer.body


@pytest.mark.parametrize("what", REQUESTS)
def test_it_is_refused(guarded, what):
    for asked in REQUESTS[what]:
        check_refusal(ask(guarded, with_token(asked, SECRET)), asked)
    fine = ask(guarded, with_token(Asked("/predict", hostile.BODY), SECRET))
    assert (fine.status, len(fine.document["predictions"])) == (200, 1)


def test_there_are_enough_of_them():
    assert sum(map(len, REQUESTS.values())) >= 500
    assert all(len(requests) >= 8 for requests in REQUESTS.values())


@pytest.mark.parametrize("token", hostile.TOKENS)
def test_another_token_is_none(guarded, token):
    told = None if token is None else token.format(SECRET, SECRET[:-1], SECRET.upper())
    headers = (hostile.JSON,) if told is None else (hostile.JSON, ("authorization", told))
    answer = ask(guarded, Asked("/predict", hostile.BODY, headers=headers))
    check_refusal(answer, token)
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_two_tokens_are_none(guarded):
    right = ("authorization", f"Bearer {SECRET}")
    assert ask(guarded, Asked("/predict", hostile.BODY, headers=(hostile.JSON, right, right))).status == 400


def test_spoiled_streams_are_refused_or_read(guarded):
    headers = (("content-type", hostile.ARROW), ("authorization", f"Bearer {SECRET}"))
    found = [ask(guarded, Asked("/predict", body, headers=headers)).status for body in hostile.mutated(0, 150)]
    assert set(found) <= {200, 400, 413}
    assert found.count(400) > 10


def test_the_log_has_routes_and_words_alone(guarded):
    wanted = [asked for requests in REQUESTS.values() for asked in requests]
    for asked in wanted:
        ask(guarded, with_token(asked, SECRET))
    for token in hostile.TOKENS:
        if token is not None:
            told = token.format(SECRET, SECRET[:-1], SECRET.upper())
            ask(guarded, Asked("/predict", hostile.BODY, headers=(hostile.JSON, ("authorization", told))))
    lines = [json.loads(line) for line in guarded.logged().splitlines()]
    assert len(lines) >= len(wanted)
    known = {"time", "event", "route", "method", "status", "ms", "rows", "code"}
    assert all(set(line) <= known for line in lines)
    assert not {line["status"] for line in lines} & {500, 502}
    text = guarded.logged()
    assert not any(word in text for word in (SECRET, SECRET[:-1], "passwd", "evil", "colour", "Bearer"))
