"""How many rounds a boosting keeps: what early stopping saw, and what a stored boosting has to have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.states.checked import Fitted
from venire.states.constraints import array, maybe, number, record, require, sequence, whole

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stopping:
    """How early stopping went: the rows held out of training, their loss after 0, 1, 2, … rounds, the best round.

    The model keeps `best_round` rounds. The held-out rows chose that number, so their loss is no estimate of the
    loss on new rows.
    """

    held_out: NDArray[np.intp]
    losses: Floats
    best_round: int


BOOSTED: Fitted = {
    "stopping_": maybe(record(Stopping, held_out=array("i8", None, low=0), losses=array("f8", None, finite=False))),
    "_start": sequence(number()),
    "n_rounds_": whole(),
}


def require_rounds(state: Mapping[str, Any], classes: int) -> None:
    """Refuse a boosting with another number of scores than its classes need, or with fewer trees than rounds."""
    outputs, grown = len(state["_start"]), state["_forest"].trees
    require(outputs == (1 if classes == 2 else classes), f"_start has {outputs} scores for {classes} classes")
    require(state["n_rounds_"] * outputs <= grown, f"n_rounds_ asks for more than the {grown} trees there are")
