"""The losses are scikit-learn's figures, setting by setting, with and without weights."""

from __future__ import annotations

import math
import pickle
import re

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.data.table import Task
from venire.errors import UsageError
from venire.metrics import Metric, Output, Predictions, default_metric, metric, metric_names
from venire.metrics.scores import every_loss

CLASSES, NUMBERS = Task.CLASSIFICATION, Task.REGRESSION
COSTS = [[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [3.0, 0.5, -1.0]]


def fold(classes: int, seed: int, rows: int = 60, levels: int | None = None):
    """Random truth, labels and probabilities of four settings; few `levels` make many ties."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(rows) % classes).astype(np.int32)
    probabilities = rng.dirichlet(np.ones(classes), size=(4, rows))
    if levels is not None:
        counts = rng.multinomial(levels, np.ones(classes) / classes, size=(4, rows))
        probabilities = (counts + 1) / (levels + classes)
    labels = probabilities.argmax(axis=2).astype(np.int32)
    return y, labels, probabilities, rng.uniform(0.1, 3, rows)


def sklearn_auc(y, p, w):
    score = p[:, 1] if p.shape[1] == 2 else p
    return 1 - reference.roc_auc_score(y, score, multi_class="ovr", sample_weight=w)


def sklearn_brier(y, p, w):
    distance = ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1)
    return np.average(distance, weights=w) / (2 if p.shape[1] == 2 else 1)


FROM_LABELS = {
    "error": lambda y, p, w: 1 - reference.accuracy_score(y, p, sample_weight=w),
    "balanced_error": lambda y, p, w: 1 - reference.balanced_accuracy_score(y, p, sample_weight=w),
    "f1": lambda y, p, w: 1 - reference.f1_score(y, p, average="macro", sample_weight=w),
}
FROM_PROBABILITIES = {
    "log_loss": lambda y, p, w: reference.log_loss(y, p, sample_weight=w),
    "brier": sklearn_brier,
    "auc": sklearn_auc,
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("levels", [None, 3])
@pytest.mark.parametrize("name", [*FROM_LABELS, *FROM_PROBABILITIES])
def test_classification_losses_equal_scikit_learn(name, levels, classes, weighted):
    y, labels, probabilities, weights = fold(classes, seed=classes, levels=levels)
    w = weights if weighted else None
    got = metric(name, CLASSES).losses(y, labels, probabilities, Output.PROBABILITIES, w)
    if name in FROM_LABELS:
        expected = [FROM_LABELS[name](y, said, w) for said in labels]
    else:
        expected = [FROM_PROBABILITIES[name](y, said, w) for said in probabilities]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_two_class_brier_equals_scikit_learn(weighted):
    y, labels, probabilities, weights = fold(2, seed=5)
    w = weights if weighted else None
    got = metric("brier", CLASSES).losses(y, labels, probabilities, Output.PROBABILITIES, w)
    expected = [reference.brier_score_loss(y, said[:, 1], sample_weight=w) for said in probabilities]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("positive", [0, 1])
def test_f1_of_the_positive_class_equals_scikit_learn(positive, weighted):
    y, labels, _, weights = fold(2, seed=3)
    w = weights if weighted else None
    got = metric("f1", CLASSES, positive=positive).losses(y, labels, None, Output.LABELS, w)
    expected = [1 - reference.f1_score(y, said, pos_label=positive, sample_weight=w) for said in labels]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("name", "sklearn_loss"),
    [
        ("rmse", lambda y, p, w: math.sqrt(reference.mean_squared_error(y, p, sample_weight=w))),
        ("mae", lambda y, p, w: reference.mean_absolute_error(y, p, sample_weight=w)),
        ("r2", lambda y, p, w: 1 - reference.r2_score(y, p, sample_weight=w)),
    ],
)
def test_regression_losses_equal_scikit_learn(name, sklearn_loss, weighted):
    rng = np.random.default_rng(8)
    y, said = rng.normal(3, 2, 50), rng.normal(3, 1, (4, 50, 1))
    w = rng.uniform(0, 2, 50) if weighted else None
    got = metric(name, NUMBERS).losses(y, None, said, Output.VALUES, w)
    expected = [sklearn_loss(y, values[:, 0], w) for values in said]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), rows=st.integers(2, 40), classes=st.integers(2, 4))
def test_auc_counts_won_pairs_with_ties_as_half(data, rows, classes):
    y = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)))
    scores = np.array(data.draw(st.lists(st.integers(-2, 2), min_size=rows * classes, max_size=rows * classes)))
    scores = scores.reshape(1, rows, classes).astype(float)
    areas = []
    for code in [1] if classes == 2 else range(classes):
        score = scores[0, :, 1] - scores[0, :, 0] if classes == 2 else scores[0, :, code]
        inside, outside = score[y == code], score[y != code]
        if inside.size and outside.size:
            gap = inside[:, None] - outside[None, :]
            areas.append(np.mean((gap > 0) + 0.5 * (gap == 0)))
    got = metric("auc", CLASSES).losses(y, None, scores, Output.SCORES)
    expected = 1 - np.mean(areas) if areas else np.nan
    np.testing.assert_allclose(got, [expected], atol=1e-12)


@pytest.mark.parametrize("rows", [1, 7, 8, 1001])
def test_log_loss_is_the_mean_of_single_logarithms_however_improbable_the_truth(rows):
    y, _, probabilities, _ = fold(3, seed=4, rows=rows)
    probabilities[0, np.arange(rows), y] = 0.0  # every row at the floor: the largest product there can be
    floor = np.finfo(np.float32).eps
    clipped = np.clip(probabilities, floor, 1)
    expected = (np.log(clipped.sum(axis=2)) - np.log(clipped[:, np.arange(rows), y])).mean(axis=1)
    got = metric("log_loss", CLASSES).losses(y, None, probabilities, Output.PROBABILITIES)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("levels", [None, 3])
def test_auc_in_single_precision_is_the_same_counted_or_weighed(levels):
    y, _, probabilities, _ = fold(3, seed=5, rows=501, levels=levels)
    probabilities = probabilities.astype(np.float32)
    counted = metric("auc", CLASSES).losses(y, None, probabilities, Output.PROBABILITIES)
    weighed = metric("auc", CLASSES).losses(y, None, probabilities, Output.PROBABILITIES, np.ones(len(y)))
    np.testing.assert_array_equal(counted, weighed)


def test_one_score_column_ranks_class_one():
    y = np.array([0, 0, 1, 1])
    rising = np.array([[[0.1], [0.4], [0.35], [0.8]]])
    assert metric("auc", CLASSES).losses(y, None, rising, Output.SCORES) == pytest.approx([0.25], abs=1e-15)


def test_whole_weights_count_rows_several_times():
    y, labels, probabilities, _ = fold(3, seed=1, rows=24, levels=4)
    times = np.random.default_rng(2).integers(0, 4, 24)
    for name in ("error", "balanced_error", "log_loss", "brier", "auc", "f1"):
        loss = metric(name, CLASSES).losses
        weighted = loss(y, labels, probabilities, Output.PROBABILITIES, times.astype(float))
        repeated = loss(
            np.repeat(y, times),
            np.repeat(labels, times, axis=1),
            np.repeat(probabilities, times, axis=1),
            Output.PROBABILITIES,
        )
        np.testing.assert_allclose(weighted, repeated, atol=1e-12, err_msg=name)


def test_cost_is_the_mean_entry_of_the_matrix():
    y, labels = np.array([0, 1, 2, 1]), np.array([[0, 0, 1, 2], [2, 1, 2, 1]], dtype=np.int32)
    loss = metric("cost", CLASSES, costs=COSTS)
    assert loss.losses(y, labels, None, Output.LABELS).tolist() == [
        (0 + 5 + 0.5 + 1) / 4,
        (2 + 0 - 1 + 0) / 4,
    ]
    assert loss.losses(y, labels, None, Output.LABELS, np.array([1.0, 0, 0, 0])).tolist() == [0, 2]


def test_a_class_absent_from_training_costs_much_but_not_infinity():
    outputs = np.array([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]], dtype=np.float32)
    (got,) = metric("log_loss", CLASSES).losses(np.array([2, 1]), None, outputs, Output.PROBABILITIES)
    eps = np.finfo(np.float32).eps
    assert got == pytest.approx((math.log((1 + 2 * eps) / eps) + math.log((1 + eps) / 0.5)) / 2, abs=1e-12)


@pytest.mark.parametrize("name", ["log_loss", "brier"])
@pytest.mark.parametrize("output", [Output.SCORES, Output.LABELS])
def test_members_without_probabilities_are_undefined(name, output):
    y, labels, outputs, _ = fold(2, seed=0)
    held = None if output is Output.LABELS else outputs
    assert np.isnan(metric(name, CLASSES).losses(y, labels, held, output)).tolist() == [True] * 4
    assert not metric(name, CLASSES).accepts(output)


def test_auc_is_over_the_classes_present():
    y, labels, outputs, _ = fold(3, seed=4)
    kept = y != 2
    got = metric("auc", CLASSES).losses(y[kept], labels[:, kept], outputs[:, kept], Output.PROBABILITIES)
    zero_or_one = [
        np.mean([reference.roc_auc_score(y[kept] == code, said[kept, code]) for code in (0, 1)]) for said in outputs
    ]
    np.testing.assert_allclose(got, 1 - np.array(zero_or_one), atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_auc_of_a_fold_with_one_class_is_undefined(classes):
    y, labels, outputs, _ = fold(classes, seed=4)
    got = metric("auc", CLASSES).losses(np.zeros_like(y), labels, outputs, Output.PROBABILITIES)
    assert np.isnan(got).all()


def test_a_score_that_is_not_a_number_spoils_its_own_setting_only():
    y, labels, outputs, _ = fold(2, seed=6)
    outputs[2, 5, 1] = np.nan
    for name in ("auc", "log_loss", "brier"):
        got = metric(name, CLASSES).losses(y, labels, outputs, Output.PROBABILITIES)
        assert np.isnan(got).tolist() == [False, False, True, False], name


def test_f1_without_a_positive_row_is_undefined_for_every_setting():
    labels = np.array([[0, 0, 0], [0, 1, 0]], dtype=np.int32)
    got = metric("f1", CLASSES, positive=1).losses(np.zeros(3, dtype=int), labels, None, Output.LABELS)
    assert np.isnan(got).all()


@pytest.mark.parametrize("y", [np.full(5, 0.1), np.array([2.0])])
def test_r2_of_equal_targets_is_undefined(y):
    said = np.zeros((3, len(y), 1))
    assert np.isnan(metric("r2", NUMBERS).losses(y, None, said, Output.VALUES)).all()


@pytest.mark.parametrize("name", ["error", "balanced_error", "log_loss", "brier", "auc", "f1"])
def test_a_fold_without_rows_that_count_is_undefined(name):
    y, labels, outputs, _ = fold(2, seed=0)
    loss = metric(name, CLASSES).losses
    assert np.isnan(loss(y[:0], labels[:, :0], outputs[:, :0], Output.PROBABILITIES)).all()
    assert np.isnan(loss(y, labels, outputs, Output.PROBABILITIES, np.zeros(len(y)))).all()


def test_a_setting_scores_the_same_alone_and_among_others():
    y, labels, outputs, weights = fold(3, seed=9, rows=1001)
    for name in ("error", "balanced_error", "log_loss", "brier", "auc", "f1"):
        known = metric(name, CLASSES)
        together = known.losses(y, labels, outputs.astype(np.float32), Output.PROBABILITIES, weights)
        for s in range(4):
            said = Predictions(labels[s], outputs[s].astype(np.float32), Output.PROBABILITIES)
            assert known.loss(y, said, weights) == together[s], name


def test_the_names_and_the_defaults_are_those_of_the_design():
    losses = ("error", "balanced_error", "log_loss", "brier", "auc", "f1", "cost")
    assert metric_names(CLASSES) == (*losses, "accuracy", "balanced_accuracy", "roc_auc")
    assert metric_names(NUMBERS) == ("rmse", "mae", "r2")
    assert (default_metric(CLASSES), default_metric(NUMBERS)) == ("error", "rmse")


SHOWN = [
    ("auc", "auc", "AUC", 0.75),
    ("roc_auc", "auc", "AUC", 0.75),
    ("f1", "f1", "F1", 0.75),
    ("error", "error", "error rate", 0.25),
    ("accuracy", "error", "accuracy", 0.75),
    ("balanced_error", "balanced_error", "balanced error", 0.25),
    ("balanced_accuracy", "balanced_error", "balanced accuracy", 0.75),
    ("log_loss", "log_loss", "log loss", 0.25),
]


@pytest.mark.parametrize(("asked", "loss", "label", "shown"), SHOWN)
def test_each_is_shown_as_the_figure_its_name_promises_and_is_a_loss_inside(asked, loss, label, shown):
    known = metric(asked, CLASSES)
    assert (known.name, known.shown_label, known.shown(0.25)) == (loss, label, shown)
    assert known.higher_is_better is (shown == 0.75)
    low, high = known.shown_interval(0.2, 0.4)
    assert low < high
    assert {low, high} == {known.shown(0.2), known.shown(0.4)}
    assert known.formula is metric(loss, CLASSES).formula


def test_a_metric_survives_pickling_and_is_equal_by_value():
    known = metric("cost", CLASSES, costs=np.array(COSTS))
    back = pickle.loads(pickle.dumps(known))  # noqa: S301 - bytes made on this very line
    assert isinstance(back, Metric)
    assert back == known == metric("cost", CLASSES, costs=COSTS)


@pytest.mark.parametrize(
    ("name", "task", "options", "message", "hint"),
    [
        ("acu", CLASSES, {}, "there is no metric 'acu' for classification$", "Did you mean 'auc'"),
        ("rmse", CLASSES, {}, r"no metric 'rmse' .* \(it is one for regression\)", "The choices are error, "),
        ("zzz", NUMBERS, {}, "no metric 'zzz' for regression", "^The choices are rmse, mae, r2"),
        ("cost", CLASSES, {}, "needs costs, and none were given", "one row an actual class"),
        ("cost", CLASSES, {"costs": [[0, 1]]}, "square matrix; they have 1 rows of length 2", "such as"),
        ("cost", CLASSES, {"costs": [[0, math.inf], [1, 0]]}, "not a finite number", "such as"),
        ("auc", CLASSES, {"costs": [[0, 1], [1, 0]]}, "metric 'auc' uses none", "Use metric 'cost'"),
    ],
)
def test_a_wrong_request_says_what_to_do(name, task, options, message, hint):
    with pytest.raises(UsageError, match=message) as caught:
        metric(name, task, **options)
    assert caught.value.hint is not None
    assert re.search(hint, caught.value.hint)


def test_costs_for_too_few_classes_are_refused():
    loss = metric("cost", CLASSES, costs=[[0, 1], [1, 0]])
    with pytest.raises(UsageError, match="for 2 classes, but the target has at least 3"):
        loss.losses(np.array([0, 2]), np.zeros((1, 2), dtype=np.int32), None, Output.LABELS)


def test_predictions_without_what_the_metric_needs_are_refused():
    said = Predictions(None, np.ones((3, 2)), Output.PROBABILITIES)
    with pytest.raises(UsageError, match="metric 'error' needs labels"):
        metric("error", CLASSES).loss(np.zeros(3), said)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("output", [Output.PROBABILITIES, Output.SCORES, Output.LABELS])
@pytest.mark.parametrize("positive", [None, 1])
def test_all_at_once_they_are_what_they_are_one_by_one(classes, output, positive):
    rng = np.random.default_rng(classes)
    outputs = rng.dirichlet(np.ones(classes), (4, 60)).astype(np.float32)
    labels, y = outputs.argmax(axis=2).astype(np.int16), rng.integers(0, classes, 60)
    found = every_loss(Task.CLASSIFICATION, positive, y, labels, outputs, output)
    scores = ("accuracy", "balanced_accuracy", "roc_auc")  # other names of losses that are there
    assert list(found) == [name for name in metric_names(Task.CLASSIFICATION) if name not in ("cost", *scores)]
    for name, losses in found.items():
        alone = metric(name, Task.CLASSIFICATION, positive=positive).losses(y, labels, outputs, output)
        assert np.array_equal(losses, alone, equal_nan=True)


def test_the_bounds_of_the_brier_score_are_those_of_its_formula():
    """Of two classes it is halved, so the worst is 1 and not 2."""
    worst = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    labels = np.array([[1, 0]], dtype=np.int32)
    two = metric("brier", CLASSES, positive=1)
    assert two.bounds == (0, 1)
    assert two.losses(np.array([0, 1]), labels, worst, Output.PROBABILITIES)[0] == two.bounds[1]
    many = metric("brier", CLASSES)
    wrong = np.array([[[0.0, 1.0, 0.0]]])
    assert many.losses(np.array([0]), labels[:, :1], wrong, Output.PROBABILITIES)[0] == many.bounds[1] == 2
