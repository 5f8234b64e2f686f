from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from venire.disk.scratch import scratch_folder, sweep

WORKING = """
import time
from venire.disk.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "X.npy").write_bytes(b"a copy of the table")
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WORKING], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        folder = Path(owner.stdout.readline().strip())
        assert sweep() == []  # its owner lives
        assert (folder / "X.npy").exists()
        owner.send_signal(signal.SIGKILL)
        owner.wait(10)
    assert (folder / "X.npy").exists()
    with scratch_folder() as mine:
        assert list(tmp_path.iterdir()) == [mine]
    assert list(tmp_path.iterdir()) == []


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    stranger, new = tmp_path / "other-1", tmp_path / "venire-new"
    for folder in (stranger, new):
        folder.mkdir()
    (stranger / "1-a.owner").write_text("locked\n")
    (tmp_path / "venire-link").symlink_to(stranger)
    assert sweep() == []
    assert stranger.is_dir()
    assert new.is_dir()
