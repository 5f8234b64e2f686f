"""Where stores are kept: one folder each, named by the content of the files it was made of and by how they were read.

    <home>/columns/<name>/          a store (contents.py)
    <home>/columns/.<name>-*/       one that is being written, or was when its process was killed
    <home>/columns/files.json       the digests of files whose size and time have not changed since

A store appears whole or not at all: it is written under another name and renamed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from venire.data.store.column_writer import room_in
from venire.data.store.contents import FILE, FORMAT, read_contents, write_contents
from venire.data.store.room import free_on_disk
from venire.data.table import Table
from venire.disk.home import home
from venire.disk.locks import held, in_use, marked, signs
from venire.errors import DataError
from venire.wording import size

COLUMNS = "columns"
_OWNER = ".owner"
_DIGESTS = "files.json"
_PIECE = 1 << 22


@dataclass(frozen=True)
class Shelf:
    """The folder of all stores."""

    folder: Path

    @classmethod
    def below(cls, place: str | os.PathLike[str] | None) -> Shelf:
        """Beside the evidence: below this home, or the usual one."""
        return cls((home() if place is None else Path(place).absolute()) / COLUMNS)

    def table(self, files: Sequence[Path], how: str, needed: float, read: Callable[[Path], Table]) -> Table:
        """The table of these files, read in a way that `how` describes: from its store, which is made if there is none.

        `read` writes the columns into the folder that it is given; `needed` is how many bytes they take at most.
        """
        with room_in(self.folder / COLUMNS):
            self.folder.mkdir(parents=True, exist_ok=True)
        name = self._name(files, how)
        place = self.folder / name
        with held(self.folder / "lock"):
            if not (place / FILE).exists():
                self._sweep()
                self._require_room(needed)
                with self._new(name) as folder:
                    write_contents(read(folder), folder)
                    shutil.rmtree(place, ignore_errors=True)  # what somebody left of one
                    os.rename(folder, place)
                for sign in signs(place, _OWNER):
                    sign.unlink(missing_ok=True)
        return read_contents(place)

    def _name(self, files: Sequence[Path], how: str) -> str:
        digest = hashlib.blake2b(digest_size=12)
        known = self._known()
        fresh = {}
        for path in files:
            facts = path.stat()
            marks = [facts.st_size, facts.st_mtime_ns, facts.st_ino]
            entry = known.get(str(path.absolute()))
            if entry is None or entry[:3] != marks:
                entry = [*marks, _digest_of(path)]
            fresh[str(path.absolute())] = entry
            digest.update(f"{path.name}\0{entry[3]}\0".encode())
        if any(known.get(path) != entry for path, entry in fresh.items()):
            self._keep({**known, **fresh})
        digest.update(f"{FORMAT}\0{how}".encode())
        return digest.hexdigest()

    def _known(self) -> dict[str, list[object]]:
        try:
            found = json.loads((self.folder / _DIGESTS).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _keep(self, known: dict[str, list[object]]) -> None:
        with suppress(OSError):
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".files-")
            with os.fdopen(handle, "w") as file:
                json.dump(known, file)
            os.replace(name, self.folder / _DIGESTS)

    def _require_room(self, needed: float) -> None:
        free = free_on_disk(self.folder)
        if needed > free:
            raise DataError(
                f"the column store of the table takes up to {size(needed)}, and {size(free)} are free",
                code="no_room",
                file=str(self.folder),
                hint="make room there, or name another folder in the environment variable VENIRE_HOME",
            )

    @contextmanager
    def _new(self, name: str) -> Iterator[Path]:
        """A folder to write in, gone in the end unless it was renamed."""
        with room_in(self.folder / name):
            folder = Path(tempfile.mkdtemp(dir=self.folder, prefix=f".{name}-"))
        try:
            with marked(folder, _OWNER):
                yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove what killed processes left."""
        for folder in self.folder.glob(".*-*"):
            if folder.is_dir() and not in_use(folder, _OWNER):
                shutil.rmtree(folder, ignore_errors=True)


def _digest_of(path: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb", buffering=0) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
