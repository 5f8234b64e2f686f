"""What labels and probabilities lose, against the formulas written out in numpy."""

import numpy as np
import pytest

from venire._core import label_counts, log_losses, squared_losses, wrong_labels

FLOOR = 1e-6


def shares_of(rng, settings, rows, classes, dtype):
    """Some of them certain, and wrong."""
    raw = np.exp(4 * rng.normal(size=(settings, rows, classes)))
    raw[rng.random(raw.shape) < 0.1] = 0.0
    return (raw / np.maximum(raw.sum(axis=2, keepdims=True), 1e-300)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [1, 2, 3, 11])
@pytest.mark.parametrize(("settings", "rows"), [(1, 1), (3, 7), (4, 8), (5, 511), (9, 1030)])
@pytest.mark.parametrize("weighed", [False, True])
def test_probabilities_lose_what_the_formulas_say(dtype, classes, settings, rows, weighed):
    rng = np.random.default_rng(rows)
    shares = shares_of(rng, settings, rows, classes, dtype)
    y = rng.integers(0, classes, rows).astype(np.int32)
    weights = rng.lognormal(size=rows) if weighed else None
    exact = shares.astype(np.float64)
    clipped = np.clip(exact, np.float64(dtype(FLOOR)), 1.0)
    right = np.take_along_axis(clipped / clipped.sum(axis=2, keepdims=True), y[None, :, None], axis=2)[:, :, 0]
    distance = np.square(exact - np.eye(classes)[y]).sum(axis=2)
    each = np.ones(rows) if weights is None else weights
    logs, squares = log_losses(shares, y, weights=weights, floor=FLOOR), squared_losses(shares, y, weights=weights)
    np.testing.assert_allclose(logs, (-np.log(right) * each).sum(axis=1), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(squares, (distance * each).sum(axis=1), rtol=1e-12)
    for s in range(settings):  # to the bit, whoever else is counted
        assert log_losses(shares[s : s + 1], y, weights=weights, floor=FLOOR)[0] == logs[s]
        assert squared_losses(shares[s : s + 1], y, weights=weights)[0] == squares[s]


@pytest.mark.parametrize("dtype", [np.int16, np.int32])
@pytest.mark.parametrize("classes", [1, 2, 3, 40])
@pytest.mark.parametrize("rows", [1, 9, 700])
@pytest.mark.parametrize("weighed", [False, True])
def test_labels_are_counted(dtype, classes, rows, weighed):
    rng = np.random.default_rng(rows)
    labels = rng.integers(0, classes, (5, rows)).astype(dtype)
    y = rng.integers(0, classes, rows).astype(np.int32)
    weights = rng.integers(0, 4, rows).astype(np.float64) if weighed else None
    each = np.ones(rows) if weights is None else weights
    given, right = label_counts(labels, y, weights=weights, classes=classes)
    for c in range(classes):
        assert np.array_equal(given[:, c], ((labels == c) * each).sum(axis=1))
        assert np.array_equal(right[:, c], ((labels == c) * (y == c) * each).sum(axis=1))
    assert np.array_equal(wrong_labels(labels, y), (labels != y).sum(axis=1))


def test_what_does_not_fit_is_refused():
    labels, y = np.zeros((2, 5), np.int16), np.zeros(4, np.int32)
    with pytest.raises(ValueError, match="one class a row"):
        wrong_labels(labels, y)
    with pytest.raises(ValueError, match="one class a row"):
        label_counts(labels, y, weights=None, classes=1)
    with pytest.raises(ValueError, match=r"a label is not in 0\.\.classes-1"):
        label_counts(labels + np.int16(3), np.zeros(5, np.int32), weights=None, classes=2)
    with pytest.raises(ValueError, match=r"a class is not in 0\.\.classes-1"):
        squared_losses(np.zeros((1, 4, 2)), y + 2, weights=None)
