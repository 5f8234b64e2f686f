"""What is asked of a table: a run is one question with its answer, and equal questions are one run.

All that can change an answer is in it. How much time and how many workers there are is not: with more of them the same
question gets a fuller answer. Nor is its name, which says nothing of what is asked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from typing import Any

from venire.data.table import Table
from venire.errors import UsageError
from venire.metrics.scores import Metric
from venire.validation.evidence.definitions import described
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.plans.plan import Plan

_FORMAT = 2
_LONGEST = 100  # letters of a name


class Kind(StrEnum):
    """What is done with the models of a run."""

    COMPARISON = "comparison"
    VALIDATION = "validation"
    SELECTION = "selection"


@dataclass(frozen=True, eq=False)
class Question:
    """Models on a table, split by a plan and judged by a metric; and further options that change the answer."""

    kind: Kind
    table: Table
    plan: Plan
    metric: Metric
    families: tuple[FamilyKey, ...]
    further: tuple[Any, ...] = ()
    models: tuple[str, ...] = ()  # as asked for: combinations, and what cannot take the table, among them
    name: str | None = None  # what the asker calls it

    @property
    def evidence(self) -> str:
        """Where the trials of it are found."""
        return evidence_key(self.table, self.plan)

    @property
    def key(self) -> str:
        """Equal for equal questions."""
        judged = (self.metric.name, self.metric.higher_is_better, described(self.metric.costs))
        asked = (sorted(map(str, self.families)), sorted(self.models), described(self.further))
        return _digest(_FORMAT, str(self.kind), self.evidence, judged, asked)


def evidence_key(table: Table, plan: Plan) -> str:
    """Changes with anything that changes a prediction and is not the family itself."""
    return _digest(_FORMAT, table.fingerprint(), plan.digest(), _made_by())


def check_name(name: str | None) -> str | None:
    """What a run may be called: a text that a list has room for."""
    if name is None or (isinstance(name, str) and name.strip() and len(name) <= _LONGEST):
        return name
    raise UsageError(
        f"a run cannot be called {str(name)[:40]!r}",
        code="bad_name",
        hint=f"give a text of up to {_LONGEST} characters",
    )


def _digest(*facts: Any) -> str:
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


@cache
def _made_by() -> list[tuple[str, str]]:
    """The packages whose versions shape a prediction; they stay what they are while the process runs."""
    return [(name, version(name)) for name in ("venire", "numpy", "scipy", "scikit-learn")]
