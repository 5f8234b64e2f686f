"""Support vector machines on shared kernel matrices, against scikit-learn's fits."""

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler

from tests.families.cases import CASES, assert_same, assert_same_bytes_in_threads, case, compared
from tests.validation.tables import plain
from venire.families import bucket, svm
from venire.families.svm import KernelFamily
from venire.models.svm import linear as support_lines
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Setting


def path(table):
    inside = "" if table.target.classes else "regressor__"
    pairs = [(kernel, c) for kernel in ("linear", "rbf") for c in (0.1, 1.0)]
    return tuple(Setting(f"{k}, {c:g}", {f"{inside}kernel": k, f"{inside}C": c}) for k, c in pairs)


def family(classifier=None, settings=path) -> KernelFamily:
    scaled = TransformedTargetRegressor(regressor=SupportVectorRegressor(), transformer=StandardScaler())
    return KernelFamily("svm", classifier=classifier or SupportVectorClassifier(), regressor=scaled, path=settings)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_every_trial_equals_the_plain_loop(name, classes):
    table, plan = case(name, classes)
    for ours, loop in compared(family(), table, plan):
        assert_same(ours, loop, 2e-3, near=1e-2)
        assert (ours.labels != loop.labels).mean() < 0.01


@pytest.mark.parametrize("name", ["mixed", "weights"])
def test_nothing_is_learned_from_folds_left_out(name):
    table, plan = case(name, 3)
    assert leaks(family(), table, plan, np.random.default_rng(0), trials=4) is None


@pytest.mark.parametrize("classes", [0, 3])
def test_trials_may_run_in_threads(classes):
    table, plan = case("mixed", classes)
    machines = next(each for each in bucket.default_bucket() if each.name == "svm")
    assert machines.in_threads(table)
    assert_same_bytes_in_threads(machines.with_path(machines.path(table)[2::3]), table, plan)


def test_a_larger_c_that_binds_nothing_is_not_fitted_again(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    table = plain(rng.normal(size=(120, 2)) + 8 * y[:, None], y, 2)
    plan = make_plan(table, folds=4)
    fits = []
    plain_fit = support_lines._by_libsvm
    monkeypatch.setattr(support_lines, "_by_libsvm", lambda *given: fits.append(given) or plain_fit(*given))
    steps = tuple(Setting(f"C = {c:g}", {"kernel": "linear", "C": c}) for c in (10.0, 100.0, 1000.0))
    prepared = family(settings=steps).prepare(table, plan)
    family(settings=steps).run(prepared, plan.trials[0])
    assert len(fits) == 1
    for ours, loop in compared(family(settings=steps), table, plan):
        assert_same(ours, loop, 2e-3)


# Columns that are the same leave rows of three classes exactly between two of them: rounding says how they vote.
HARD = [(name, k) for name in ("mixed", "weights", "constant and twice") for k in (0, 2, 3)][:-1]


@pytest.mark.parametrize(("name", "classes"), HARD)
def test_a_path_that_libsvm_does_not_solve(monkeypatch, name, classes):
    """Every C goes on from the plane of the last; the plain loop begins anew."""
    monkeypatch.setattr(support_lines, "_STEPS", 0)
    monkeypatch.setattr(support_lines, "_LEAST_STEPS", 1)
    table, plan = case(name, classes)
    inside = "" if classes else "regressor__"
    steps = tuple(
        Setting(f"C = {c:g}", {f"{inside}kernel": "linear", f"{inside}C": c}) for c in (0.01, 0.1, 1.0, 10.0, 100.0)
    )
    for ours, loop in compared(family(settings=steps), table, plan):
        assert_same(ours, loop, 2e-3, near=2e-2)


@pytest.mark.parametrize("gamma", ["auto", 0.2])
def test_other_widths(gamma):
    table, plan = case("mixed", 3)
    one = family(SupportVectorClassifier(gamma=gamma), (Setting("C = 1", {"C": 1.0}),))
    for ours, loop in compared(one, table, plan):
        assert_same(ours, loop, 1e-6)


def test_settings_in_any_order():
    table, plan = case("mixed", 2)
    order = [("rbf", 1.0), ("linear", 10.0), ("rbf", 0.1), ("linear", 0.1)]
    steps = tuple(Setting(f"{k}, {c:g}", {"kernel": k, "C": c}) for k, c in order)
    for ours, loop in compared(family(settings=steps), table, plan):
        assert_same(ours, loop, 2e-3, near=1e-2)


def test_large_training_parts_keep_no_matrix(monkeypatch):
    monkeypatch.setattr(svm, "_MOST_ROWS", 10)
    monkeypatch.setattr(support_lines, "_FEW_ROWS", 10)
    table, plan = case("mixed", 2)
    for ours, loop in compared(family(), table, plan):
        assert_same(ours, loop, 2e-3, near=1e-2)
        assert np.array_equal(ours.outputs[2:], loop.outputs[2:])


@pytest.mark.parametrize("name", ["mixed", "weights", "missing class"])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_of_a_large_table_landmarks_stand_for_the_kernel_in_trials_and_refit(name, classes, monkeypatch):
    monkeypatch.setattr(bucket.costs, "MOST_WITH_KERNEL", 100)
    monkeypatch.setattr(bucket, "_LANDMARKS", 30)
    table, plan = case(name, classes)
    scaled = TransformedTargetRegressor(regressor=SupportVectorRegressor(max_rows=60), transformer=StandardScaler())
    few = KernelFamily("svm", classifier=SupportVectorClassifier(max_rows=60), regressor=scaled, path=bucket._svm_path)
    assert few.path(table)[-1].label == "rbf by landmarks, C = 100"
    for ours, loop in compared(few, table, plan):
        assert_same(ours, loop, 1e-12)
        assert np.array_equal(ours.labels, loop.labels)
    assert leaks(few, table, plan, np.random.default_rng(0), trials=4) is None
    machine = few.refit(table, few.path(table)[-1], 3).steps[-1][1]
    assert len((machine if classes else machine.regressor_).landmarks_) <= 30
