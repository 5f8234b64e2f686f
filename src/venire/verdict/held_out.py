"""Held-out predictions as a user asks for them: one row a row of the table, by models that had not seen it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from venire.combine import Finish, average
from venire.data.table import label_text
from venire.errors import UsageError
from venire.metrics.predictions import Output, Predictions
from venire.validation.plans.plan import Held
from venire.verdict.candidates import Candidate, Place
from venire.verdict.combinations import combined, shared_outputs
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.ledger import Docket

_FRAMES = ("pandas", "polars", "pyarrow")


@dataclass(frozen=True, eq=False, repr=False)
class HeldOut:
    """Outer predictions of one candidate (or of the procedure) in the first dealing, in row order.

    In time order the first blocks are never predicted, so `rows` says which rows these are. `classes` has the labels
    that the codes stand for, in the type they had in the table.
    """

    family: str
    output: Output
    rows: NDArray[np.intp]
    blocks: NDArray[np.int32]
    actual: NDArray[Any]  # class codes or numbers
    predicted: NDArray[Any]  # class codes or numbers
    outputs: NDArray[Any]  # [row, class] or [row, 1]
    classes: tuple[Any, ...] = ()
    categorical: bool = False  # the table's target was a column of categories

    def __repr__(self) -> str:
        return f"<HeldOut {self.family}: {self.output} of {len(self.rows):,} rows>"

    def some(self, most: int, seed: int) -> HeldOut:
        """At most so many of these rows, drawn by the seed."""
        if len(self.rows) <= most:
            return self
        at = np.sort(np.random.default_rng(seed).choice(len(self.rows), most, replace=False, shuffle=False))
        of_row = {name: getattr(self, name)[at] for name in ("rows", "blocks", "actual", "predicted", "outputs")}
        return replace(self, **of_row)

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """One line a row, as a frame of pandas, polars or pyarrow: row, block, actual, predicted, and the outputs.

        Classes have the type of the target. A column of outputs is called probability_LABEL, or score where there is
        one.
        """
        return _frame(self.columns(), backend, categorical=self.categorical)

    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of that frame."""
        labels = np.array(self.classes, dtype=object)
        columns: dict[str, NDArray[Any]] = {"row": self.rows, "block": self.blocks}
        for name, values in (("actual", self.actual), ("predicted", self.predicted)):
            columns[name] = np.array(labels[values].tolist()) if self.classes else values
        if self.output in (Output.PROBABILITIES, Output.SCORES):
            kind = "probability" if self.output is Output.PROBABILITIES else "score"
            each = [f"{kind}_{label_text(label)}" for label in self.classes] if self.outputs.shape[1] > 1 else [kind]
            columns |= dict(zip(each, self.outputs.T, strict=True))
        return columns


def _frame(
    columns: Mapping[str, NDArray[Any]], backend: Literal["pandas", "polars", "pyarrow"], *, categorical: bool
) -> Any:
    if backend not in _FRAMES:
        raise UsageError(f"there are no frames called {backend!r}", hint=f"use one of {', '.join(_FRAMES)}")
    frame = nw.from_dict(columns, backend=backend)
    if categorical and (backend == "pandas" or columns["actual"].dtype.kind == "U"):  # others have categories of texts
        frame = frame.with_columns(nw.col("actual", "predicted").cast(nw.Categorical()))
    return frame.to_native()


class Witnesses(Mapping[str, HeldOut]):
    """The held-out predictions of the procedure, then of every line of the leaderboard, by name."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self._names = _names(judgement)

    def __getitem__(self, name: str) -> HeldOut:
        return held_out(self._judgement, name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<held-out predictions of {', '.join(self._names)}>"

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """All of them, one below the other, a column `model` first; an output that a model does not give is NaN."""
        each = {name: held.columns() for name, held in self.items()}
        wanted = list(dict.fromkeys(column for columns in each.values() for column in columns))
        found = {"model": np.concatenate([np.full(len(columns["row"]), name) for name, columns in each.items()])}
        for column in wanted:
            found[column] = np.concatenate(
                [columns.get(column, np.full(len(columns["row"]), np.nan)) for columns in each.values()]
            )
        return _frame(found, backend, categorical=_categorical(self._judgement.docket))


def _names(judgement: Judgement) -> tuple[str, ...]:
    return (PROCEDURE, *(candidate.name for candidate in judgement.candidates))


def held_out(judgement: Judgement, family: str) -> HeldOut:
    """The held-out predictions of a member, a combination, or the procedure."""
    names = _names(judgement)
    if family not in names:
        raise UsageError(
            f"there is no evidence for {family!r}", code="unknown_model", hint=f"there is for: {', '.join(names)}"
        )
    docket = judgement.docket
    rows, outputs, labels = [], [], []
    kinds: set[Output] = set()
    for i in docket.plan.outer_blocks():
        place = (0, i)
        candidate = judgement.procedure.picks[place] if family == PROCEDURE else judgement.candidate(family)
        held = docket.plan.outer(*place)
        said = said_of(judgement, candidate, place, held)
        kinds.add(said.output)
        rows.append(docket.rows(held))
        outputs.append(np.asarray(said.outputs))
        labels.append(np.asarray(said.labels))
    at = np.concatenate(rows)
    order = np.argsort(at, kind="stable")
    at = at[order]
    together = np.concatenate(outputs)[order]
    output = kinds.pop() if len(kinds) == 1 else Output.LABELS  # different kinds have only the decision in common
    predicted = together[:, 0] if output is Output.VALUES else np.concatenate(labels)[order].astype(np.int32)
    return HeldOut(
        family,
        output,
        at,
        docket.plan.block_of[0][at],
        docket.table.y[at],
        predicted,
        together,
        _classes(docket),
        _categorical(docket),
    )


def _classes(docket: Docket) -> tuple[Any, ...]:
    target = docket.table.target
    return () if target is None else target.classes


def _categorical(docket: Docket) -> bool:
    target = docket.table.target
    return target is not None and target.categorical


def said_of(judgement: Judgement, candidate: Candidate, place: Place, held: Held) -> Predictions:
    """What a candidate, chosen and finished without an outer block, says of that block."""
    docket = judgement.docket
    if candidate.kind == "member":
        said = docket.said(candidate.name, held, candidate.settings[place])
    else:
        weights = candidate.weights_at[place]
        members = [shared_outputs(docket, name, held, judgement.candidate(name).settings[place]) for name in weights]
        said = combined(docket, average(np.stack(members), np.array(list(weights.values()))))
    return candidate.finish_at.get(place, Finish())(said)
