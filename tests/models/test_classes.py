import numpy as np
import pytest

from venire.errors import DataError
from venire.models.classes import class_codes, codes_among, known_codes

TARGETS = {
    "narrow": np.array([7, -5, 7, 0]),
    "bytes": np.array([255, 0, 3], dtype=np.uint8),
    "wide": np.array([10**12, 3, -(10**12), 3]),
    "text": np.array(["b", "a", "b"]),
    "truths": np.array([True, False, True]),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_classes_are_in_order_and_codes_lead_back_to_them(kind):
    y = TARGETS[kind]
    classes, codes = class_codes(y)
    assert classes.dtype == y.dtype
    assert codes.dtype == np.int32
    np.testing.assert_array_equal(classes, np.unique(y))
    np.testing.assert_array_equal(classes[codes], y)
    np.testing.assert_array_equal(codes_among(classes, y), codes)


def test_many_rows_are_coded_like_few():
    y = np.random.default_rng(0).choice(["c", "a", "b"], 40_000)
    np.testing.assert_array_equal(codes_among(np.array(["a", "b", "c"]), y), np.unique(y, return_inverse=True)[1])


def test_a_stranger_is_named():
    assert known_codes(np.array(["a", "c"]), np.array(["c", "a"])).tolist() == [1, 0]
    with pytest.raises(DataError, match=r"labels \['b', 'z'\] in y do not exist in the initial classes"):
        known_codes(np.array(["a", "c"]), np.array(["b", "a", "z", "b"]))
