"""One layer and two: `one_layer`, `two_layer` and `holdout` for any estimator or family."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from venire.advice import Advice, Option
from venire.errors import UsageError
from venire.validation.averaging import refuse_undefined
from venire.validation.choice import Rule, check_rule
from venire.validation.nested_choice import nested_choice
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import given_plan, with_inner_folds
from venire.validation.plans.plan import Plan
from venire.validation.plans.splits import holdout_plan, leave_one_group_out, leave_one_out
from venire.validation.results import Judged, OneLayer, TwoLayer
from venire.validation.subject import Subject, subject
from venire.validation.trials.effort import check_seed
from venire.validation.trying import Means, Tried, asked, means, tried
from venire.validation.unknown_options import refuse_unknown

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
    **given: Any,
) -> OneLayer:
    """Judge every setting of a model on held-out folds, and choose among them on those folds.

    Parameters
    ----------
    model
        A scikit-learn estimator or a family. An estimator's settings come from `grid` (as in `GridSearchCV`) or
        `path`, from simple to complex. As in `compare` it gets scaled numbers and a column per category, learned
        inside the training part; with `encoding="none"` it gets the table's own matrix.
    data, target
        A `Table`, or whatever `read_table` takes: a path, a frame, `X, y`.
    split
        `"folds"` (at random, by groups or in time order, as the table asks), `"stratified"`, `"leave_one_out"`,
        `"leave_one_group_out"`, a scikit-learn splitter, or pairs (rows trained on, rows tested on).
    folds, repeats
        Number of folds (default 10, 5 above 5,000 rows, 3 above 50,000), and how often the rows are split into them.
    rule
        `"best"`, or `"one_standard_error"` for the simplest setting within one standard error of the best.
    seed
        The same seed gives the same figures.
    **given
        `grid`, `path` and `encoding` of the model; options of `read_table` (`groups`, `time`, `weights`,
        `positive`, `task`, …); `metric` and `costs`; and, without a change to any figure, `jobs` (trials at a
        time), `budget` (seconds they may take), `home` (a folder where what they predicted is kept, so that the
        same call goes on where it was), `naive` (fit every setting by itself) and `tick` (is called after every
        step).

    Returns
    -------
    OneLayer
        The losses of every setting, and the one that was chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    >>> found = one_layer(KNeighborsClassifier(), (X, y), grid={"n_neighbors": [15, 5, 1]}, folds=5)
    >>> print(found)
    one-layer validation of kneighbors_classifier: 5 folds drawn at random
    <BLANKLINE>
       n_neighbors       training  held out
    →  n_neighbors = 15    0.2437    0.2625
       n_neighbors = 5     0.2281    0.3250
       n_neighbors = 1     0.0000    0.3500
    <BLANKLINE>
    error rate 0.2625 [0.1403, 0.4216] at n_neighbors = 15
    chosen on these same folds, so too good on average: see two_layer
    """
    refuse_unknown(given, one_layer, subject, means)
    chosen_by = check_rule(rule)
    case, by = asked(model, data, target, given)
    plan = _plan(case, split, folds, repeats, seed, layers=1)
    refuse_undefined(plan, case.metric)
    return one_layer_of(tried(case, plan, by), chosen_by)


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
    **given: Any,
) -> TwoLayer:
    """Judge the choice of a setting together with its use: nothing that is tested has had a part in the choice.

    The inner layer uses the same folds, so that the model without {i, j} serves outer fold i and outer fold j. In time
    order a setting is chosen on the folds before the one judged, and `inner_folds` are windows of the past, each
    predicted from those before it. The training error is taken on the fold before the one left out, every row once;
    with `inner_folds`, on all rows trained on.

    Parameters
    ----------
    model, data, target, split, folds, repeats, rule, seed, **given
        As of `one_layer`, whose figure on the same folds is part of the result.
    inner_folds
        Split anew inside every training part instead: a number of folds, or a scikit-learn splitter.

    Returns
    -------
    TwoLayer
        The error of choosing a setting and using it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    >>> found = two_layer(KNeighborsClassifier(), (X, y), grid={"n_neighbors": [15, 5, 1]}, folds=5)
    >>> print(found)
    two-layer validation of kneighbors_classifier: 5 folds drawn at random; trials: 15
    <BLANKLINE>
    fold  chosen n_neighbors  training  held out
    1.1   n_neighbors = 15      0.3125    0.1875
    1.2   n_neighbors = 15      0.1250    0.1875
    1.3   n_neighbors = 15      0.1875    0.1875
    1.4   n_neighbors = 1       0.0000    0.5625
    1.5   n_neighbors = 15      0.3750    0.3750
    <BLANKLINE>
    two-layer error rate  0.3000 [0.1876, 0.4345]  choosing a setting and using it
    one-layer error rate  0.2625                   at n_neighbors = 15, on the folds that chose it; ...
    training error rate   0.2000                   on the training rows
    """
    refuse_unknown(given, two_layer, subject, means)
    chosen_by = check_rule(rule)
    case, by = asked(model, data, target, given)
    if inner_folds is None:
        plan = _plan(case, split, folds, repeats, seed, layers=2)
    elif isinstance(split, str):
        outer = _plan(case, split, folds, repeats, seed, layers=1)
        plan = with_inner_folds(case.table, outer, inner_folds)
    else:
        plan = given_plan(case.table, split, inner=inner_folds, seed=seed)
    return two_layer_of(case, plan, chosen_by, by)


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
    **given: Any,
) -> TwoLayer:
    """Keep a third of the rows back and judge on it; `repeats` of that are repeated random sub-sampling.

    A model with several settings chooses among them on `validation`, a share of the training part, is trained again on
    the whole training part, and only then tested. In time order the test part is the last one, groups stay together.

    Parameters
    ----------
    model, data, target, rule, seed, **given
        As of `one_layer`.
    test
        The share of rows kept back.
    validation
        The share of the training part on which a setting is chosen.
    repeats
        How often the rows are split.
    stratified
        Give both parts the same shares of the classes.

    Returns
    -------
    TwoLayer
        The error on the rows kept back.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.datasets import load_iris
    >>> found = holdout(GaussianNB(), load_iris(return_X_y=True))
    >>> len(found.held_out), round(found.error, 2)
    (50, 0.02)
    """
    refuse_unknown(given, holdout, subject, means)
    chosen_by = check_rule(rule)
    case, by = asked(model, data, target, given)
    kept = validation if len(case.settings) > 1 else None
    plan = holdout_plan(case.table, test=test, validation=kept, repeats=repeats, seed=seed, stratified=stratified)
    return two_layer_of(case, plan, chosen_by, by)


def _plan(case: Subject, split: Any, folds: int | None, repeats: int, seed: int, layers: int) -> Plan:
    """The plan that a way of splitting stands for."""
    check_seed(seed)
    if isinstance(split, str) and split in ("folds", "stratified"):
        stratified = split == "stratified"
        return make_plan(case.table, folds=folds, repeats=repeats, seed=seed, stratified=stratified, layers=layers)
    if folds is not None or repeats != 1:
        raise UsageError(
            "folds and repeats are for rows that are split here, and this split has its own",
            code="bad_split",
            hint='leave them out, or use split="folds"',
        )
    if not isinstance(split, str):
        plan = given_plan(case.table, split, seed=seed)
        if layers > 1 and (plan.own_inner_folds or plan.folds < 3) and len(case.settings) > 1:
            raise UsageError(
                "these parts are no folds left out in turn, so there is nothing to choose a setting on",
                code="bad_split",
                hint=Advice("say how to choose inside every training part: ", Option("inner_folds", 5)),
            )
        return plan if layers > 1 or plan.own_inner_folds else replace(plan, layers=1)
    if split == "leave_one_out":
        return leave_one_out(case.table, seed=seed, layers=layers)
    if split == "leave_one_group_out":
        return leave_one_group_out(case.table, seed=seed, layers=layers)
    raise UsageError(
        f"there is no way of splitting called {split!r}", code="bad_split", hint=f"there are {', '.join(_SPLITS)}"
    )


def one_layer_of(found: Tried, rule: Rule) -> OneLayer:
    """One layer read off the trials of a plan."""
    plan, ledger = found.docket.plan, found.ledger
    held = [h for h in plan.finals if h in ledger.losses]
    # In time order the choice sees a fold that two layers cannot judge: figures of both are of the same folds.
    shown = [h for h in held if h.fold in frozenset(plan.outer_folds())]
    if not shown:
        raise found.unfinished("any fold")
    judged = Judged.of(found, rule, [(h.trial.repeat, h.fold) for h in shown])
    chosen = judged.averaging.choose(ledger.on(held), rule, judged.averaging.repeats)
    return OneLayer(judged, chosen, ledger.on(shown), np.stack([ledger.training[h.trial] for h in shown]))


def two_layer_of(case: Subject, plan: Plan, rule: Rule, by: Means) -> TwoLayer:
    """Run a plan's trials and judge the choice made inside each of its training parts."""
    refuse_undefined(plan, case.metric)
    found = tried(case, plan, by)
    docket, ledger = found.docket, found.ledger
    places = [place for place in plan.places if ledger.judged(plan, place)]
    if not places:
        raise found.unfinished("any fold")
    judged = Judged.of(found, rule, places)
    averaging = judged.averaging
    choice = nested_choice(docket, ledger, rule, places=places, repeats=averaging.repeats, power=averaging.power)
    return TwoLayer(
        judged,
        tuple(choice.settings.values()),
        np.array([*choice.outer.values()]),
        np.array([*choice.training.values()]),
        np.stack([averaging.mean(ledger.on(plan.inner(*place))) for place in places]),
        one_layer_of(found, rule),
    )
