"""Packed files are bounded; no room for a copy, and what is no file, are one clear error."""

import gzip
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import zstandard

from venire.data import conform, read_table
from venire.data.readers import unpacking
from venire.errors import DataError, UsageError

HEADER = b"x,y\n"
LINES = b"1,a\n2,b\n" * 400_000  # 3.2 MB that packs to a few kilobytes
PACK = {"gz": gzip.compress, "zst": zstandard.compress}


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "ALWAYS_ALLOWED", 1_000_000)


@pytest.mark.usefixtures("low")
@pytest.mark.parametrize("ending", PACK)
def test_a_small_file_that_unpacks_to_very_much_is_refused(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.csv.{ending}"
    path.write_bytes(PACK[ending](HEADER + LINES))
    assert path.stat().st_size < 10_000
    said = r"unpacks to more than 0\.001 GB \(1 GB|unpacks to more than"
    with pytest.raises(DataError, match=said) as caught:
        read_table(path, "y")
    assert (caught.value.code, caught.value.file) == ("unpacks_too_large", str(path))
    assert caught.value.hint is not None
    assert "max_unpacked=" in caught.value.hint
    table = read_table(path, "y", max_unpacked=0.01)
    assert table.rows == 800_000
    with pytest.raises(DataError, match=r"unpacks to more than 0\.002 GB"):
        read_table(path, "y", max_unpacked=0.002)
    with pytest.raises(DataError, match="unpacks to more than"):
        conform(path, table.columns)
    assert len(conform(path, table.columns, max_unpacked=0.01).X) == 800_000


@pytest.mark.usefixtures("low")
@pytest.mark.parametrize("ending", PACK)
def test_a_file_that_is_packed_as_files_are_may_be_large(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.csv.{ending}"
    lines = "".join(f"{(i * 7919) % 104729 / 7},{'ab'[i % 2]}\n" for i in range(60_000)).encode()
    path.write_bytes(PACK[ending](HEADER + lines))
    assert path.stat().st_size * 100 > len(lines) > 1_000_000
    assert read_table(path, "y").rows == 60_000


@pytest.mark.parametrize("wrong", [0, -1, "8 GB", float("nan")])
def test_the_limit_is_a_number(wrong: object, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="max_unpacked must be a number of gigabytes above 0"):
        read_table(tmp_path / "t.csv", max_unpacked=wrong)


@pytest.mark.skipif(os.name != "posix", reason="limits of a process are POSIX")
def test_no_room_for_a_copy_is_one_clear_error_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(HEADER + LINES))
    folder = tmp_path / "temporary"
    folder.mkdir()
    code = (
        "import resource, sys\n"
        "from venire.data import read_table\n"
        "from venire.errors import DataError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))\n"
        "try:\n    read_table(sys.argv[1], 'y')\n"
        "except DataError as error:\n    print(error.code, error, error.hint)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "t.csv.gz"],
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("no_room there is no room for a copy of the table in the temporary folder")
    assert str(folder) in ran.stdout
    assert "TMPDIR" in ran.stdout
    assert list(folder.iterdir()) == []


def test_a_temporary_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_bytes(HEADER + LINES[:800])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="cannot be written to") as caught:
        read_table(tmp_path / "t.csv", "y")
    assert caught.value.code == "no_room"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices are POSIX")
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "/dev/null"])
def test_a_device_is_no_table(name: str) -> None:
    with pytest.raises(DataError, match="this is a device, not a file") as caught:
        read_table(name)
    assert caught.value.code == "not_a_file"


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="sockets with a path are POSIX")
def test_a_socket_is_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind("s.csv")
        with pytest.raises(DataError, match="this is a socket, not a file"):
            read_table("s.csv")


@pytest.mark.parametrize("text", ["x,y\n" + "1,a\n" * 500, "x,y\0\n1,a\n"])
def test_the_text_of_a_table_is_no_path(text: str) -> None:
    with pytest.raises(DataError, match="this is no path of a file") as caught:
        read_table(text)
    assert caught.value.code == "missing_file"
    assert len(str(caught.value)) < 300
