"""Rows drawn by their gradients, and gradients rounded at random: the parameters, checked."""

from __future__ import annotations

from typing import Any

from venire.errors import UsageError

_MOST_LEVELS = 2**31 - 2  # of all rows together


def set_sampling(plan: Any, model: Any, goal: Any) -> None:
    """Put the shares of rows and the levels of gradients into the plan of a boosting."""
    plan.subsample = float(model.subsample)
    if model.gradient_sampling is not None:
        plan.top_share, plan.other_share = _shares_by_gradient(model, goal)
    if model.gradient_levels is not None:
        plan.levels = _levels(model, len(goal.y))


def _shares_by_gradient(model: Any, goal: Any) -> tuple[float, float]:
    """The share of rows kept for their gradients, and the share drawn from the others."""
    shares = model.gradient_sampling
    if len(shares) != 2 or min(shares) <= 0 or sum(shares) >= 1:
        raise UsageError(f"gradient_sampling needs two positive shares that leave rows out; got {shares!r}")
    if model.subsample < 1:
        raise UsageError("gradient_sampling and subsample both draw rows", hint="set one of the two")
    if goal.loss in ("absolute", "quantile"):
        raise UsageError(f"gradient_sampling: under {goal.loss} loss all gradients are alike", hint="use subsample")
    return float(shares[0]), float(shares[1])


def _levels(model: Any, rows: int) -> int:
    levels = int(model.gradient_levels)
    if levels * rows > _MOST_LEVELS:
        raise UsageError(
            f"gradient_levels={levels} on {rows:,} rows: sums would not fit into 31 bits",
            hint=f"at most {_MOST_LEVELS // rows} levels, or None",
        )
    return levels
