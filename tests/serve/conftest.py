"""Small models in service, in this process: applications to ask directly, and servers on a port of their own."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import venire as vn
from tests.small_tables import coloured_rows
from venire.serve.addresses import Allowed
from venire.serve.application import Application
from venire.serve.counters import Counters
from venire.serve.desk import Desk
from venire.serve.limits import Limits
from venire.serve.log_lines import LogLines
from venire.serve.running import Asked, Running, serve
from venire.serve.shelf import Shelf, named_files
from venire.serve.tokens import Token

PORT = 8000
SECRET = "a-secret-that-nobody-may-see-in-a-log"


def rows_of(rows: int, seed: int) -> pd.DataFrame:
    """Two numbers, a colour and a truth value; `kind` has three classes, `amount` is a number."""
    return coloured_rows(rows, seed, truths=True)


def _saved(target: str, folder: Path, **asked: Any) -> Path:
    frame = rows_of(240, 1).drop(columns={"kind": "amount", "amount": "kind"}[target])
    return vn.compare(frame, target, folds=3, home=folder, progress=False, **asked).save(folder / f"{target}.venire")


@pytest.fixture(scope="session")
def kind(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of three classes."""
    return _saved("kind", tmp_path_factory.mktemp("kind"), models=["naive_bayes"])


@pytest.fixture(scope="session")
def amount(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of numbers, whose bits depend on how many rows are predicted together."""
    return _saved("amount", tmp_path_factory.mktemp("amount"), models=["linear"])


@dataclass(frozen=True)
class Set:
    """An application with all that is behind it."""

    application: Application
    desk: Desk
    log: io.StringIO
    lines: LogLines

    def logged(self) -> str:
        """What is in the log so far."""
        self.lines.flush()
        return self.log.getvalue()


def made(files: list[Path], *, token: str | None = None, public: bool = False, **limits: Any) -> Set:
    """An application over model files."""
    counters, stream = Counters(), io.StringIO()
    lines, held = LogLines(stream), Limits(**limits)
    shelf = Shelf(named_files([str(file) for file in files]), held, counters, lines)
    desk = Desk(shelf, held, counters, {})
    secret = None if token is None else Token(token.encode())
    return Set(Application(desk, Allowed(PORT, public), secret, lines), desk, stream, lines)


@pytest.fixture(scope="session")
def both(kind: Path, amount: Path) -> Iterator[Set]:
    """Both models, without a token; the first is that of classes."""
    found = made([kind, amount])
    yield found
    found.desk.shelf.close()


@pytest.fixture(scope="session")
def guarded(kind: Path) -> Iterator[Set]:
    """The model of classes behind a token, with tight limits."""
    found = made([kind], token=SECRET, rows=50, body_bytes=20_000, explained_rows=10)
    yield found
    found.desk.shelf.close()


@contextmanager
def running(
    files: list[Path], *, watch: bool = False, names: tuple[str, ...] = (), **limits: Any
) -> Iterator[tuple[Running, io.StringIO]]:
    """A server in a thread of this process."""
    begun: list[Running] = []
    listens, log = threading.Event(), io.StringIO()

    def note(found: Running) -> None:
        begun.append(found)
        listens.set()

    models = [f"{name}={files[0]}" for name in names] or [str(file) for file in files]
    asked = Asked(models, port=0, limits=Limits(**limits), watch=watch)
    thread = threading.Thread(target=serve, args=(asked, log, note))
    thread.start()
    try:
        assert listens.wait(60), "the server did not begin"
        yield begun[0], log
    finally:
        begun[0].stop()
        thread.join(60)
    assert not thread.is_alive(), "the server did not stop"


@pytest.fixture(scope="session")
def wary(kind: Path) -> Iterator[int]:
    """The port of a server with tight limits."""
    with running([kind], head_seconds=0.5, body_seconds=0.5, head_bytes=4096, headers=20, connections=40) as (found, _):
        yield found.port
