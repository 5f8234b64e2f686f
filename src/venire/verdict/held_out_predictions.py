"""The held-out predictions of a verdict: of the procedure and of every candidate, in the first split, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from venire.errors import UsageError
from venire.metrics.predictions import Output, Predictions
from venire.validation.held_out import Backend, HeldOut, frame_of
from venire.validation.plans.plan import Held, Place
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import Candidate
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.said_of_rows import predicted_by


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

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """All of them, one below the other, a column `model` first; an output that a model does not give is NaN."""
        each = {name: held.columns() for name, held in self.items()}
        wanted = list(dict.fromkeys(column for columns in each.values() for column in columns))
        found = {"model": np.concatenate([np.full(len(columns["row"]), name) for name, columns in each.items()])}
        for column in wanted:
            found[column] = np.concatenate(
                [columns.get(column, np.full(len(columns["row"]), np.nan)) for columns in each.values()]
            )
        return frame_of(found, backend, categorical=_categorical(self._judgement.docket))


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
    for i in docket.plan.outer_folds():
        place = (0, i)
        candidate = judgement.procedure.picks[place] if family == PROCEDURE else judgement.candidate(family)
        held = docket.plan.outer(*place)
        predicted = predictions_of(judgement, candidate, place, held)
        kinds.add(predicted.output)
        rows.append(docket.rows(held))
        outputs.append(np.asarray(predicted.outputs))
        labels.append(np.asarray(predicted.labels))
    at = np.concatenate(rows)
    order = np.argsort(at, kind="stable")
    at = at[order]
    together = np.concatenate(outputs)[order]
    output = kinds.pop() if len(kinds) == 1 else Output.LABELS  # different kinds have only the decision in common
    known = together[:, 0] if output is Output.VALUES else np.concatenate(labels)[order].astype(np.int32)
    return HeldOut(
        family=family,
        output=output,
        rows=at,
        folds=docket.plan.fold_of[0][at],
        actual=docket.table.y[at],
        predicted=known,
        outputs=together,
        classes=_classes(docket),
        repeats=np.zeros(len(at), np.intp),
        categorical=_categorical(docket),
    )


def _classes(docket: Docket) -> tuple[Any, ...]:
    target = docket.table.target
    return () if target is None else target.classes


def _categorical(docket: Docket) -> bool:
    target = docket.table.target
    return target is not None and target.categorical


def predictions_of(judgement: Judgement, candidate: Candidate, place: Place, held: Held) -> Predictions:
    """What a candidate, chosen and finished without an outer fold, says of that fold."""
    return predicted_by(judgement.docket, candidate, place, held)
