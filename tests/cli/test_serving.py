"""`venire serve` where it cannot begin, or begins beyond this machine: one line, a hint and the exit code."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from venire.serve import running
from venire.serve.running import Asked


def test_a_file_that_is_not_there_is_3(venire):
    said = venire("serve", "nothere.venire", "--port", 0)
    assert (said.code, said.out) == (3, "")
    assert said.err.splitlines() == [
        "error: nothere.venire: the model cannot be read: No such file or directory",
        "hint: is the name right?",
    ]


def test_a_file_that_is_no_model_is_3(venire, table):
    said = venire("serve", table.name, "--port", 0)
    assert said.code == 3
    assert said.err.startswith("error: table.csv: it is no model file")
    assert len(said.err.splitlines()) == 2


def test_a_port_that_another_server_has_is_1(venire):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = venire("serve", "m.venire", "--port", port)
    assert (said.code, said.out) == (1, "")
    assert said.err.splitlines() == [
        f"error: port {port} of 127.0.0.1 cannot be had: Address already in use",
        "hint: stop the other server, or choose another --port",
    ]


@pytest.mark.parametrize("words", [("--port", 65536), ("--port", -1), ("--max-rows", 0), ("--max-body", 0)])
def test_options_that_make_no_sense_are_2(venire, words):
    said = venire("serve", "m.venire", *words)
    assert said.code == 2
    assert said.err.splitlines()[-1] == "hint: see `venire serve --help`"


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """What the server was asked to be; it stops at once, as after SIGTERM."""
    found: list[Asked] = []

    def serve(asked: Asked) -> int:
        found.append(asked)
        return 15

    monkeypatch.setattr(running, "serve", serve)
    monkeypatch.delenv("VENIRE_TOKEN", raising=False)
    return found


def test_beyond_this_machine_a_token_is_made_and_said_once(venire, asked_for):
    said = [venire("serve", "m.venire", "--host", "0.0.0.0") for _ in range(2)]
    tokens = [asked.token for asked in asked_for]
    assert [one.code for one in said] == [0, 0]
    assert all(token is not None and token.made for token in tokens)
    assert tokens[0].secret != tokens[1].secret
    for one, token in zip(said, tokens, strict=True):
        assert one.err.splitlines() == [
            f"token: {token.secret.decode()}",
            "clients send it as Authorization: Bearer TOKEN; give your own with --token-file",
        ]


def test_a_token_of_the_user_is_not_said(venire, asked_for, tmp_path: Path):
    (tmp_path / "token").write_text("0123456789abcdef-secret\n")
    said = venire("serve", "m.venire", "--host", "0.0.0.0", "--token-file", "token")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert asked_for[0].token.secret == b"0123456789abcdef-secret"


def test_a_weak_token_is_2(venire, asked_for, tmp_path: Path):
    (tmp_path / "token").write_text("1234\n")
    said = venire("serve", "m.venire", "--host", "0.0.0.0", "--token-file", "token")
    assert said.code == 2
    assert said.err.startswith("error: the token in token has fewer than 16 signs")
    assert asked_for == []


def test_this_machine_alone_needs_no_token(venire, asked_for):
    assert venire("serve", "m.venire").err == ""
    assert asked_for[0].token is None
