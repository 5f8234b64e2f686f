"""Models along a path, told of in one pass, against the same models one by one."""

import numpy as np
import pytest

from venire.models.bayes.model import BayesModel
from venire.models.bayes.path import BayesPath
from venire.models.bayes.sums import Columns, Sums


def learned(rows, *, numbers, codes, classes, gaps, rng):
    """A matrix of numbers and codes, and what all but its last third says about each class."""
    X = np.hstack([rng.normal(size=(rows, numbers)) * 3 + 1e8, rng.integers(0, 4, (rows, codes))])
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, classes, rows).astype(np.int32)
    X[:, :numbers] += y[:, None]
    seen = np.arange(rows) < rows * 2 // 3
    numeric, categorical = (np.arange(*ends, dtype=np.uint32) for ends in ((0, numbers), (numbers, numbers + codes)))
    columns = Columns(numeric, categorical, np.empty(0, dtype=np.uint32))
    empty = Sums.empty(columns, classes).with_categories(np.full(codes, 3))  # the fourth category is unseen
    return X, empty.add(X[seen], y[seen], None, None, 1)


def shares_of(joint):
    joint = joint - joint.max(axis=1, keepdims=True)
    return np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("numbers", "codes", "classes", "smoothings"),
    [
        (5, 0, 2, [(1.0, 10.0**-k) for k in range(12)]),  # 12 models: two groups abreast, and two alone
        (3, 2, 4, [(10.0**-k, 1e-9) for k in range(4)]),  # the same Gaussians for all
        (0, 3, 3, [(2.0, 1e-9), (0.0, 1e-9)]),
        (1, 1, 10, [(1.0, 0.5)]),
    ],
)
def test_the_path_says_what_its_models_say(numbers, codes, classes, smoothings, order, gaps):
    rng = np.random.default_rng(numbers + 10 * codes)
    X, sums = learned(203, numbers=numbers, codes=codes, classes=classes, gaps=gaps, rng=rng)
    rows = rng.permutation(203)[:101]  # not a multiple of what is taken together
    known = np.arange(classes) * 2 + 1  # among twice as many classes
    given = np.asarray(X, order=order)
    shares, labels = BayesPath.learned(sums, smoothings).predict_path(given, rows, known, 2 * classes + 1, lambda: None)
    assert not shares[:, :, ::2].any()
    for s, (alpha, smoothing) in enumerate(smoothings):
        joint = BayesModel.learned(sums, None, alpha, smoothing).joint(np.ascontiguousarray(X[rows]), 1)
        np.testing.assert_allclose(shares[s, :, 1::2], shares_of(joint), rtol=2e-6, atol=1e-45)
        assert np.array_equal(labels[s], known[joint.argmax(axis=1)])


@pytest.mark.parametrize("models", [1, 4, 5, 9, 10, 27])
@pytest.mark.parametrize("rows", [1, 7, 8, 41])
def test_two_classes_that_are_all_there_are_get_the_same_bits(models, rows):
    rng = np.random.default_rng(models)
    X, sums = learned(203, numbers=6, codes=0, classes=2, gaps=rows > 7, rng=rng)
    path = BayesPath.learned(sums, [(1.0, float(share)) for share in np.logspace(0, -9, models)])
    some = rng.permutation(203)[:rows]
    shares, labels = path.predict_path(X, some, np.arange(2), 2, lambda: None)
    turned, others = path.predict_path(X, some, np.array([3, 1]), 5, lambda: None)
    assert shares.tobytes() == np.ascontiguousarray(turned[:, :, [3, 1]]).tobytes()
    assert np.array_equal(np.array([3, 1])[labels], others)
    for model in range(models):
        alone = BayesPath.learned(sums, [(1.0, float(np.logspace(0, -9, models)[model]))])
        assert alone.predict_path(X, some, np.arange(2), 2, lambda: None)[0].tobytes() == shares[model].tobytes()


def test_a_value_beyond_all_reason_leaves_shares_finite():
    rng = np.random.default_rng(0)
    X, sums = learned(60, numbers=2, codes=0, classes=3, gaps=False, rng=rng)
    X[0, 0] = 1e200
    shares, labels = BayesPath.learned(sums, [(1.0, 1e-9)]).predict_path(
        X, np.array([0]), np.arange(3), 3, lambda: None
    )
    np.testing.assert_allclose(shares[0, 0], 1 / 3)
    assert labels[0, 0] == 0


def test_who_wants_to_stop_is_asked_before_every_step():
    class Enough(Exception):
        pass

    def stop():
        raise Enough

    X, sums = learned(60, numbers=2, codes=0, classes=2, gaps=False, rng=np.random.default_rng(0))
    with pytest.raises(Enough, match=r"^$"):
        BayesPath.learned(sums, [(1.0, 1e-9)]).predict_path(X, np.arange(60), np.arange(2), 2, stop)
