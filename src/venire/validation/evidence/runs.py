"""The runs kept on disk: where they live, what each is about, and an index that can be rebuilt from the files."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from venire.data.table import Table
from venire.errors import UsageError
from venire.validation.evidence.atomic_writes import write_atomically
from venire.validation.evidence.trial_files import OnDisk
from venire.validation.plans.plan import Plan

_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY, created TEXT, source TEXT, target TEXT, task TEXT, rows INTEGER, attributes INTEGER,
    folds INTEGER, repeats INTEGER, splitting TEXT, seed INTEGER
)
"""
_FIELDS = (
    "key", "created", "source", "target", "task", "rows", "attributes", "folds", "repeats", "splitting", "seed",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """One run as `venire runs` lists it."""

    key: str
    created: str
    source: str
    target: str
    task: str
    rows: int
    attributes: int
    folds: int
    repeats: int
    splitting: str
    seed: int
    families: tuple[str, ...] = ()
    trials: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Runs:
    """All runs below one home folder."""

    home: Path

    @classmethod
    def default(cls) -> Runs:
        """`VENIRE_HOME`, or `.venire` under the working directory."""
        return cls(Path(os.environ.get("VENIRE_HOME") or ".venire").absolute())

    def open(self, table: Table, plan: Plan) -> OnDisk:
        """The evidence of this table and plan, new or from before."""
        run = _describe(table, plan)
        folder = self.home / "runs" / run.key
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not (self.home / ".gitignore").exists():
                write_atomically(self.home / ".gitignore", b"*\n")
            if not (folder / "run.json").exists():
                facts = {"format": _FORMAT, **{field: getattr(run, field) for field in _FIELDS}}
                write_atomically(folder / "run.json", json.dumps(facts, indent=1).encode())
        except OSError as error:
            raise UsageError(
                f"cannot keep evidence under {self.home}: {error.strerror or error}",
                code="home_not_writable",
                hint="set VENIRE_HOME to a folder that can be written",
            ) from error
        self._remember(run)
        return OnDisk(folder)

    def all(self) -> list[Run]:
        """Every run, newest first."""
        runs = [self._count(run) for run in self._indexed()]
        return sorted(runs, key=lambda run: (run.created, run.key), reverse=True)

    def find(self, key: str) -> Run:
        """The run whose key starts like this."""
        runs = self.all()
        matches = [run for run in runs if run.key.startswith(key)]
        if len(matches) == 1:
            return matches[0]
        known = ", ".join(run.key[:8] for run in runs[:5]) or "none"
        problem = "matches several runs" if matches else "matches no run"
        raise UsageError(
            f"{key!r} {problem} under {self.home}", code="unknown_run", hint=f"newest runs: {known}; see `venire runs`"
        )

    def folder(self, run: Run) -> Path:
        """Where a run's files are."""
        return self.home / "runs" / run.key

    def rebuild(self) -> None:
        """Make the index anew from the files."""
        for name in ("index.sqlite", "index.sqlite-journal"):
            (self.home / name).unlink(missing_ok=True)
        for run in self._on_disk():
            self._remember(run)

    def _on_disk(self) -> Iterator[Run]:
        for path in sorted(self.home.glob("runs/*/run.json")):
            try:
                facts = json.loads(path.read_bytes())
                yield Run(**{field: facts[field] for field in _FIELDS})
            except (ValueError, KeyError, TypeError, OSError):
                continue  # a run whose description is damaged cannot be listed, but its trials stay

    def _remember(self, run: Run) -> None:
        marks = ",".join("?" * len(_FIELDS))
        try:
            with closing(self._connect()) as connection, connection:
                row = [getattr(run, field) for field in _FIELDS]
                connection.execute(f"INSERT OR IGNORE INTO runs VALUES ({marks})", row)
        except sqlite3.Error:
            pass  # the index is a convenience: the files are the truth, and `all` falls back to them

    def _indexed(self) -> list[Run]:
        on_disk = {path.parent.name for path in self.home.glob("runs/*/run.json")}
        try:
            with closing(self._connect()) as connection:
                rows = connection.execute(f"SELECT {','.join(_FIELDS)} FROM runs").fetchall()
            runs = [Run(*row) for row in rows if row[0] in on_disk]
            if {run.key for run in runs} == on_disk:
                return runs
        except sqlite3.Error:
            pass
        with suppress(OSError):  # a home that cannot be written can still be listed
            self.rebuild()
        return list(self._on_disk())

    def _connect(self) -> sqlite3.Connection:
        if not self.home.is_dir():
            raise sqlite3.OperationalError("no home folder yet")
        connection = sqlite3.connect(self.home / "index.sqlite", timeout=5)
        connection.execute("PRAGMA journal_mode=DELETE")  # a write-ahead log does not work on network disks
        connection.execute("PRAGMA synchronous=OFF")  # an index lost in a power cut is made anew from the files
        connection.execute(_SCHEMA)
        return connection

    def _count(self, run: Run) -> Run:
        files = list(self.folder(run).glob("*/*.trial"))
        families = tuple(sorted({file.parent.name.rsplit("-", 1)[0] for file in files}))
        size = sum(file.stat().st_size for file in files)
        return Run(**{**vars(run), "families": families, "trials": len(files), "bytes": size})


def _describe(table: Table, plan: Plan) -> Run:
    """What a run is about; its key changes with anything that changes a prediction."""
    assert table.target is not None
    facts: list[Any] = [_FORMAT, table.fingerprint(), plan.digest(), _made_by()]
    return Run(
        key=hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        source=table.source,
        target=table.target.name,
        task=str(table.target.task),
        rows=table.rows,
        attributes=len(table.columns),
        folds=plan.folds,
        repeats=plan.repeats,
        splitting=plan.splitting,
        seed=plan.seed,
    )


@cache
def _made_by() -> list[tuple[str, str]]:
    """The packages whose versions shape a prediction; they stay what they are while the process runs."""
    return [(name, version(name)) for name in ("venire", "numpy", "scipy", "scikit-learn")]
