"""What reaches the parser of HTTP: raw bytes that are no request, too large, too slow, or two requests in one."""

from __future__ import annotations

import json
import socket
import time

import pytest

from tests.serve.asking import raw, split
from tests.serve.hostile import BODY
from tests.serve.hostile_bytes import NO_REQUESTS, SMUGGLED

HEAD = "POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
LENGTH = f"Content-Length: {len(BODY)}\r\n\r\n"


def check(answer: bytes) -> int:
    """One answer, a refusal in our one shape, and the end of the connection."""
    status, headers, body = split(answer)
    assert 400 <= status < 600, answer
    assert status != 500
    assert json.loads(body)["error"]["message"]
    assert headers["x-content-type-options"] == "nosniff"
    assert answer.count(b"HTTP/1.1 ") == 1, "one answer, and no second one to what was smuggled"
    return status


def fine(port: int) -> None:
    head = HEAD.format(port=port) + "Connection: close\r\n" + LENGTH
    status, _, body = split(raw(port, head.encode() + BODY))
    assert (status, len(json.loads(body)["predictions"])) == (200, 1)


@pytest.mark.parametrize("data", NO_REQUESTS)
def test_what_is_no_request_is_refused(wary, data):
    check(raw(wary, data.replace(b"{port}", str(wary).encode())))


@pytest.mark.parametrize("rest", SMUGGLED)
def test_two_requests_in_one_are_refused(wary, rest):
    check(raw(wary, (HEAD.format(port=wary) + rest).encode()))


def test_the_server_answers_afterwards(wary):
    fine(wary)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * 5000 + b" HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\n" + b"X: y\r\n" * 30 + b"\r\n",
        b"GET /health HTTP/1.1\r\nX: " + b"y" * 5000 + b"\r\n\r\n",
        b"GET /health HTTP/1.1\r\nX: " + b"y" * 200_000,
        b"GET /" + b"a" * 200_000,
    ],
)
def test_a_large_head_is_refused(wary, head):
    assert check(raw(wary, head)) == 431


def test_a_large_body_is_refused_before_it_comes(wary):
    head = HEAD.format(port=wary) + "Content-Length: 99999999999\r\n\r\n{"
    assert check(raw(wary, head.encode())) == 413


def test_a_slow_head_is_not_waited_for(wary):
    began = time.monotonic()
    assert check(raw(wary, b"GET /health HTTP/1.1\r\nHos")) == 408
    assert raw(wary, b"") == b"", "who says nothing hears nothing"
    assert time.monotonic() - began < 15


def test_a_slow_body_is_not_waited_for(wary):
    assert check(raw(wary, (HEAD.format(port=wary) + "Content-Length: 100\r\n\r\n{").encode())) == 408
    chunked = HEAD.format(port=wary) + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
    assert check(raw(wary, chunked.encode())) == 408


def test_a_head_in_drips_is_not_waited_for(wary):
    with socket.create_connection(("127.0.0.1", wary), timeout=20) as line:
        began, found = time.monotonic(), b""
        try:
            while time.monotonic() - began < 10:
                line.sendall(b"G" if not found else b"x")
                line.settimeout(0.1)
                try:
                    found += line.recv(1000)
                    break
                except TimeoutError:
                    continue
        except ConnectionError:
            pass
        assert time.monotonic() - began < 10


def test_a_connection_serves_many_requests(wary):
    head = (HEAD.format(port=wary) + LENGTH).encode() + BODY
    with socket.create_connection(("127.0.0.1", wary), timeout=20) as line:
        for _ in range(20):
            line.sendall(head)
            found = b""
            while b'"warnings":[]}' not in found:
                found += line.recv(1 << 16)
            assert split(found)[0] == 200
        line.sendall(head + head)  # two at once
        found = b""
        while found.count(b'"warnings":[]}') < 2:
            found += line.recv(1 << 16)
        assert found.count(b"HTTP/1.1 200") == 2


def test_what_comes_behind_a_body_is_no_header(wary):
    """Headers are checked when the head is whole: a second Host, a token or a length behind the body is dropped."""
    head = HEAD.format(port=wary) + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = f"{len(BODY):x}\r\n".encode() + BODY + b"\r\n0\r\n"
    behind = (
        b"Host: evil.example\r\nOrigin: http://evil.example\r\nAuthorization: Bearer x\r\nContent-Type: text/csv\r\n"
    )
    assert split(raw(wary, head.encode() + body + behind + b"\r\n"))[0] == 200
    assert check(raw(wary, head.encode() + body + b"X: y\r\n" * 2000 + b"\r\n")) == 431


def test_a_wish_for_another_protocol_is_passed_over(wary):
    asked = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{wary}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    answer = raw(
        wary,
        asked.encode() + b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    )
    assert (split(answer)[0], split(answer)[2]) == (200, b'{"status":"ok"}')


def test_too_many_connections_are_sent_away(wary):
    lines = [socket.create_connection(("127.0.0.1", wary), timeout=20) for _ in range(45)]
    try:
        time.sleep(0.2)
        lines[-1].settimeout(5)
        assert check(lines[-1].recv(1 << 16)) == 503
    finally:
        for line in lines:
            line.close()
    time.sleep(0.5)
    fine(wary)


def test_who_is_sent_away_with_a_request_on_the_way_hears_why(wary):
    lines = [socket.create_connection(("127.0.0.1", wary), timeout=20) for _ in range(40)]
    try:
        time.sleep(0.2)
        for _ in range(5):  # a connection that is closed with bytes nobody has read is reset
            asked = HEAD.format(port=wary) + "Content-Length: 200000\r\n\r\n"
            assert check(raw(wary, asked.encode() + b" " * 200_000)) == 503
    finally:
        for line in lines:
            line.close()
    time.sleep(0.5)
    fine(wary)
