"""All that validation knows about models.

A family is one kind of learner with its complexity path. A trial fits it once on some folds and predicts others for
every setting of the path. Families that can share work between settings or trials do so in `prepare` and `run`; the
others let `generic` loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Task
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.reasons import CannotTake


@dataclass(frozen=True)
class Setting:
    """One point of a family's path: how it is called and what it sets.

    Attributes
    ----------
    label
        How it is called, as printed.
    params
        What it sets.
    shown
        The label in parts, each value by its name as printed; empty where the label is all there is. Pictures lay a
        path out by them: a line for each kernel, say, along an axis of C.

    Examples
    --------
    >>> Setting("k = 5", {"n_neighbors": 5}).params
    {'n_neighbors': 5}
    """

    label: str
    params: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, params: Mapping[str, Any], shown: Mapping[str, Any]) -> Setting:
        """A setting whose label says its parts; a part without a name is its value alone.

        >>> Setting.of({"kernel": "rbf", "C": 10.0}, {"": "rbf", "C": 10.0}).label
        'rbf, C = 10'
        """
        short = {name: f"{value:.3g}" if isinstance(value, float) else str(value) for name, value in shown.items()}
        label = ", ".join(f"{name} = {value}" if name else value for name, value in short.items())
        return cls(label or "default", params, short)

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class Cost:
    """What a family's trials are expected to take, by formula: core-seconds in all, and bytes at once a worker."""

    seconds: float
    bytes: float
    guess: bool = False  # nothing is known about the learner: it runs where it can be stopped


class Turn(IntEnum):
    """When a family's trials are run: a budget that ends early ends among the last."""

    QUICK = 0  # cheap, and seldom far from the best
    PROMISING = 1  # most often the best, and what a user asks for by name
    SECOND = 2  # better now and then, and dearer; or quick on most tables, but not on all
    THIRD = 3  # the best on some small tables, and dear on large ones
    LAST = 4


@dataclass(frozen=True, eq=False)
class PathPredictions:
    """What all settings say of one part of the rows, in the global class order and as evidence keeps it."""

    outputs: NDArray[Any]  # [setting, row, class]; one column of values where numbers are predicted
    labels: NDArray[np.int16]  # [setting, row]; zeros where numbers are predicted


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one trial predicted of its held-out rows (in ascending row order), for all settings of the path.

    Of two class probabilities the smaller is rounded to float32, and the larger is one minus it (`completed`): one of
    them tells the other, and evidence keeps one.
    """

    output: Output
    outputs: NDArray[Any]  # [setting, row, class] in float32, or one column of float64 values
    labels: NDArray[np.int16]  # [setting, row]: the learner's own decision; zeros for values
    training: Mapping[str, NDArray[np.float64]]  # metric → [setting], on `Plan.seen_folds`; outer trials only
    warnings: tuple[str, ...] = ()
    seconds: float = 0.0
    seen: PathPredictions | None = (
        None  # of the rows of `Plan.seen_folds`, which `training` is taken on; outer trials only
    )
    model: Any = None  # of an outer trial, where it costs nothing to leave it (`Leaving`); no evidence


class Cancelled(Exception):
    """The budget is spent or the user has had enough; the trial is given up and leaves nothing behind."""


Cancel = Callable[[], None]  # raises Cancelled when the work should end


def never() -> None:
    """A `Cancel` that lets the work go on."""


@runtime_checkable
class Gregarious(Protocol):
    """A family whose trials are best run in one process: most of their work is done once for all of them."""

    def in_one_piece(self, plan: Plan) -> bool:
        """Whether that is so under this plan."""

    def share(self, prepared: Any, trials: Sequence[Trial], threads: int, cancel: Cancel = never) -> None:
        """Do the common work of these trials with so many threads, which must not change a bit of any outcome."""

    def run_alone(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
        """What `run` gives, without the work that only other trials need."""


@runtime_checkable
class Threaded(Protocol):
    """A family whose trials may run in several threads of one process, where starting them costs nothing.

    Most of their work is compiled code that lets others run meanwhile, `cancel` is asked often, and nothing of the
    process (filters of warnings, random state) is touched.
    """

    def in_threads(self, table: Table) -> bool:
        """Whether that is so for this table."""


@runtime_checkable
class Brief(Protocol):
    """A family some of whose settings tell as much of its honesty as all of them, in less time."""

    def in_brief(self, table: Table) -> Family:
        """The same family with these settings alone, out of those of the table."""


@runtime_checkable
class Refitting(Protocol):
    """A family that fits several of its settings on all rows at once, with less work than one by one."""

    def refit_all(self, table: Table, settings: Sequence[Setting], seed: int, threads: int = 1) -> list[Any]:
        """What `refit` gives for each setting, bit for bit, with so many threads."""


@runtime_checkable
class Leaving(Protocol):
    """A family whose outer trials leave the model they fitted with the last setting, as `refit` would give it."""

    def cut_back(self, fitted: Any, setting: Setting) -> Any:
        """What a trial that left this model would have left with another setting, bit for bit."""


@runtime_checkable
class Family(Protocol):
    """One kind of learner, as validation sees it."""

    @property
    def name(self) -> str:
        """A stable word such as `forest`."""

    @property
    def tasks(self) -> frozenset[Task]:
        """What it can predict."""

    @property
    def path_label(self) -> str:
        """What the path varies, for the axis of a complexity curve."""

    def output(self, task: Task) -> Output:
        """What it gives for a row."""

    def unable(self, table: Table) -> CannotTake | None:
        """Why it cannot take this table (the task, its columns), if it cannot; `Unable("…")` says it in your words."""

    def path(self, table: Table) -> tuple[Setting, ...]:
        """Its settings, from simple to complex."""

    def prepare(self, table: Table, plan: Plan) -> Any:
        """Work shared by all trials. Nothing of a fold may reach a trial that leaves it out."""

    def run(self, prepared: Any, trial: Trial, cancel: Cancel = never) -> Outcome:
        """Fit on the trial's training folds and predict its test folds, for all settings."""

    def refit(self, table: Table, setting: Setting, seed: int) -> Any:
        """The estimator a user keeps: the definition that was validated, fitted on all rows."""

    def cost(self, table: Table, plan: Plan) -> Cost:
        """Time and memory by formula, so that a budget decides the same everywhere."""

    def definition(self) -> str:
        """All that determines its predictions, as text: evidence is reused only while this stays the same."""
