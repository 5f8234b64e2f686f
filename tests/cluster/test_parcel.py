"""A value in two parts: arrays in a file that is what its label says, and a short rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from venire.cluster.parcel import CHUNK, Parcel, opened, whole

pytest.importorskip("distributed")


def value() -> dict[str, object]:
    rng = np.random.default_rng(0)
    return {
        "X": np.asfortranarray(rng.normal(size=(1001, 3))),
        "y": np.arange(7),
        "none": np.empty(0),
        "words": ["a", "b"],
    }


def test_a_parcel_is_opened_to_what_was_packed(tmp_path: Path) -> None:
    parcel, file = Parcel(value()), tmp_path / "arrays"
    parcel.write(file)
    assert whole(file, parcel.label)
    found = opened(parcel.rest, parcel.label, file)
    for name, wanted in value().items():
        np.testing.assert_array_equal(found[name], wanted)
    assert found["X"].flags.f_contiguous
    assert len(parcel.rest) < 2000  # no array is in it
    assert [path.name for path in tmp_path.iterdir()] == ["arrays"]


def test_chunks_make_the_file_and_equal_values_have_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parcel = Parcel(value())
    parcel.write(tmp_path / "arrays")
    monkeypatch.setattr("venire.cluster.parcel.CHUNK", 1000)
    parts = [parcel.chunk(start) for start in range(0, parcel.label.size, 1000)]
    assert max(map(len, parts)) == 1000
    assert b"".join(parts) == (tmp_path / "arrays").read_bytes()
    assert Parcel(value()).key == parcel.key
    assert Parcel({**value(), "y": np.arange(1, 8)}).label.digest != parcel.label.digest
    assert CHUNK <= 32 * 2**20


def test_a_file_that_is_not_what_its_label_says_is_found_out(tmp_path: Path) -> None:
    parcel, file = Parcel(value()), tmp_path / "arrays"
    assert not whole(file, parcel.label)
    parcel.write(file)
    held = bytearray(file.read_bytes())
    held[100] ^= 1
    file.write_bytes(held)
    assert not whole(file, parcel.label)
    file.write_bytes(held[:-1])
    assert not whole(file, parcel.label)


def test_what_is_written_to_an_array_stays_in_the_process(tmp_path: Path) -> None:
    parcel, file = Parcel(value()), tmp_path / "arrays"
    parcel.write(file)
    opened(parcel.rest, parcel.label, file)["X"][0] = 5.0
    assert whole(file, parcel.label)
