"""Forests over parts: the codes of all rows, a byte a value, go to every worker, which then grows some of the trees.

A tree's random numbers follow from the seed and its place in the forest, so it does not matter who grows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from venire._core import Forest, weight_units
from venire.ensembles.parted.over_parts import cuts_of
from venire.errors import DataError
from venire.models.parted.part_rows import Facts
from venire.models.parted.team import LostPart, Team, agreed, describe, refuse_unless
from venire.models.tree.growth import Growth, Problem
from venire.models.tree.storage import trees_of

_PLAIN = {"oob_score": False, "warm_start": False, "combinations": None}
_MESSAGE = 1 << 25  # bytes
_TREES = 4  # of each worker in one message: what a lost part costs at most
_ROOM = 0.5  # of a worker's memory, for codes


def fit_forest(model: Any, team: Team, *, numeric: bool) -> None:
    """Fit a forest to the rows of a team: the one that it would be on all of them in one place."""
    model._validate_params()
    refuse_unless(model, _PLAIN)
    growth: Growth | None = None
    kept: Forest | None = None
    while True:
        team.renew()
        try:
            facts = agreed(team)
            problem = _gathered(model, team, facts, numeric=numeric)
            growth = growth or model._settings(sum(one.rows for one in facts), facts[0].columns, problem)
            for trees in _grown(team, len(facts), growth, kept):
                kept = trees
            break
        except LostPart:
            continue
    alike = growth.sampling != "balanced" and (problem.weights is None or bool((problem.weights > 0).all()))
    # In the order of a fit on one machine: files of models keep it.
    model._drawn_from = sum(one.rows for one in facts) if alike else None
    model._growth = growth
    model._forest = kept


def _gathered(model: Any, team: Team, facts: list[Facts], *, numeric: bool) -> Problem:
    """Every worker has the codes of all rows, and what is to be predicted."""
    parts, rows, columns = len(facts), sum(one.rows for one in facts), facts[0].columns
    _check_room(facts, 2.0 * rows * columns + 24.0 * rows)
    model._layout = describe(model, facts[0], model.categorical_features)
    told = team.ask("target")
    y = np.concatenate([each[0] for each in told])
    weights = np.concatenate([each[1] for each in told]) if facts[0].weighed else None
    # The matrix is asked for its length alone.
    problem: Problem = model._problem_of(y, np.broadcast_to(np.zeros(1), (rows, 1)), weights)
    first = np.concatenate([[0], np.cumsum([one.rows for one in facts])]).tolist()
    units = None if problem.weights is None else weight_units(problem.weights)
    team.ask("take_units", [None if units is None else units[a:b] for a, b in pairwise(first)])
    cuts = cuts_of(team, facts, model._layout, int(model.max_bins))
    wide = any(one.wide for one in facts)
    team.ask("encode", [cuts] * parts, [int(model.max_bins)] * parts, [wide] * parts, [rows] * parts)
    together = max(1, _MESSAGE // rows)
    for at in range(0, columns, together):
        last = min(columns, at + together)
        codes = team.ask("own_codes", [at] * parts, [last] * parts)
        team.ask("take_codes", [at] * parts, [list(zip(first, codes, strict=False))] * parts)
    arrays = (problem.labels, problem.y, problem.weights)
    for at in range(0, rows, _MESSAGE // 24):
        some = tuple(None if one is None else one[at : at + _MESSAGE // 24] for one in arrays)
        team.ask("take_target", [problem.classes] * parts, [rows] * parts, [at] * parts, [some] * parts)
    return problem


def _check_room(facts: Sequence[Facts], needed: float) -> None:
    for number, one in enumerate(facts):
        if one.most is not None and needed > _ROOM * one.most:
            raise DataError(
                f"the codes of all rows take {needed / 2**30:.2g} GiB, and the worker of part {number} may take "
                f"{one.most / 2**30:.2g} GiB, of which {_ROOM:.0%} are for codes",
                code="too_large",
                hint="give workers more memory, or fit boosting, whose rows need not be in one place",
            )


def _grown(team: Team, parts: int, growth: Growth, kept: Forest | None) -> Iterator[Forest]:
    """The trees so far, after some more from each worker."""
    done = 0 if kept is None else kept.trees
    while done < growth.count:
        share = min(_TREES, -(-(growth.count - done) // parts))
        firsts = [min(growth.count, done + share * k) for k in range(parts + 1)]
        told = team.ask("trees_grown", [growth.with_trees(a, b - a) for a, b in pairwise(firsts)])
        for one in told:
            if one is None:
                continue
            if kept is None:
                kept = trees_of(one)
            else:
                kept.extend(trees_of(one))
        done = firsts[-1]
        assert kept is not None
        yield kept
