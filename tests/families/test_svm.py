"""Support vector machines on shared kernel matrices, against scikit-learn's fits."""

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from tests.families.cases import CASES, assert_same, case, compared
from tests.validation.tables import plain
from venire.families import svm
from venire.families.svm import KernelFamily
from venire.validation.deal import make_plan
from venire.validation.family import Setting
from venire.validation.garble import leaks


def path(table):
    inside = "" if table.target.classes else "regressor__"
    pairs = [(kernel, c) for kernel in ("linear", "rbf") for c in (0.1, 1.0)]
    return tuple(Setting(f"{k}, {c:g}", {f"{inside}kernel": k, f"{inside}C": c}) for k, c in pairs)


def family(classifier=None, settings=path) -> KernelFamily:
    scaled = TransformedTargetRegressor(regressor=SVR(), transformer=StandardScaler())
    return KernelFamily("svm", classifier=classifier or SVC(), regressor=scaled, path=settings)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_every_trial_equals_the_plain_loop(name, classes):
    table, plan = case(name, classes)
    for ours, loop in compared(family(), table, plan):
        assert_same(ours, loop, 2e-3, near=1e-2)
        assert (ours.labels != loop.labels).mean() < 0.01


@pytest.mark.parametrize("name", ["mixed", "weights"])
def test_nothing_is_learned_from_blocks_left_out(name):
    table, plan = case(name, 3)
    assert leaks(family(), table, plan, np.random.default_rng(0), trials=4) is None


def test_a_larger_c_that_binds_nothing_is_not_fitted_again(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    table = plain(rng.normal(size=(120, 2)) + 8 * y[:, None], y, 2)
    plan = make_plan(table, blocks=4)
    fits = []
    plain_fit = svm._fit
    monkeypatch.setattr(svm, "_fit", lambda *given: fits.append(given) or plain_fit(*given))
    steps = tuple(Setting(f"C = {c:g}", {"kernel": "linear", "C": c}) for c in (10.0, 100.0, 1000.0))
    pairs = compared(family(settings=steps), table, plan)
    for ours, loop in pairs:
        assert_same(ours, loop, 2e-3)
    assert len(fits) == len(pairs)


@pytest.mark.parametrize("machine", [SVC(kernel="poly"), SVC(gamma="auto"), SVC(gamma=0.2)])
def test_other_kernels_and_widths(machine):
    table, plan = case("mixed", 3)
    one = family(machine, (Setting("C = 1", {"C": 1.0}),))
    for ours, loop in compared(one, table, plan):
        assert_same(ours, loop, 1e-6)


def test_large_training_parts_keep_no_matrix(monkeypatch):
    monkeypatch.setattr(svm, "_MOST_ROWS", 10)
    table, plan = case("mixed", 2)
    for ours, loop in compared(family(), table, plan):
        assert np.array_equal(ours.outputs, loop.outputs)
