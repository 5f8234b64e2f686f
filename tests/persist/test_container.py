"""The bytes of a model file: what was written is read, and what was not written is refused."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

import numpy as np
import pytest

from benchmarks.reliability.model_files import parts, sealed
from venire.errors import ModelFormatError
from venire.persist import container
from venire.persist.container import packed, unpacked

ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.array([True, False, True]),
    np.zeros((0, 4), dtype=np.int32),
    np.array(7, dtype=np.uint8),
]


def remade(header: Any, data: bytes) -> bytes:
    """The file with another header, its lengths and checksum right."""
    head, _, arrays = parts(data)
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return sealed(head, text, arrays)


def test_what_is_packed_is_unpacked() -> None:
    content = unpacked(packed({"a": [1, None]}, ARRAYS))
    assert content.header == {"a": [1, None]}
    for given, found in zip(ARRAYS, content.arrays, strict=True):
        np.testing.assert_array_equal(given, found)
        assert given.dtype == found.dtype
        assert given.flags.f_contiguous == found.flags.f_contiguous


def test_the_same_content_gives_the_same_bytes() -> None:
    assert packed({"a": 1}, ARRAYS) == packed({"a": 1}, [array.copy(order="K") for array in ARRAYS])


def test_arrays_lie_at_aligned_offsets() -> None:
    data = packed({}, ARRAYS)
    _, text, arrays = parts(data)
    assert (len(data) - len(arrays) - 32) % 8 == 0
    assert all(entry[3] % 8 == 0 for entry in json.loads(text)["arrays"])


def test_every_byte_counts() -> None:
    data = packed({"a": 1}, ARRAYS[:1])
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        with pytest.raises(ModelFormatError, match=r"no model file|version|bytes|checksum"):
            unpacked(bytes(changed))


@pytest.mark.parametrize("length", [0, 10, 55, 80])
def test_a_file_that_ends_too_early_is_refused(length: int) -> None:
    with pytest.raises(ModelFormatError, match=r"it ends after|bytes long and should be"):
        unpacked(packed({"a": 1}, ARRAYS)[:length])


def test_another_version_is_refused_with_a_way_out() -> None:
    data = bytearray(packed({}, []))
    data[11] = 2
    with pytest.raises(ModelFormatError, match="version 2, and this is a venire that reads version 1") as caught:
        unpacked(bytes(data))
    assert caught.value.code == "model_version"
    assert "newer" in str(caught.value.hint)


def test_a_header_beyond_the_cap_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"a": "x" * 1000}, [])
    monkeypatch.setattr(container, "MOST_HEADER", 500)
    with pytest.raises(ModelFormatError, match="a header of 1024 bytes, which does not fit"):
        unpacked(data)
    with pytest.raises(ModelFormatError, match="MB fit in a file"):
        packed({"a": "x" * 1000}, [])


def test_a_header_longer_than_the_file_is_refused() -> None:
    data = bytearray(packed({}, []))
    struct.pack_into("<I", data, 12, 10**6)
    body = bytes(data[:-32])
    with pytest.raises(ModelFormatError, match="which does not fit"):
        unpacked(body + hashlib.sha256(body).digest())


HEADERS: list[tuple[Any, str]] = [
    (b"{", "its header cannot be read"),
    (b"[" * 5000 + b"]" * 5000, "its header cannot be read"),
    (b"\xff\xfe", "its header cannot be read"),
    (b'{"arrays": [], "arrays": []}', "a name stands twice"),
    (b'{"arrays": [], "a": NaN}', "NaN is no number"),
    (b'{"arrays": [], "a": ' + b"9" * 5000 + b"}", "its header cannot be read"),
    ([], "its header is no object"),
    ({}, "the header lists no arrays"),
    ({"arrays": [1]}, "array 0 is not described"),
    ({"arrays": [["<f8", [2], "C"]]}, "array 0 is not described"),
    ({"arrays": [["|O8", [2], "C", 0]]}, "array 0 is of a type that is not known"),
    ({"arrays": [[["<f8"], [2], "C", 0]]}, "array 0 is of a type that is not known"),
    ({"arrays": [["<f8", [2], "K", 0]]}, "array 0 is of a type that is not known"),
    ({"arrays": [["<f8", 2, "C", 0]]}, "array 0 has no shape"),
    ({"arrays": [["<f8", [-1], "C", 0]]}, "array 0 has no shape"),
    ({"arrays": [["<f8", [True], "C", 0]]}, "array 0 has no shape"),
    ({"arrays": [["<f8", [1, 1, 1, 1, 1], "C", 0]]}, "array 0 has no shape"),
    ({"arrays": [["<f8", [1], "C", -8]]}, "array 0 has no shape"),
    ({"arrays": [["<f8", [1], "C", 4]]}, "array 0 of shape 1 does not lie within the file"),
    ({"arrays": [["<f8", [10**6], "C", 0]]}, "array 0 of shape 1000000 does not lie within the file"),
    ({"arrays": [["<f8", [2**40, 2**40], "C", 0]]}, "does not lie within the file"),
    ({"arrays": [["<f8", [2**62, 0], "C", 0]]}, "does not lie within the file"),
]


@pytest.mark.parametrize(("header", "wrong"), HEADERS)
def test_a_header_that_describes_no_file_is_refused(header: Any, wrong: str) -> None:
    with pytest.raises(ModelFormatError, match=wrong):
        unpacked(remade(header, packed({}, ARRAYS[:1])))


def test_truth_values_are_true_or_false() -> None:
    data = packed({}, [np.array([2], dtype=np.uint8)])
    with pytest.raises(ModelFormatError, match="neither true nor false"):
        unpacked(remade({"arrays": [["|b1", [1], "C", 0]]}, data))
