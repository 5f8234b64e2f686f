"""Held-out predictions as a user asks for them: one entry a prediction, by models that had not seen the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from venire.data.readers.frames import LIBRARIES, Library
from venire.data.table import label_text
from venire.errors import UsageError
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Held
from venire.validation.trials.docket import Docket

Backend = Library


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """Predictions of one model (or of a choice among several) of rows it had not seen.

    In time order the first folds are never predicted.

    Attributes
    ----------
    family
        Whose predictions these are.
    output
        What `outputs` are.
    rows
        Which rows of the table these are.
    folds
        The fold of each prediction.
    actual, predicted
        Class codes or numbers.
    outputs
        Probabilities or scores, `[prediction, class]`; or one column of values.
    classes
        The labels that the codes stand for, in the type they had in the table; empty when numbers are predicted.
    repeats
        The split, or the sample, a prediction belongs to.
    categorical
        The table's target was a column of categories.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from venire.validation import holdout
    >>> held_out = holdout(GaussianNB(), load_iris(return_X_y=True)).held_out
    >>> len(held_out), int(held_out.wrong.sum())
    (50, 1)
    """

    family: str
    output: Output
    rows: NDArray[np.intp]
    folds: NDArray[Any]
    actual: NDArray[Any]  # class codes or numbers
    predicted: NDArray[Any]  # class codes or numbers
    outputs: NDArray[Any]  # [prediction, class]: probabilities or scores; one column of values
    classes: tuple[Any, ...]
    repeats: NDArray[Any]  # the split, or the sample, a prediction belongs to
    categorical: bool = False  # the table's target was a column of categories

    def __repr__(self) -> str:
        return f"<HeldOut {self.family}: {self.output} of {len(self.rows):,} rows>"

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which predictions of a class are errors."""
        return np.asarray(self.predicted != self.actual)

    def some(self, most: int, seed: int) -> HeldOut:
        """At most so many of these rows, drawn by the seed."""
        if len(self.rows) <= most:
            return self
        at = np.sort(np.random.default_rng(seed).choice(len(self.rows), most, replace=False, shuffle=False))
        names = ("rows", "folds", "actual", "predicted", "outputs", "repeats")
        return replace(self, **{name: getattr(self, name)[at] for name in names})

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """One line a row, as a frame of pandas, polars or pyarrow: row, fold, actual, predicted, and the outputs.

        Classes have the type of the target. A column of outputs is called probability_LABEL, or score where there is
        one. Where rows were split more than once, there is a column `repeat`.
        """
        return frame_of(self.columns(), backend, categorical=self.categorical)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of that frame."""
        labels = np.array(self.classes, dtype=object)
        columns: dict[str, NDArray[Any]] = {"row": self.rows, "fold": self.folds}
        if self.repeats.any():
            columns["repeat"] = self.repeats
        for name, values in (("actual", self.actual), ("predicted", self.predicted)):
            columns[name] = np.array(labels[values].tolist()) if self.classes else values
        if self.output in (Output.PROBABILITIES, Output.SCORES):
            kind = "probability" if self.output is Output.PROBABILITIES else "score"
            each = [f"{kind}_{label_text(label)}" for label in self.classes] if self.outputs.shape[1] > 1 else [kind]
            columns |= dict(zip(each, self.outputs.T, strict=True))
        return columns


def frame_of(columns: Mapping[str, NDArray[Any]], backend: Backend, *, categorical: bool = False) -> Any:
    """Columns as a frame of somebody's library."""
    if backend not in LIBRARIES:
        raise UsageError(f"there are no frames called {backend!r}", hint=f"use one of {', '.join(LIBRARIES)}")
    frame = nw.from_dict(columns, backend=backend)
    if categorical and (backend == "pandas" or columns["actual"].dtype.kind == "U"):  # others have categories of texts
        frame = frame.with_columns(nw.col("actual", "predicted").cast(nw.Categorical()))
    return frame.to_native()


def gathered(docket: Docket, family: str, held: Sequence[Held], settings: Sequence[int]) -> HeldOut:
    """What a family said of some held-out folds, with one setting each, one fold after the other."""
    predicted = [docket.decided(family, h, s) for h, s in zip(held, settings, strict=True)]
    rows = [docket.rows(h) for h in held]
    sizes = [len(part) for part in rows]
    together = np.concatenate(rows)
    outputs = np.concatenate([np.asarray(one.outputs) for one in predicted])
    labels = np.concatenate([np.asarray(one.labels) for one in predicted])
    target = docket.table.target
    assert target is not None
    return HeldOut(
        family=family,
        output=predicted[0].output,
        rows=together,
        folds=np.repeat([h.fold for h in held], sizes),
        actual=docket.table.y[together],
        predicted=labels.astype(np.int32) if target.classes else outputs[:, 0],
        outputs=outputs,
        classes=target.classes,
        repeats=np.repeat([h.trial.repeat for h in held], sizes),
        categorical=target.categorical,
    )
