"""What comes to the socket of the studio: bytes that are no request, other hosts and protocols, whoever is slow."""

from __future__ import annotations

import json
import time

import pytest

from tests.serve.asking import raw, split
from tests.serve.hostile import HOSTS
from tests.serve.hostile_bytes import NO_REQUESTS, SMUGGLED
from tests.studio.conftest import SECRET, flowers, opened
from venire.serve.limits import Limits
from venire.studio import front, opening

HEAD = "POST /api/look HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer " + SECRET + "\r\n"
LOOK = b'{"file": "flowers.csv"}'


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """The port of a studio that waits for nobody long."""
    folder = tmp_path_factory.mktemp("house")
    flowers(20).to_csv(folder / "flowers.csv", index=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(opening, "_LIMITS", Limits(head_seconds=0.4, head_bytes=4096, headers=20, connections=40))
        patched.setattr(front, "_BODY_SECONDS", 0.4)
        patched.setattr(front, "_QUIET_SECONDS", 0.4)
        with opened(folder) as studio:
            yield studio.port
        uploads = folder / ".venire" / "studio" / "uploads"
        assert not uploads.exists() or not list(uploads.iterdir())


def refused(answer: bytes) -> int:
    """The status of the one answer that came."""
    status, headers, body = split(answer)
    assert 400 <= status < 600, answer
    assert status != 500
    assert headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in headers
    assert SECRET.encode() not in body
    assert answer.count(b"HTTP/1.1 ") == 1
    return status


@pytest.mark.parametrize("data", NO_REQUESTS)
def test_what_is_no_request_is_refused(port, data):
    refused(raw(port, data.replace(b"{port}", str(port).encode())))


@pytest.mark.parametrize("rest", SMUGGLED)
def test_two_requests_in_one_are_refused(port, rest):
    refused(raw(port, (HEAD.format(port=port) + rest).encode()))


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
@pytest.mark.parametrize("path", ["/", "/api/state", "/api/events?jobs=0123456789abcdef"])
def test_another_protocol_gets_the_answer_of_http(port, upgrade, path):
    """There are no websockets: who asks for one is checked as everybody, and hears what a GET hears."""
    wish = f"Connection: Upgrade\r\nUpgrade: {upgrade}\r\nSec-WebSocket-Key: eA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    host = f"Host: 127.0.0.1:{port}\r\n"
    assert refused(raw(port, f"GET {path} HTTP/1.1\r\nHost: evil.example\r\n{wish}".encode())) == 421
    evil = "Origin: http://evil.example\r\n"
    assert refused(raw(port, f"GET {path} HTTP/1.1\r\n{host}{evil}{wish}".encode())) == 403
    assert refused(raw(port, f"GET {path} HTTP/1.1\r\n{host}{wish}".encode())) == 401


def test_other_hosts_are_refused_on_the_socket_too(port):
    for host in HOSTS[:12]:
        told = host.replace("8000", str(port))
        assert (
            refused(raw(port, f"GET /api/state HTTP/1.1\r\nHost: {told}\r\nConnection: close\r\n\r\n".encode())) == 421
        )


@pytest.mark.parametrize(
    "value", ["x\r\nSet-Cookie: a=b", "x%0d%0aSet-Cookie:%20a=b", "x\nSet-Cookie: a=b", "x\rSet-Cookie: a=b"]
)
def test_no_header_comes_back_that_was_put_into_a_request(port, value):
    head = f"GET /?token={value} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    refused(raw(port, head.encode()))
    name = f"POST /api/uploads?name={value}.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    refused(raw(port, name.encode()))


def test_large_heads_and_bodies_are_refused(port):
    assert refused(raw(port, b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n")) == 431
    assert refused(raw(port, HEAD.format(port=port).encode() + b"X: y\r\n" * 30 + b"\r\n")) == 431
    sent = HEAD.format(port=port).encode() + b"Content-Type: application/json\r\nContent-Length: 1048600\r\n\r\n"
    assert refused(raw(port, sent + b" " * 1_048_600)) == 413


def test_nobody_slow_is_waited_for(port):
    began = time.monotonic()
    assert refused(raw(port, b"GET / HTTP/1.1\r\nHos")) == 408
    assert refused(raw(port, HEAD.format(port=port).encode() + b"Content-Length: 100\r\n\r\n{")) == 408
    upload = HEAD.format(port=port).replace("/api/look", "/api/uploads?name=a.csv")
    assert refused(raw(port, upload.encode() + b"Content-Length: 100\r\n\r\na,b\n1,2\n")) == 408
    assert time.monotonic() - began < 20


def test_the_studio_answers_afterwards(port):
    head = (
        HEAD.format(port=port) + f"Content-Type: application/json\r\nConnection: close\r\nContent-Length: {len(LOOK)}"
    )
    status, _, body = split(raw(port, head.encode() + b"\r\n\r\n" + LOOK))
    assert (status, json.loads(body)["rows"]) == (200, 20)
