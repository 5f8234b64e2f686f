"""The description of a run on disk: written whole, read with suspicion.

What it says becomes paths, and a home may come from anybody: names that would lead out of it make no run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from venire.disk.regular_files import content
from venire.validation.evidence.atomic_writes import write_atomically
from venire.validation.evidence.questions import Kind, Question

FORMAT = 2
FILE = "run.json"
_ALONE = 1  # the format in which every run had its evidence to itself, in its own folder
_KEY = re.compile(r"[0-9a-f]{16}")
_FAMILY = re.compile(r"(?!\.)[^/\\\0]+-[0-9a-f]{12}")
_TEXTS = ("key", "source", "target", "task", "splitting", "metric", "evidence")
_COUNTS = ("rows", "attributes", "folds", "repeats", "seed")
_LISTS = ("models", "families")


class Unreadable(Exception):
    """The description of a run is not one."""


@dataclass(frozen=True)
class Run:
    """One question that was asked, and where its evidence is."""

    key: str
    kind: Kind
    name: str | None  # as the asker calls it
    created: str
    last_run: str
    source: str
    target: str
    task: str
    rows: int
    attributes: int
    folds: int
    repeats: int
    splitting: str
    seed: int
    metric: str
    models: tuple[str, ...]
    evidence: str  # the key of its table and plan; empty for a run that has its evidence to itself
    families: tuple[str, ...]  # those of its evidence, each a folder

    @property
    def called(self) -> str:
        """Its name, or that of its table."""
        return self.name or self.source.replace("\\", "/").rsplit("/", 1)[-1]

    @property
    def asked_last(self) -> datetime:
        """When it was run last."""
        return datetime.fromisoformat(self.last_run)


def describe(question: Question) -> Run:
    """A question as it is written down, asked just now."""
    table, plan = question.table, question.plan
    assert table.target is not None
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    return Run(
        key=question.key,
        kind=question.kind,
        name=question.name,
        created=now,
        last_run=now,
        source=table.source,
        target=table.target.name,
        task=str(table.target.task),
        rows=table.rows,
        attributes=len(table.columns),
        folds=plan.folds,
        repeats=plan.repeats,
        splitting=plan.splitting,
        seed=int(plan.seed),
        metric=question.metric.name,
        models=question.models,
        evidence=question.evidence,
        families=tuple(str(key) for key in question.families),
    )


def write_run(run: Run, folder: Path) -> None:
    """Write it down; when it was asked first stays, and what it was called unless it is called anew."""
    try:
        before = read_run(folder)
        run = replace(run, created=before.created, name=run.name or before.name)
    except (Unreadable, FileNotFoundError):
        pass
    write_atomically(folder / FILE, json.dumps({"format": FORMAT, **asdict(run)}, indent=1).encode())


def read_run(folder: Path) -> Run:
    """What a folder of a run says it is; `Unreadable` where that cannot be, `FileNotFoundError` where nothing is."""
    try:
        facts = json.loads(content(folder / FILE))
        if not isinstance(facts, dict):
            raise ValueError("it is not an object of JSON")
        given = facts if facts["format"] == FORMAT else _as_now(facts, folder)
        run = Run(**{field.name: _checked(field.name, given[field.name]) for field in fields(Run)})
    except FileNotFoundError:
        raise
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise Unreadable(str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    if run.key != folder.name:
        raise Unreadable(f"its key is {run.key[:40]!r}, its folder {folder.name!r}")
    return run


def _as_now(facts: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The description of a run that had its evidence to itself."""
    if facts["format"] != _ALONE:
        raise ValueError(f"it is of format {str(facts['format'])[:40]}, and this version knows up to {FORMAT}")
    held = sorted({path.parent.name for path in folder.glob("*/*.trial")})
    return {
        **facts,
        "folds": facts["blocks"],
        "splitting": facts["dealing"],
        "kind": Kind.COMPARISON,
        "name": None,
        "last_run": facts["created"],
        "metric": "",
        "models": [name.rsplit("-", 1)[0] for name in held],
        "evidence": "",
        "families": held,
    }


def _checked(name: str, value: Any) -> Any:
    """A value that is what a field takes."""
    if name == "kind":
        return Kind(value)
    if name in _TEXTS:
        fits = isinstance(value, str)
    elif name in _COUNTS:
        fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    elif name in _LISTS:
        fits = isinstance(value, list) and all(isinstance(each, str) for each in value)
    elif name == "name":
        fits = value is None or isinstance(value, str)
    else:
        fits = isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    if name == "evidence":
        fits = fits and (not value or _KEY.fullmatch(value) is not None)
    if name == "families":
        fits = fits and all(_FAMILY.fullmatch(each) for each in value)
    if not fits:
        raise ValueError(f"its {name} is {str(value)[:40]!r}")
    return tuple(value) if name in _LISTS else value
