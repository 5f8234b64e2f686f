"""The losses of the rounds, under scikit-learn's names: `train_score_`, `oob_scores_`, `oob_improvement_`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LARGEST = 10_000  # rows up to which losses are kept unasked: looking at them is time that growing does not need
_NAMES = ("train_score_", "oob_scores_", "oob_improvement_", "oob_score_")


def keeps_losses(model: Any, rows: int) -> bool:
    """Does this model keep the losses of its rounds?"""
    if model.keep_losses == "auto":
        return rows <= LARGEST or bool(model.verbose)
    return bool(model.keep_losses)


def keep_scores(model: Any, losses: tuple[Floats, Floats, Floats], factor: float, done: int) -> None:
    """Put the losses of the new rounds behind those of the `done` rounds before; of rounds that kept none, 0."""
    train, others, before = (factor * one for one in losses)
    old = {name: vars(model).pop(name) for name in _NAMES if name in vars(model)}
    if not len(train):
        return

    def behind(name: str, new: Floats) -> Floats:
        return np.concatenate([old.get(name, np.zeros(done))[:done], new])[: model.n_rounds_]

    model.train_score_ = behind("train_score_", train)
    if model.subsample < 1:
        model.oob_scores_ = behind("oob_scores_", others)
        model.oob_improvement_ = behind("oob_improvement_", before - others)
        model.oob_score_ = float(model.oob_scores_[-1])
