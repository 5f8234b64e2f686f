"""The ridge family against scikit-learn, fitted once for every λ."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge, RidgeClassifier

from venire.data import read_table
from venire.families.linear import RidgeFamily
from venire.families.paths import strengths
from venire.validation.deal import make_plan
from venire.validation.generic import GenericFamily

SHAPES = [(80, 5), (40, 60)]  # tall and wide: both sides of the decomposition


def families() -> tuple[RidgeFamily, GenericFamily]:
    path = strengths("alpha", "λ", rising=False)
    given = {"classifier": RidgeClassifier(), "regressor": Ridge(), "path": path}
    return RidgeFamily("linear", **given), GenericFamily("linear", **given)


def table(rows: int, columns: int, classes: int, offset: float = 0.0):
    rng = np.random.default_rng([rows, columns, classes])
    X = rng.normal(size=(rows, columns)) + offset
    X[:, 1] = X[:, 0]  # duplicated
    X[::7, 2] = np.nan
    y = X[:, 0] - offset + rng.normal(size=rows)
    if classes:
        cuts = np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1])
        y = np.array(list("abcdef"))[np.searchsorted(cuts, y)]
    return read_table((X, y), task="classification" if classes else "regression")


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_every_strength_equals_a_fit_of_its_own(rows, columns, classes, offset):
    given = table(rows, columns, classes, offset)
    plan = make_plan(given, blocks=4)
    fast, plain = families()
    for trial in plan.trials[::3]:
        ours = fast.run(fast.prepare(given, plan), trial)
        theirs = plain.run(plain.prepare(given, plan), trial)
        np.testing.assert_allclose(ours.outputs, theirs.outputs, rtol=2e-6 if classes else 1e-8, atol=1e-6)
        clear = np.ones(ours.labels.shape, dtype=bool)
        if classes:
            top = np.sort(theirs.outputs, axis=2)
            clear = top[:, :, -1] - top[:, :, -2] > 1e-6
        assert np.array_equal(ours.labels[clear], theirs.labels[clear])
