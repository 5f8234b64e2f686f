from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from venire.ensembles.output_codes import OutputCodes, exhaustive_code, least_distance, random_code
from venire.errors import DataError, UsageError

X, Y = load_iris(return_X_y=True)
DIGITS = load_digits(return_X_y=True)


@pytest.mark.parametrize("classes", [2, 3, 5, 8])
def test_an_exhaustive_code_has_every_division_once(classes: int) -> None:
    book = exhaustive_code(classes)
    assert book.shape == (classes, 2 ** (classes - 1) - 1)
    assert len({tuple(bit) for bit in book.T}) == book.shape[1]
    assert not any((bit == bit[0]).all() for bit in book.T)
    assert least_distance(book) == 2 ** (classes - 2) if classes > 2 else least_distance(book) == 1


@pytest.mark.parametrize(("classes", "bits"), [(3, 2), (3, 5), (10, 4), (10, 30), (26, 39)])
def test_a_random_code_tells_all_classes_apart(classes: int, bits: int) -> None:
    book = random_code(classes, bits, np.random.default_rng(0))
    assert book.shape == (classes, bits)
    assert least_distance(book) >= 1
    assert not any((bit == bit[0]).all() for bit in book.T)


def test_wrong_bits_are_corrected() -> None:
    x, y = DIGITS
    codes = OutputCodes(GaussianNB(), code="exhaustive").fit(x[:400, ::2], np.minimum(y[:400], 5))
    said = codes.bits(x[400:800, ::2]) > 0.5
    words = codes.code_book_[codes.predict(x[400:800, ::2])]
    right = codes.predict(x[400:800, ::2]) == np.minimum(y[400:800], 5)
    assert ((said != words).sum(axis=1)[right] > 0).mean() > 0.1


def test_labels_only_means_the_nearest_word() -> None:
    hard = OutputCodes(_Labels(), code="exhaustive").fit(X, Y)
    bits = hard.bits(X)
    assert set(np.unique(bits)) <= {0.0, 1.0}
    distance = np.abs(bits[:, None, :] - hard.code_book_[None]).sum(axis=2)
    assert (distance[np.arange(150), hard.predict(X)] == distance.min(axis=1)).all()
    assert hard.score(X, Y) > 0.9


class _Labels(GaussianNB):
    """A learner that keeps its probabilities to itself."""

    @property
    def predict_proba(self) -> None:
        raise AttributeError


def test_probabilities_and_weights() -> None:
    codes = OutputCodes(GaussianNB(), random_state=0).fit(X, Y, sample_weight=np.where(Y == 1, 2.0, 1.0))
    assert np.allclose(codes.predict_proba(X).sum(axis=1), 1)
    assert (codes.classes_[codes.predict_proba(X).argmax(axis=1)] == codes.predict(X)).all()
    assert OutputCodes(LinearSVC(), random_state=0).fit(X, Y).score(X, Y) > 0.8


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="an exhaustive code for 12 classes has 2047 bits"):
        exhaustive_code(12)
    with pytest.raises(UsageError, match="'code_size' parameter of OutputCodes must be"):
        OutputCodes(code_size=0).fit(X, Y)
    with pytest.raises(DataError, match="at least two classes"):
        OutputCodes().fit(X, np.zeros(150, dtype=int))
