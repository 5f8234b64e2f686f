"""A studio to ask: its application directly, or one that listens on a port of its own."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.serve.asking import Answer, Asked, asked_async
from tests.serve.conftest import PORT
from venire.serve.addresses import Allowed
from venire.serve.log_lines import LogLines
from venire.serve.tokens import Token
from venire.studio.front import Front
from venire.studio.gate import Gate
from venire.studio.opening import Open, Wanted, studio
from venire.studio.routes.every_route import routes
from venire.studio.workshop import Workshop

SECRET = "the-token-of-the-studio-nobody-may-see"
OWN = ("origin", f"http://127.0.0.1:{PORT}")


def flowers(rows: int = 150) -> pd.DataFrame:
    """Two numbers and a colour, and two kinds that they tell apart."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "length": rng.normal(5, 1, rows).round(2),
            "width": rng.normal(2, 0.6, rows).round(2),
            "colour": rng.choice(["red", "blue", "white"], rows),
        }
    )
    pull = frame["length"] - frame["width"] + (frame["colour"] == "red") + rng.normal(0, 0.6, rows)
    frame["kind"] = np.where(pull > 3.2, "rose", "daisy")
    return frame


@dataclass(frozen=True)
class House:
    """A studio that is asked directly."""

    folder: Path
    workshop: Workshop
    gate: Gate
    front: Front
    log: io.StringIO
    lines: LogLines

    @property
    def cookie(self) -> tuple[str, str]:
        """What the browser that was let in sends."""
        return ("cookie", self.gate.set_cookie.partition(";")[0])

    def ask(self, asked: Asked, *further: tuple[str, str]) -> Answer:
        """One request as it is, with further headers."""
        return asyncio.run(asked_async(self.front, replace(asked, headers=(*asked.headers, *further))))

    def own(self, asked: Asked) -> Answer:
        """One request of a page of the studio."""
        return self.ask(asked, self.cookie, OWN)

    def series(self, asked: list[Asked]) -> list[Answer]:
        """Several such requests, one after the other in one loop: the process of a run stays between them."""

        async def all_of_them() -> list[Answer]:
            further = (self.cookie, OWN)
            found = [await asked_async(self.front, replace(one, headers=(*one.headers, *further))) for one in asked]
            await self.workshop.live.close()
            return found

        return asyncio.run(all_of_them())

    def logged(self) -> str:
        """What is in the log so far."""
        self.lines.flush()
        return self.log.getvalue()


def housed(folder: Path, upload_bytes: int = 50_000) -> House:
    """A studio on a folder with a table, a link that leads out of it, and a secret beside it."""
    inside = folder / "inside"
    inside.mkdir()
    flowers().to_csv(inside / "flowers.csv", index=False)
    (folder / "secret.csv").write_text("a,b\n1,2\n")
    (inside / "link.csv").symlink_to(folder / "secret.csv")
    (inside / "out").symlink_to(folder)
    workshop = Workshop.at(inside, inside / ".venire", upload_bytes)
    stream = io.StringIO()
    gate, lines = Gate(Allowed(PORT), Token(SECRET.encode())), LogLines(stream)
    return House(inside, workshop, gate, Front(gate, routes(workshop), lines), stream, lines)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    return housed(tmp_path_factory.mktemp("house"))


@contextmanager
def opened(folder: Path) -> Iterator[Open]:
    """A studio that listens, in a thread of this process."""
    begun: list[Open] = []
    listens, log = threading.Event(), io.StringIO()

    def note(found: Open) -> None:
        begun.append(found)
        listens.set()

    wanted = Wanted(folder, folder / ".venire", Token(SECRET.encode()), port=0)
    thread = threading.Thread(target=studio, args=(wanted, log, note))
    thread.start()
    try:
        assert listens.wait(60), "the studio did not open"
        yield begun[0]
    finally:
        begun[0].stop()
        thread.join(60)
    assert not thread.is_alive(), "the studio did not close"
    assert SECRET not in log.getvalue()
