"""A server as a process: it begins, exchanges its model, answers what it began to answer, and ends with a code."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import pytest

from tests.serve.conftest import running
from tests.serve.hostile import BODY
from venire.errors import UsageError, VenireError
from venire.serve.running import Asked, listening, serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def predicted(port: int, body: bytes = BODY) -> dict:
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        line.request("POST", "/predict", body, {"content-type": "application/json"})
        answer = line.getresponse()
        assert answer.status == 200
        return json.loads(answer.read())
    finally:
        line.close()


def wait_until(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not happen in time")


@pytest.fixture
def process(kind, tmp_path):
    """`venire serve` on a free port: the process, the port, the model file and the log."""
    file, log = tmp_path / "m.venire", tmp_path / "log"
    shutil.copy(kind, file)
    command = [sys.executable, "-m", "venire", "serve", str(file), "--port", "0", "--no-watch"]
    with log.open("w") as stream:
        held = subprocess.Popen(command, stdout=stream, stderr=stream, env={**os.environ, "VENIRE_TOKEN": ""})
    try:
        wait_until(lambda: '"start"' in log.read_text() or held.poll() is not None, 120)
        yield held, json.loads(log.read_text().splitlines()[0])["port"], file, log
    finally:
        held.kill()
        held.wait()


def test_a_process_reloads_and_stops_without_losing_a_request(process, amount):
    held, port, file, log = process
    first = predicted(port)
    assert "probability_high" in first["predictions"][0]
    # Requests go on and on over one connection while the file is exchanged: each gets one model or the other.
    shutil.copy(amount, file.with_suffix(".new"))
    os.replace(file.with_suffix(".new"), file)
    held.send_signal(signal.SIGHUP)
    versions = []
    wait_until(lambda: versions.append(predicted(port)["version"]) or versions[-1] != first["version"])
    assert versions[:-1] == [first["version"]] * (len(versions) - 1)
    # A spoiled file leaves the model in service.
    file.write_bytes(b"no model")
    held.send_signal(signal.SIGHUP)
    wait_until(lambda: '"failed"' in log.read_text())
    assert predicted(port)["version"] == versions[-1]
    # A request whose body is still on its way when the server is asked to stop is answered.
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(BODY)}\r\n\r\n"
        line.sendall(head.encode() + BODY[:10])
        time.sleep(0.5)
        held.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        line.sendall(BODY[10:])
        assert line.recv(1 << 16).startswith(b"HTTP/1.1 200")
    assert held.wait(60) == 0
    lines = [json.loads(each) for each in log.read_text().splitlines()]
    assert lines[-1]["event"] == "stop"
    assert [each["result"] for each in lines if each["event"] == "reload"] == ["changed", "failed"]


def test_ctrl_c_is_130(process):
    held, port, _, log = process
    predicted(port)
    held.send_signal(signal.SIGINT)
    assert held.wait(60) == 130
    assert "Traceback" not in log.read_text()


def test_a_changed_file_is_found_by_its_content(kind, amount, tmp_path, monkeypatch):
    from venire.serve import shelf

    monkeypatch.setattr(shelf, "_LOOKS", 0.05)
    file = tmp_path / "m.venire"
    shutil.copy(kind, file)
    with running([file], watch=True) as (found, log):
        first = predicted(found.port)["version"]
        os.utime(file)  # another time, the same content
        wait_until(lambda: '"same"' in log.getvalue())
        assert predicted(found.port)["version"] == first
        shutil.copy(amount, file)
        wait_until(lambda: predicted(found.port)["version"] != first)


def test_under_load_no_request_is_lost_while_models_are_exchanged(kind, amount, tmp_path, monkeypatch):
    from venire.serve import shelf

    monkeypatch.setattr(shelf, "_LOOKS", 0.02)
    file, end = tmp_path / "m.venire", threading.Event()
    shutil.copy(kind, file)

    def client(port: int) -> list[tuple[int, str]]:
        line, found = HTTPConnection("127.0.0.1", port, timeout=60), []
        while not end.is_set():
            line.request("POST", "/predict", BODY, {"content-type": "application/json"})
            answer = line.getresponse()
            document = json.loads(answer.read())
            found.append((answer.status, document.get("version"), tuple(document["predictions"][0])))
        line.close()
        return found

    with running([file], watch=True) as (found, log), ThreadPoolExecutor(6) as pool:
        clients = [pool.submit(client, found.port) for _ in range(6)]
        for number in range(1, 5):
            shutil.copy((kind, amount)[number % 2], file.with_suffix(".new"))
            os.replace(file.with_suffix(".new"), file)
            wait_until(lambda number=number: log.getvalue().count('"changed"') == number)
        end.set()
        answers = [answer for each in clients for answer in each.result(60)]
    assert {status for status, _, _ in answers} == {200}
    # Two models, each with its own columns in the answer: none is half of one and half of the other.
    assert len({version for _, version, _ in answers}) == len({answer[1:] for answer in answers}) == 2


def test_a_port_that_is_taken(kind):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(VenireError, match=f"port {port} of 127.0.0.1 cannot be had") as caught:
            serve(Asked([str(kind)], port=port))
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "models.example", "::ffff:127.0.0.1"])
def test_beyond_loopback_never_without_a_token(kind, host):
    with pytest.raises(UsageError, match="needs a token"):
        serve(Asked([str(kind)], host=host))


@pytest.mark.parametrize("host", [None, "127.0.0.1", "::1", "localhost"])
def test_loopback_needs_none(host):
    assert not Asked(["m.venire"], host=host).public


def test_an_address_that_is_none():
    with pytest.raises(UsageError, match="there is no address"):
        listening("no such host", 0)


def test_one_model_behind_two_names(kind):
    with running([kind], names=("a", "b")) as (found, _):
        line = HTTPConnection("127.0.0.1", found.port, timeout=60)
        line.request("GET", "/models")
        names = [model["name"] for model in json.loads(line.getresponse().read())["models"]]
        line.close()
    assert names == ["a", "b"]
