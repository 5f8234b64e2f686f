"""What the caller says about the columns: their parts, those to drop, and the kinds that are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.advice import Advice, Option
from venire.data.columns.names import require
from venire.data.table import Kind, Task
from venire.errors import UsageError

Names = Iterable[str | int]  # frames may number their columns


@dataclass(frozen=True)
class Wanted:
    """What the caller said, every column by its name."""

    target: str | None
    groups: str | None
    time: str | None
    weights: str | None
    positive: Any
    task: Task | None
    drop: tuple[str, ...]
    forced: Mapping[str, Kind]

    def check(self, names: Sequence[str], file: str | None) -> None:
        """Raise unless every column is there and plays one part."""
        if self.target is not None:
            require(self.target, names, "the target", "unknown_target", file)
        for name, what in ((self.groups, "groups"), (self.time, "time"), (self.weights, "weights")):
            if name is not None:
                require(name, names, what, "unknown_column", file)
        for name in self.drop:
            require(name, names, "a column to drop", "unknown_column", file)
        for name, kind in self.forced.items():
            require(name, names, f"a column of kind {kind}", "unknown_column", file)
        roles = [name for name in (self.target, self.groups, self.time, self.weights) if name is not None]
        for name in roles:
            if roles.count(name) > 1 or name in self.drop:
                raise UsageError(
                    f"the column {name!r} cannot play two parts", hint="target, groups, time, weights and drop differ"
                )

    @property
    def task_of_target(self) -> Task | None:
        """The task asked for; a target declared categorical is a class, one declared numeric a number."""
        kind = self.forced.get(self.target or "")
        if self.task is not None or kind is None:
            return self.task
        if kind in (Kind.CATEGORICAL, Kind.BOOLEAN):
            return Task.CLASSIFICATION
        return Task.REGRESSION if kind is Kind.NUMERIC else None


def kinds_of(given: Mapping[Kind, Names], kinds: Mapping[Any, Kind | str]) -> dict[str, Kind]:
    """The kind of every column that has one from the caller."""
    forced: dict[str, Kind] = {}
    said = [(name, kind) for kind, names in given.items() for name in listed(str(kind), names)]
    said += [(str(name), _kind(kind)) for name, kind in kinds.items()]
    for name, kind in said:
        if forced.setdefault(name, kind) is not kind:
            raise UsageError(f"the column {name!r} is called {forced[name]} and {kind}", hint="give it one kind")
    return forced


def listed(what: str, names: Names) -> tuple[str, ...]:
    """The names as texts, each once."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        alone = f"the single text {names!r}" if isinstance(names, str) else repr(names)
        raise UsageError(f"{what} must be a list of names, not {alone}", hint=Advice("write ", Option(what, [names])))
    return tuple(dict.fromkeys(map(str, names)))


def task_named(task: Task | str | None) -> Task | None:
    """The task of that name."""
    try:
        return None if task is None else Task(task)
    except ValueError:
        raise UsageError(f"there is no task {task!r}", hint="tasks are classification and regression") from None


def _kind(kind: Kind | str) -> Kind:
    try:
        return Kind(kind)
    except ValueError:
        raise UsageError(f"there is no kind {kind!r}", hint=f"kinds are {', '.join(Kind)}") from None
