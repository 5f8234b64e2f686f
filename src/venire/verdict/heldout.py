"""Held-out predictions as a user asks for them: one row a row of the table, by models that had not seen it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine import Finish, average
from venire.errors import UsageError
from venire.metrics.predictions import Output, Predictions
from venire.validation.plan import Held
from venire.verdict.candidates import Candidate, Place
from venire.verdict.combinations import combined, shared_outputs
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Outer predictions of one candidate (or of the procedure) in the first dealing, in row order.

    In time order the first blocks are never predicted, so `rows` says which rows these are.
    """

    family: str
    output: Output
    rows: NDArray[np.intp]
    blocks: NDArray[np.int32]
    actual: NDArray[Any]  # class codes or numbers
    predicted: NDArray[Any]  # class codes or numbers
    outputs: NDArray[Any]  # [row, class] or [row, 1]


def held_out(judgement: Judgement, family: str) -> HeldOut:
    """The held-out predictions of a member, a combination, or the procedure."""
    names = [PROCEDURE, *(c.name for c in judgement.candidates)]
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
    return HeldOut(family, output, at, docket.plan.block_of[0][at], docket.table.y[at], predicted, together)


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
