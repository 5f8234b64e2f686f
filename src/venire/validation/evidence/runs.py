"""The runs kept on disk: questions with their answers, beside the evidence that they share.

    <home>/runs/<question>/run.json         what was asked: of which table, of which models, by which metric
    <home>/runs/<question>/verdict.json     the answer, and the data of its pictures
    <home>/runs/<question>/asked.json       the arguments, where plain data can hold them
    <home>/runs/<question>/*.running        a sign of each process that works on it, locked while it does
    <home>/evidence/<table and plan>/…      the trials (`trial_files`)
    <home>/lock                             held while runs are written down or deleted

The files are all there is: no index can disagree with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from venire.data.table import Table
from venire.disk.home import home
from venire.disk.locks import held, in_use, marked
from venire.errors import UsageError
from venire.validation.evidence.atomic_writes import write_atomically
from venire.validation.evidence.expected import Expected
from venire.validation.evidence.questions import Question, evidence_key
from venire.validation.evidence.recipes import RECIPE, as_bytes
from venire.validation.evidence.run_files import FILE, Run, Unreadable, describe, read_run, write_run
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.plans.plan import Plan

ANSWER = "verdict.json"
_RUNNING = ".running"


@dataclass(frozen=True)
class Broken:
    """A folder among the runs that describes none, and why."""

    key: str
    why: str


@dataclass(frozen=True)
class Asked:
    """A run that is going on."""

    folder: Path

    def answer(self, content: bytes) -> None:
        """Keep its answer, in place of an earlier one; where nothing can be written it is found again another time."""
        with suppress(OSError):
            write_atomically(self.folder / ANSWER, content)

    def recipe(self, asked: Mapping[str, Any] | None) -> None:
        """Keep what it was asked with, if that can be kept."""
        if asked is not None:
            with suppress(OSError):
                write_atomically(self.folder / RECIPE, as_bytes(asked))


@dataclass(frozen=True)
class Runs:
    """All runs below one home folder."""

    home: Path

    @classmethod
    def default(cls) -> Runs:
        """`VENIRE_HOME`, or `.venire` under the working directory."""
        return cls(home())

    def open(self, table: Table, plan: Plan) -> OnDisk:
        """The evidence of this table and plan, new or from before, whoever asked for it."""
        folder = self.home / "evidence" / evidence_key(table, plan)
        with self._writing():
            self._make(folder)
        return OnDisk(folder, Expected.of(table, plan))

    @contextmanager
    def asked(self, question: Question) -> Iterator[Asked]:
        """Work on a question: it is written down, and nobody deletes it meanwhile."""
        run = describe(question)
        folder = self.folder(run)
        with ExitStack() as signed:
            with self._writing():
                self._sign(run, folder, signed)
            yield Asked(folder)

    def _sign(self, run: Run, folder: Path, signed: ExitStack) -> None:
        try:
            self._make(folder.parent)
            with self.locked():
                self._make(folder)
                write_run(run, folder)
                signed.enter_context(marked(folder, _RUNNING))
        except OSError:
            if not (folder / FILE).exists():
                raise
            # A home that cannot be written still tells what it has.

    def _make(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if not (self.home / ".gitignore").exists():
            write_atomically(self.home / ".gitignore", b"*\n")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let nobody else write down or delete a run meanwhile."""
        with held(self.home / "lock"):
            yield

    def all(self) -> list[Run]:
        """Every run, the one run last first."""
        runs = [found for found in self._found() if isinstance(found, Run)]
        return sorted(runs, key=lambda run: (run.asked_last, run.key), reverse=True)

    def broken(self) -> list[Broken]:
        """What stands among the runs and is none."""
        return [found for found in self._found() if isinstance(found, Broken)]

    def find(self, key: str) -> Run:
        """The run whose key starts like this, or the only one of that name."""
        runs = self.all()
        matches = [run for run in runs if run.key.startswith(key)] or [run for run in runs if run.called == key]
        if len(matches) == 1:
            return matches[0]
        known = ", ".join(run.key[:8] for run in matches or runs[:5]) or "none"
        problem = "matches several runs" if matches else "matches no run"
        hint = f"{'they are' if matches else 'newest runs'}: {known}; see `venire runs`"
        for broken in self.broken():
            if not matches and broken.key.startswith(key):
                problem, hint = f"is a damaged run ({broken.why})", f"delete it: venire runs --delete {broken.key}"
        raise UsageError(f"{key!r} {problem} under {self.home}", code="unknown_run", hint=hint)

    def folder(self, run: Run | Broken) -> Path:
        """Where its question and its answer are."""
        return self.home / "runs" / run.key

    def evidence_of(self, run: Run) -> list[Path]:
        """The folders of its families, as far as there are any."""
        held = self.home / "evidence" / run.evidence if run.evidence else self.folder(run)
        return [folder for name in run.families if (folder := held / name).is_dir()]

    def running(self, run: Run | Broken) -> bool:
        """Whether a process works on it."""
        return in_use(self.folder(run), _RUNNING)

    def _found(self) -> Iterator[Run | Broken]:
        """What stands among the runs; a folder without a description is left over from a deletion."""
        for folder in sorted((self.home / "runs").glob("*")):
            try:
                yield read_run(folder)
            except FileNotFoundError:
                continue
            except Unreadable as error:
                yield Broken(folder.name, str(error))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UsageError(
                f"cannot keep evidence under {self.home}: {error.strerror or error}",
                code="home_not_writable",
                hint="set VENIRE_HOME to a folder that can be written",
            ) from error


def size_of(folders: Iterable[Path]) -> int:
    """The bytes of all files below some folders."""
    return sum(
        _size(os.path.join(folder, name)) for top in folders for folder, _, names in os.walk(top) for name in names
    )


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:  # gone by now
        return 0
