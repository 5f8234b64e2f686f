"""The token once in the address, then a cookie; and what a page of ours may do with it."""

from __future__ import annotations

from tests.serve.asking import Asked
from tests.studio.conftest import OWN, SECRET


def test_the_token_becomes_a_cookie_that_other_sites_never_send(house):
    answer = house.ask(Asked.get("/", query=f"token={SECRET}"))
    assert (answer.status, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert SECRET not in cookie
    assert house.ask(Asked.get("/"), ("cookie", cookie.partition(";")[0])).status == 200


def test_a_program_sends_the_token_itself(house):
    assert house.ask(Asked.get("/api/state"), ("authorization", f"Bearer {SECRET}")).status == 200


def test_whoever_has_no_token_reads_where_it_is(house):
    answer = house.ask(Asked.get("/"))
    assert (answer.status, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert b"open the address that venire studio printed" in answer.body


def test_a_change_says_which_page_it_comes_from(house):
    asked = Asked.json("/api/look", {"file": "flowers.csv"})
    assert house.ask(asked, house.cookie).document["error"]["code"] == "no_origin"
    assert house.ask(asked, house.cookie, OWN).status == 200


def test_every_page_runs_scripts_of_ours_alone(house):
    answer = house.own(Asked.get("/"))
    policy = answer.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert b"<script>" not in answer.body
    assert answer.headers["referrer-policy"] == "no-referrer"
