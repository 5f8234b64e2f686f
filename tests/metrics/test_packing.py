from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from venire.metrics.packing import Form, as_it_is, completed, in_bits, shortened
from venire.metrics.predictions import Output


def back(form: Form, kept: NDArray[np.generic]) -> NDArray[np.generic]:
    """As if from a file."""
    return form.read(np.frombuffer(kept.tobytes(), np.uint8), form.shape[0])


def shares(*shape: int) -> NDArray[np.float32]:
    second = np.random.default_rng(0).random(shape)
    return np.stack([1 - second, second], axis=-1).astype(np.float32)


@pytest.mark.parametrize("shape", [(3, 17), (1, 5), (4, 0), (0, 4)])
def test_two_shares_take_four_bytes(shape: tuple[int, int]) -> None:
    given = completed(shares(*shape), Output.PROBABILITIES)
    form, kept = shortened(given, Output.PROBABILITIES)
    assert (form.name, form.stride, kept.nbytes) == ("shares of two", 4 * shape[1], 4 * shape[0] * shape[1])
    assert back(form, kept).tobytes() == given.tobytes()
    assert back(form, kept).shape == given.shape


def test_shares_that_were_rounded_apart_are_kept_as_they_are() -> None:
    given = shares(2, 100)
    form, kept = shortened(given, Output.PROBABILITIES)
    assert (form.name, kept.nbytes) == ("<f4", given.nbytes)
    assert back(form, kept).tobytes() == given.tobytes()


def test_labels_as_outputs_are_shares() -> None:
    given = np.eye(2, dtype=np.float32)[[[0, 1, 1]]]
    form, kept = shortened(given, Output.LABELS)
    assert form.name == "shares of two"
    assert back(form, kept).tobytes() == given.tobytes()


def test_scores_take_four_bytes_where_they_are_mirrored() -> None:
    scores = np.array([[-0.0, 0.0, 2.5, np.nan, np.inf]], np.float32)
    given = np.stack([-scores, scores], axis=2)
    form, kept = shortened(given, Output.SCORES)
    assert form.name == "scores of two"
    assert back(form, kept).tobytes() == given.tobytes()
    given[0, 2, 0] = 2.5
    form, kept = shortened(given, Output.SCORES)
    assert form.name == "<f4"
    assert back(form, kept).tobytes() == given.tobytes()


@pytest.mark.parametrize(
    "given",
    [np.full((2, 3, 3), 1 / 3, np.float32), np.full((2, 3, 1), 0.5, np.float32), np.full((2, 3, 2), 0.5)],
    ids=["three classes", "one class", "double precision"],
)
def test_all_else_is_kept_as_it_is(given: NDArray[np.generic]) -> None:
    form, kept = shortened(given, Output.PROBABILITIES)
    assert form == as_it_is(given)[0]
    assert completed(given, Output.PROBABILITIES) is given
    assert back(form, kept).tobytes() == given.tobytes()
    assert back(form, kept).dtype == given.dtype


def test_other_orders_of_memory_are_the_same_numbers() -> None:
    given = completed(shares(4, 9), Output.PROBABILITIES)
    turned = np.asfortranarray(given)
    assert shortened(turned, Output.PROBABILITIES)[1].tobytes() == shortened(given, Output.PROBABILITIES)[1].tobytes()
    assert back(*as_it_is(given.astype(">f4"))).tobytes() == given.tobytes()
    labels = np.asfortranarray(np.array([[0, 1, 1], [1, 0, 0]], np.int16))
    assert np.array_equal(back(*in_bits(labels)), labels)


def test_completing_leaves_a_guarded_array_alone() -> None:
    given = shares(2, 50)
    given.flags.writeable = False
    before = given.copy()
    mended = completed(given, Output.PROBABILITIES)
    assert np.array_equal(given, before)
    assert not np.array_equal(mended, before)
    assert shortened(mended, Output.PROBABILITIES)[0].name == "shares of two"
    assert completed(given, Output.SCORES) is given


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (np.array([[0, 1, 1]], np.int16), "bits"),
        (np.zeros((3, 20), np.int16), "bits"),
        (np.zeros((3, 0), np.int16), "bits"),
        (np.array([[0, 2]], np.int16), "<i2"),
        (np.array([[0, 1]], np.int64), "<i8"),
    ],
)
def test_labels_of_two_classes_are_bits(labels: NDArray[np.generic], name: str) -> None:
    form, kept = in_bits(labels)
    assert form.name == name
    assert kept.nbytes == form.stride * len(labels)
    assert np.array_equal(back(form, kept), labels)
    assert back(form, kept).dtype == labels.dtype


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_one_setting_is_read_alone(classes: int) -> None:
    rng = np.random.default_rng(classes)
    outputs = completed(shares(5, 13) if classes == 2 else rng.random((5, 13, classes)), Output.PROBABILITIES)
    labels = rng.integers(0, classes, (5, 13)).astype(np.int16)
    for given, (form, kept) in ((outputs, shortened(outputs, Output.PROBABILITIES)), (labels, in_bits(labels))):
        raw = np.frombuffer(kept.tobytes(), np.uint8)
        for setting in range(5):
            alone = form.read(raw[setting * form.stride : (setting + 1) * form.stride], 1)
            assert np.array_equal(alone[0], given[setting])
