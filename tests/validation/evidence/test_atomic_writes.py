"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from venire.validation.evidence.atomic_writes import write_atomically, write_once


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    """A part of a file that nobody finished, or somebody on another machine is about to."""
    path = tmp_path / "file"
    other = tmp_path / f".file.{os.getpid()}-{threading.get_ident()}.part"
    other.write_bytes(b"theirs")
    write_atomically(path, b"new", b" and more")
    assert (path.read_bytes(), other.read_bytes()) == (b"new and more", b"theirs")
    assert sorted(tmp_path.iterdir()) == sorted([path, other])


def test_files_are_their_owner_s(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").stat().st_mode & 0o077 == 0


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]


@pytest.mark.parametrize("links", [True, False])
def test_the_first_to_write_once_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    def unable(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    if not links:
        monkeypatch.setattr("os.link", unable)
    path = tmp_path / "file"
    assert write_once(path, b"mine", b" and more")
    assert not write_once(path, b"theirs")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"mine and more"]
