"""One layer and two: `one_layer`, `two_layer` and `holdout` for any estimator or family."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.validation.attempt import Attempts, attempt
from venire.validation.averaging import Averaging
from venire.validation.choice import Rule, check_rule
from venire.validation.options import refuse_unknown
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import given_plan, with_inner_folds
from venire.validation.plans.plan import Plan
from venire.validation.plans.splits import holdout_plan, leave_one_group_out, leave_one_out
from venire.validation.results import OneLayer, Place, TwoLayer, gather
from venire.validation.subject import Subject, subject

Floats = NDArray[np.float64]

_SPLITS = ("folds", "stratified", "leave_one_out", "leave_one_group_out")


def one_layer(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    split: Any = "folds",
    folds: int | None = None,
    repeats: int = 1,
    rule: str = "best",
    seed: int = 0,
    jobs: int = 1,
    naive: bool = False,
    **given: Any,
) -> OneLayer:
    """Judge every setting of a model on held-out blocks, and choose among them on those blocks.

    Parameters
    ----------
    model
        A scikit-learn estimator or a family. An estimator's settings come from `grid` (as in `GridSearchCV`) or `path`,
        from simple to complex. As in `compare` it gets scaled numbers and a column a category, learned inside
        the training part; with ``encoding="none"`` it gets the table's own matrix.
    data, target
        A `Table`, or whatever `read_table` takes: a path, a frame, ``X, y``. Further keywords are handed to it:
        ``groups``, ``time``, ``weights`` (like the target columns, or values, one a row), ``positive``, ``task`` …
    split
        ``"folds"`` (at random, by groups or in time order, as the table asks), ``"stratified"``, ``"leave_one_out"``,
        ``"leave_one_group_out"``, a scikit-learn splitter, or pairs (rows trained on, rows tested on).
    folds, repeats
        Number of blocks (default 10, 5 above 20,000 rows), and how often the rows are dealt anew.
    rule
        ``"best"``, or ``"one_standard_error"`` for the simplest setting within one standard error of the best.
    jobs, naive
        Worker processes; and whether to fit every setting by itself instead of sharing work. Neither changes a figure.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    >>> found = one_layer(KNeighborsClassifier(), (X, y), grid={"n_neighbors": [15, 5, 1]}, folds=5)
    >>> print(found)
    one-layer validation of kneighbors_classifier: 5 blocks dealt at random
    <BLANKLINE>
       n_neighbors       training  held out
    →  n_neighbors = 15    0.2437    0.2625
       n_neighbors = 5     0.2281    0.3250
       n_neighbors = 1     0.0000    0.3500
    <BLANKLINE>
    error rate 0.2625 [0.1403, 0.4216] at n_neighbors = 15
    chosen on these same blocks, so too low on average: see two_layer
    """
    refuse_unknown(given, one_layer, subject)
    chosen_by = check_rule(rule)
    case = subject(model, data, target, **given)
    plan = _plan(case, split, folds, repeats, seed, layers=1)
    averaging = averaging_of(case, plan)
    return one_layer_of(case, plan, attempt(case, plan, jobs=jobs, naive=naive), averaging, chosen_by)


def two_layer(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    split: Any = "folds",
    folds: int | None = None,
    repeats: int = 1,
    inner_folds: Any = None,
    rule: str = "best",
    seed: int = 0,
    jobs: int = 1,
    naive: bool = False,
    **given: Any,
) -> TwoLayer:
    """Judge the choice of a setting together with its use: nothing that is tested has had a part in the choice.

    The inner layer uses the same blocks, so that the model without {i, j} serves outer block i and outer block j.
    `inner_folds` deals anew inside every training part instead: a number, or a scikit-learn splitter. In time order a
    setting is chosen on the blocks before the one judged, and `inner_folds` are windows of the past, each predicted
    from those before it. All else is as in `one_layer`, whose figure on the same blocks is part of the result. The
    training error is taken on the block before the one left out, every row once; with `inner_folds`, on all rows
    trained on.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    >>> found = two_layer(KNeighborsClassifier(), (X, y), grid={"n_neighbors": [15, 5, 1]}, folds=5)
    >>> print(found)
    two-layer validation of kneighbors_classifier: 5 blocks dealt at random; trials: 15
    <BLANKLINE>
    block  chosen n_neighbors  training  held out
    1.1    n_neighbors = 15      0.3125    0.1875
    1.2    n_neighbors = 15      0.1250    0.1875
    1.3    n_neighbors = 15      0.1875    0.1875
    1.4    n_neighbors = 1       0.0000    0.5625
    1.5    n_neighbors = 15      0.3750    0.3750
    <BLANKLINE>
    two-layer error rate  0.3000 [0.1694, 0.4617]  of the procedure, choice included
    one-layer error rate  0.2625                   at n_neighbors = 15, chosen on the blocks it is judged on; ...
    training error rate   0.2000                   on rows trained on
    """
    refuse_unknown(given, two_layer, subject)
    chosen_by = check_rule(rule)
    case = subject(model, data, target, **given)
    if inner_folds is None:
        plan = _plan(case, split, folds, repeats, seed, layers=2)
    elif isinstance(split, str):
        outer = _plan(case, split, folds, repeats, seed, layers=1)
        plan = with_inner_folds(case.table, outer, inner_folds)
    else:
        plan = given_plan(case.table, split, inner=inner_folds, seed=seed)
    return judged(case, plan, chosen_by, jobs, naive)


def holdout(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    test: float = 1 / 3,
    validation: float = 1 / 3,
    repeats: int = 1,
    stratified: bool = False,
    rule: str = "best",
    seed: int = 0,
    jobs: int = 1,
    naive: bool = False,
    **given: Any,
) -> TwoLayer:
    """Keep a third of the rows back and judge on it; `repeats` of that are repeated random sub-sampling.

    A model with several settings chooses among them on `validation`, a share of the training part, is trained again on
    the whole training part, and only then tested. In time order the test part is the last one, groups stay together.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.datasets import load_iris
    >>> found = holdout(GaussianNB(), load_iris(return_X_y=True))
    >>> len(found.held_out), round(found.error, 2)
    (50, 0.02)
    """
    refuse_unknown(given, holdout, subject)
    chosen_by = check_rule(rule)
    case = subject(model, data, target, **given)
    kept = validation if len(case.settings) > 1 else None
    plan = holdout_plan(case.table, test=test, validation=kept, repeats=repeats, seed=seed, stratified=stratified)
    return judged(case, plan, chosen_by, jobs, naive)


def _plan(case: Subject, split: Any, folds: int | None, repeats: int, seed: int, layers: int) -> Plan:
    """The plan that a way of splitting stands for."""
    if seed < 0:
        raise UsageError(f"the seed must be 0 or more, not {seed}", code="bad_seed", hint="any whole number from 0 on")
    if isinstance(split, str) and split in ("folds", "stratified"):
        stratified = split == "stratified"
        return make_plan(case.table, blocks=folds, repeats=repeats, seed=seed, stratified=stratified, layers=layers)
    if folds is not None or repeats != 1:
        raise UsageError(
            "folds and repeats are for blocks that are dealt, and this split has its own",
            code="bad_split",
            hint='leave them out, or use split="folds"',
        )
    if not isinstance(split, str):
        plan = given_plan(case.table, split, seed=seed)
        if layers > 1 and (plan.nested or plan.blocks < 3) and len(case.settings) > 1:
            raise UsageError(
                "these parts are no blocks left out in turn, so there is nothing to choose a setting on",
                code="bad_split",
                hint="say how to choose inside every training part: inner_folds=5",
            )
        return plan if layers > 1 or plan.nested else replace(plan, layers=1)
    if split == "leave_one_out":
        return leave_one_out(case.table, seed=seed, layers=layers)
    if split == "leave_one_group_out":
        return leave_one_group_out(case.table, seed=seed, layers=layers)
    raise UsageError(
        f"there is no way of splitting called {split!r}", code="bad_split", hint=f"there are {', '.join(_SPLITS)}"
    )


def one_layer_of(case: Subject, plan: Plan, found: Attempts, averaging: Averaging, rule: Rule) -> OneLayer:
    """One layer read off the trials of a plan."""
    held = [(repeat, h) for repeat in range(plan.repeats) for h in plan.final(repeat)]
    losses = found.losses([h for _, h in held])
    chosen = averaging.choose(losses, rule, averaging.repeats)
    # In time order the choice sees a block that two layers cannot judge: figures of both are of the same blocks.
    judged = frozenset(plan.outer_blocks())
    shown = [at for at, (_, h) in enumerate(held) if h.block in judged]
    tried = [found.tried[held[at][1].trial] for at in shown]
    assert case.table.target is not None
    return OneLayer(
        case.family.name,
        case.family.path_label,
        case.settings,
        chosen,
        rule,
        tuple((held[at][0], held[at][1].block) for at in shown),
        losses[shown],
        np.stack([one.training for one in tried]),
        plan,
        averaging,
        _warnings(found, averaging),
        tuple(one.outcome for one in tried if one.outcome is not None),
        (case.table.y, case.table.target.classes),
    )


def averaging_of(case: Subject, plan: Plan) -> Averaging:
    """How the losses of the plan's blocks become one figure."""
    table = case.table
    found = Averaging.over(plan, case.metric, dependent=case.dependent, groups=table.groups, scarce=table.scarce)
    return replace(found, unit=case.metric.unit(table.y))


def judged(case: Subject, plan: Plan, rule: Rule, jobs: int, naive: bool) -> TwoLayer:
    """Run a plan's trials and judge the choice made inside each of its training parts."""
    averaging = averaging_of(case, plan)
    found = attempt(case, plan, jobs=jobs, naive=naive)
    places: list[Place] = [(r, i) for r in range(plan.repeats) for i in plan.outer_blocks()]
    nothing = np.full(len(case.settings), np.nan)
    inner, chosen = [], []
    for repeat, block in places:
        held = plan.inner(repeat, block)
        losses = found.losses(held) if held else nothing[None, :]
        inner.append(averaging.mean(losses))
        seen = plan.rows(repeat, tuple(h.block for h in held))
        chosen.append(averaging.choose(losses, rule, unit=case.metric.unit(case.table.y[seen])))
    outer = [plan.outer(*place) for place in places]
    tried = [found.tried[held.trial] for held in outer]
    at = (np.arange(len(places)), np.array(chosen))
    outcomes = [one.outcome for one in tried if one.outcome is not None]
    assert case.table.target is not None
    return TwoLayer(
        case.family.name,
        case.family.path_label,
        case.settings,
        rule,
        tuple(places),
        tuple(chosen),
        found.losses(outer)[at],
        np.stack([one.training for one in tried])[at],
        np.stack(inner),
        one_layer_of(case, plan, found, averaging, rule),
        plan,
        averaging,
        len(plan.trials),
        gather(plan, places, outcomes, chosen, case.table.y, case.table.target.classes),
        _warnings(found, averaging),
    )


def _warnings(found: Attempts, averaging: Averaging) -> tuple[str, ...]:
    """What the learners warned of, and what is to be said of the interval."""
    return found.warnings if averaging.doubt is None else (*found.warnings, averaging.doubt)
