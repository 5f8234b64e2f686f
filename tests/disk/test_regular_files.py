from __future__ import annotations

import os
from pathlib import Path

import pytest

from venire.disk.regular_files import NotAFile, content


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"all of it")
    assert content(tmp_path / "a") == b"all of it"


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe", tmp_path / "folder", Path(os.devnull)):
        with pytest.raises(NotAFile, match="is no regular file"):
            content(path)
    with pytest.raises(FileNotFoundError, match="gone"):
        content(tmp_path / "gone")
