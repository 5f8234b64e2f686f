"""The tables on which a fast family is held against the plain loop, and what equal means there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tests.validation.tables import classification, plain, regression
from venire.data.table import Kind, Table, Target
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Family, Outcome, never
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.naive import naive_outcome

CASES = (
    "mixed",
    "weights",
    "groups",
    "missing class",
    "constant and twice",
    "far away",
    "leave one out",
    "category of one fold",
    "many categories",
    "time",
)


def case(name: str, classes: int) -> tuple[Table, Plan]:
    """A table of that kind with so many classes (0 for numbers), and its folds."""
    rows = 14 if name == "leave one out" else 500 if name == "many categories" else 150
    table = classification(rows, classes=classes) if classes else regression(rows)
    rng = np.random.default_rng(7)
    if name == "weights":
        table = replace(table, weights=np.where(rng.random(rows) < 0.1, 0.0, rng.lognormal(0, 0.5, rows)))
    if name == "groups":
        table = replace(table, groups=rng.integers(0, 30, rows).astype(np.int32))
    if name == "constant and twice":
        X = np.array(table.X, order="F")
        X[:, 0] = 0.1
        X[:, 1] = X[:, 5]
        table = with_values(table, X, table.y)
    if name == "far away":
        X = rng.normal(size=(rows, 4)) + 1e8
        y = np.searchsorted(np.linspace(-0.5, 0.5, classes - 1), X[:, 0] - 1e8) if classes else X[:, 0] * 2 - 1e8
        table = plain(X, y, classes)
    if name == "many categories":
        table = _many_categories(table, rng)
    if name == "time":
        table = replace(table, time=np.arange(rows, dtype=np.float64))
    plan = make_plan(table, folds=rows if name == "leave one out" else 5)
    if name == "missing class":
        table = _relabelled(table, plan)
    if name == "category of one fold":
        X = np.array(table.X, order="F")
        X[:, 2] = np.where(plan.fold_of[0] == 1, X[:, 2], 0.0)
        table = with_values(table, X, table.y)
    return table, plan


def with_values(table: Table, X: NDArray[np.float64], y: NDArray[np.int32]) -> Table:
    """The table with other values, and the gaps counted anew."""
    missing = np.isnan(X).sum(axis=0)
    columns = tuple(replace(column, missing=int(missing[j])) for j, column in enumerate(table.columns))
    return replace(table.with_values(X, y), columns=columns)


def _many_categories(table: Table, rng: np.random.Generator) -> Table:
    """More towns than the encoder keeps apart."""
    X = np.array(table.X, order="F")
    X[:, 3] = rng.integers(0, 70, len(X))
    columns = list(table.columns)
    columns[3] = replace(columns[3], kind=Kind.CATEGORICAL, categories=tuple(f"town {c}" for c in range(70)))
    return replace(with_values(table, X, table.y), columns=tuple(columns))


def _relabelled(table: Table, plan: Plan) -> Table:
    """The last class is found in folds 0 and 1 alone, so that the trial without both has never seen it."""
    assert table.target is not None
    if not table.target.classes:
        return table
    last = len(table.target.classes) - 1
    y = np.where((table.y == last) & (plan.fold_of[0] > 1), 0, table.y).astype(np.int32)
    target: Target = replace(table.target, values=y)
    return replace(table, target=target, _digest=[])


def compared(family: Family, table: Table, plan: Plan) -> list[tuple[Outcome, Outcome]]:
    """What the family and the plain loop say in an outer trial and two inner ones."""
    prepared = family.prepare(table, plan)
    chosen = {plan.trials[0], plan.trials[-1]}
    chosen |= {trial for trial in plan.trials if trial.test == (0, 1)}
    return [(family.run(prepared, trial), naive_outcome(family, table, plan, trial)) for trial in sorted(chosen)]


def assert_same(ours: Outcome, plain: Outcome, tolerance: float, near: float = 1e-6) -> None:
    """Equal outputs; equal decisions wherever the two best classes are further apart than rounding."""
    scale = np.abs(plain.outputs[np.isfinite(plain.outputs)]).max(initial=1.0)
    if plain.outputs.dtype == np.float32:
        tolerance = max(tolerance, 2.0**-23)
    np.testing.assert_allclose(ours.outputs, plain.outputs, rtol=0, atol=tolerance * scale)
    if plain.outputs.shape[2] > 1:
        top = np.sort(plain.outputs, axis=2)
        clear = top[:, :, -1] - top[:, :, -2] > near
        np.testing.assert_array_equal(ours.labels[clear], plain.labels[clear])
    assert ours.training.keys() == plain.training.keys()


def assert_identical(ours: Outcome, plain: Outcome) -> None:
    """Equal to the last bit: outputs, decisions and training losses."""
    np.testing.assert_array_equal(ours.outputs, plain.outputs)
    np.testing.assert_array_equal(ours.labels, plain.labels)
    for metric, losses in plain.training.items():
        np.testing.assert_array_equal(ours.training[metric], losses)


def assert_same_bytes_in_threads(family: GenericFamily, table: Table, plan: Plan) -> None:
    """Trials of one preparation, four at a time, tell what a preparation of their own tells."""
    shared = family.prepare(table, plan)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda trial: family.predict_path(shared, trial, never), plan.trials))
    alone = family.prepare(table, plan)
    for trial, found in zip(plan.trials, together, strict=True):
        for here, there in zip(found, family.predict_path(alone, trial, never), strict=True):
            assert here.outputs.tobytes() == there.outputs.tobytes()
            assert here.labels.tobytes() == there.labels.tobytes()
