"""Evidence: what trials predicted of rows they had not seen. Append-only, and the unit of resuming.

There are two stores that give it back the same way: files below a home (`trial_files.OnDisk`), which survive the
process, and memory (`InMemory`), for who validates without a home.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Output
from venire.validation.evidence.definitions import described
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Family, Outcome, PathPredictions, Setting


@dataclass(frozen=True)
class FamilyKey:
    """A family as evidence knows it: a changed definition or path is another family."""

    name: str
    digest: str
    settings: int | None = field(default=None, compare=False)  # of its path, where that is known

    @classmethod
    def of(cls, family: Family, settings: tuple[Setting, ...]) -> FamilyKey:
        """The key of a family with its path resolved for a table."""
        text = family.definition() + described([(s.label, sorted(s.params.items())) for s in settings])
        return cls(family.name, hashlib.blake2b(text.encode(), digest_size=6).hexdigest(), len(settings))

    def __str__(self) -> str:
        return f"{self.name}-{self.digest}"


class Record(Protocol):
    """What is kept of one trial: all of it, or one setting without the others."""

    @property
    def output(self) -> Output:
        """What the family gives for a row."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the learner warned of."""

    @property
    def seconds(self) -> float:
        """How long the trial took."""

    def outcome(self) -> Outcome:
        """All settings."""

    def outputs(self) -> NDArray[Any]:
        """[setting, row, class]."""

    def labels(self) -> NDArray[np.int16]:
        """[setting, row]."""

    def training(self) -> Mapping[str, NDArray[np.float64]]:
        """Metric → [setting], on rows trained on."""

    def seen(self, setting: int | None = None) -> PathPredictions | None:
        """What all settings, or one, say of the rows their training error is taken on; None where it is not kept."""

    def at(self, setting: int) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """One setting's outputs [row, class] and labels [row]."""


class Evidence(Protocol):
    """The outcomes of one run's trials, wherever they are kept."""

    def put(self, family: FamilyKey, trial: Trial, outcome: Outcome) -> None:
        """Keep an outcome. A trial that is there already stays as it is."""

    def has(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether there is anything of a trial."""

    def get(self, family: FamilyKey, trial: Trial) -> Record:
        """What was kept of a trial, which has to be there."""

    def finished(self, family: FamilyKey, trial: Trial) -> Record | None:
        """What was kept of a trial, if it is there and whole."""

    def keep(self, name: str, content: bytes) -> None:
        """Keep something small beside the trials; where that is impossible it is made anew another time."""

    def kept(self, name: str) -> bytes | None:
        """What was kept under that name, if anything."""


class InMemory:
    """Evidence that lives as long as the object; `seen` says whether predictions of rows trained on are kept.

    Those can be many times as much as all else, and only costs ask for them: other training errors are kept as such.
    """

    def __init__(self, *, seen: bool = True) -> None:
        self._seen = seen
        self._outcomes: dict[tuple[FamilyKey, Trial], Outcome] = {}
        self._small: dict[str, bytes] = {}

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process starts empty: it hands over what it finds."""
        return {"_seen": self._seen, "_outcomes": {}, "_small": {}}

    def put(self, family: FamilyKey, trial: Trial, outcome: Outcome) -> None:
        """Keep an outcome. A trial that is there already stays as it is."""
        self._outcomes.setdefault((family, trial), outcome if self._seen else replace(outcome, seen=None))

    def has(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether there is anything of a trial."""
        return (family, trial) in self._outcomes

    def get(self, family: FamilyKey, trial: Trial) -> Record:
        """What was kept of a trial, which has to be there."""
        return _Remembered(self._outcomes[family, trial])

    def finished(self, family: FamilyKey, trial: Trial) -> Record | None:
        """What was kept of a trial, if it is there."""
        outcome = self._outcomes.get((family, trial))
        return None if outcome is None else _Remembered(outcome)

    def take(self, family: FamilyKey, trial: Trial) -> Outcome | None:
        """What was kept of a trial, for somebody else to keep."""
        return self._outcomes.pop((family, trial), None)

    def keep(self, name: str, content: bytes) -> None:
        """Keep something small beside the trials."""
        self._small[name] = content

    def kept(self, name: str) -> bytes | None:
        """What was kept under that name, if anything."""
        return self._small.get(name)


class _Remembered:
    """The record of an outcome that is at hand."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self.output, self.warnings, self.seconds = outcome.output, outcome.warnings, outcome.seconds

    def outcome(self) -> Outcome:
        return self._outcome

    def outputs(self) -> NDArray[Any]:
        return self._outcome.outputs

    def labels(self) -> NDArray[np.int16]:
        return self._outcome.labels

    def training(self) -> Mapping[str, NDArray[np.float64]]:
        return self._outcome.training

    def seen(self, setting: int | None = None) -> PathPredictions | None:
        seen = self._outcome.seen
        if seen is None or setting is None:
            return seen
        return PathPredictions(seen.outputs[setting : setting + 1], seen.labels[setting : setting + 1])

    def at(self, setting: int) -> tuple[NDArray[Any], NDArray[np.int16]]:
        return self._outcome.outputs[setting], self._outcome.labels[setting]
