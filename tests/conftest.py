"""What every test stands on: no trace is left in the tree, and generated examples are the same each time."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from venire.validation.trials import whose_code

# The same examples on every machine: a failure in CI is a failure at the desk. A deadline would only measure
# how busy the machine is.
settings.register_profile("venire", derandomize=True, deadline=None)
settings.load_profile("venire")

# One job where a test asks for no number of them: the tests themselves run side by side, and what matters about several
# jobs is tested with several. A worker process that nobody asked for costs seconds of imports.
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")
# A shell that starts the tests in the background has them ignore Ctrl-C, and so all that they start; some wait for it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that asks for the network fails, and says so; the machine itself may be asked."""
    connect = socket.socket.connect

    def connect_here(line: socket.socket, address: Any) -> None:
        if line.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise RuntimeError(f"a test asked for the network: {address}")
        connect(line, address)

    monkeypatch.setattr(socket.socket, "connect", connect_here)


@pytest.fixture(autouse=True)
def evidence_outside_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evidence of a test goes to its own directory, unless the test asks for another."""
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "venire_home"))


@pytest.fixture
def trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimators and families of the tests count as ours: they run in this process, where a test can look at them."""
    monkeypatch.setattr(whose_code, "_KNOWN", whose_code._KNOWN | {"tests"})
