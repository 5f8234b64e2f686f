"""Evidence: what trials predicted of rows they had not seen. Append-only, one checksummed file a trial.

    <home>/runs/<run key>/run.json                     what was dealt and from where
    <home>/runs/<run key>/<family>-<definition>/<trial key>.trial

A trial file is a checksum and a line of JSON (what it is, its arrays) followed by the raw arrays. It is
written under another name and renamed, so that a crash leaves a whole file or none; a damaged file is put aside and
the trial is run again. Reading never executes anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Output
from venire.validation.definitions import described
from venire.validation.family import Family, Outcome, Setting
from venire.validation.plan import Trial

_MAGIC = b"venire trial 3\n"


class Damaged(Exception):
    """A trial file that is not what it says."""


@dataclass(frozen=True)
class FamilyKey:
    """A family as evidence knows it: a changed definition or path is another family."""

    name: str
    digest: str

    @classmethod
    def of(cls, family: Family, settings: tuple[Setting, ...]) -> FamilyKey:
        """The key of a family with its path resolved for a table."""
        text = family.definition() + described([(s.label, sorted(s.params.items())) for s in settings])
        return cls(family.name, hashlib.blake2b(text.encode(), digest_size=6).hexdigest())

    def __str__(self) -> str:
        return f"{self.name}-{self.digest}"


@dataclass(frozen=True)
class Evidence:
    """The outcomes of one run's trials, on disk."""

    folder: Path

    def path(self, family: FamilyKey, trial: Trial) -> Path:
        """The file of one trial."""
        return self.folder / str(family) / f"{trial.key}.trial"

    def has(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether the trial was finished before."""
        return self.path(family, trial).exists()

    def put(self, family: FamilyKey, trial: Trial, outcome: Outcome) -> None:
        """Keep an outcome; the file appears whole or not at all."""
        path, parts = self.path(family, trial), _pack(family, trial, outcome)
        try:
            write_atomically(path, *parts)
        except FileNotFoundError:  # the first of its family
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, *parts)

    def get(self, family: FamilyKey, trial: Trial) -> Record:
        """What was kept of a trial; `Damaged` when the file is not one, or of another."""
        record = Record(self.path(family, trial))
        if (record.family, record.trial) != (family, trial):
            raise Damaged(f"{self.path(family, trial).name} is of another trial: {record.family}, {record.trial}")
        return record

    def intact(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether a finished trial can be used; a damaged file is put aside so that the trial runs again."""
        if not self.has(family, trial):
            return False
        try:
            self.get(family, trial).verify()
        except Damaged:
            path = self.path(family, trial)
            path.replace(path.with_suffix(".damaged"))
            return False
        return True


def write_atomically(path: Path, *parts: bytes | memoryview) -> None:
    """Write beside the goal and rename, so that a reader sees the old file or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(parts)  # not synced: after a power cut the checksum tells, and the trial runs again
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pack(family: FamilyKey, trial: Trial, outcome: Outcome) -> list[bytes | memoryview]:
    """The parts of a trial file, the arrays as they lie in memory."""
    arrays: dict[str, NDArray[Any]] = {"outputs": outcome.outputs, "labels": outcome.labels}
    arrays |= {f"training/{name}": np.asarray(values, np.float64) for name, values in outcome.training.items()}
    body = [_bytes(np.ascontiguousarray(a, a.dtype.newbyteorder("<"))) for a in arrays.values()]
    header = {
        "family": family.name,
        "definition": family.digest,
        "repeat": trial.repeat,
        "train": trial.train,
        "test": trial.test,
        "output": str(outcome.output),
        "arrays": [[name, a.dtype.newbyteorder("<").str, list(a.shape)] for name, a in arrays.items()],
        "warnings": outcome.warnings,
        "seconds": outcome.seconds,
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    return [_MAGIC, _checksum(text, *body), b"\n", text, b"\n", *body]


def _bytes(array: NDArray[Any]) -> bytes | memoryview:
    return array.reshape(-1).view(np.uint8).data if array.size else b""


class Record:
    """A trial file whose header has been read: gives the whole outcome, or one setting without reading the others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with path.open("rb") as file:
                magic, self._checksum, self._text = file.readline(64), file.readline(64).strip(), file.readline()
                self._start = file.tell()
                self._size = file.seek(0, os.SEEK_END) - self._start
        except FileNotFoundError as error:
            raise Damaged(f"there is no trial file {path.name}") from error
        if magic != _MAGIC or not self._text.endswith(b"\n"):
            raise Damaged(f"{path.name} is no trial file")
        try:
            self._read_header(json.loads(self._text))
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"the header of {path.name} cannot be read") from error

    def _read_header(self, header: Mapping[str, Any]) -> None:
        self.family = FamilyKey(header["family"], header["definition"])
        self.trial = Trial(header["repeat"], tuple(header["train"]), tuple(header["test"]))
        self.output = Output(header["output"])
        self.warnings = tuple(str(text) for text in header["warnings"])
        self.seconds = float(header["seconds"])
        self._arrays: dict[str, tuple[np.dtype[Any], tuple[int, ...], int]] = {}
        at = 0
        for name, dtype, shape in header["arrays"]:
            kind = np.dtype(dtype)
            if kind.hasobject:
                raise Damaged(f"{self._path.name} asks for Python objects, which no trial file holds")
            self._arrays[name] = (kind, tuple(shape), at)
            at += kind.itemsize * int(np.prod(shape, dtype=np.int64))
        if at != self._size:
            raise Damaged(f"{self._path.name} has {self._size} bytes of arrays, its header says {at}")

    def verify(self) -> None:
        """Read everything and compare the checksum."""
        with self._path.open("rb") as file:
            file.seek(self._start)
            if _checksum(self._text.strip(), file.read()) != self._checksum:
                raise Damaged(f"the checksum of {self._path.name} does not match")

    def outcome(self) -> Outcome:
        """All settings."""
        return Outcome(self.output, self.outputs(), self.labels(), self.training(), self.warnings, self.seconds)

    def outputs(self) -> NDArray[Any]:
        """[setting, row, class]."""
        return self._array("outputs")

    def labels(self) -> NDArray[np.int16]:
        """[setting, row], a small part of the file."""
        return self._array("labels")

    def training(self) -> dict[str, NDArray[np.float64]]:
        """Metric → [setting], on rows trained on."""
        return {n.removeprefix("training/"): self._array(n) for n in self._arrays if n.startswith("training/")}

    def at(self, setting: int) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """One setting's outputs [row, class] and labels [row]."""
        return self._array("outputs", setting), self._array("labels", setting)

    def _array(self, name: str, index: int | None = None) -> NDArray[Any]:
        dtype, shape, at = self._arrays[name]
        if index is not None:
            shape = shape[1:]
            at += index * dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        count = int(np.prod(shape, dtype=np.int64))
        return np.fromfile(self._path, dtype, count, offset=self._start + at).reshape(shape)


def _checksum(*parts: bytes | memoryview) -> bytes:
    """CRC-32: it tells damage, which is all it is for, and of what the standard library has it is the fastest."""
    found = 0
    for part in parts:
        found = crc32(part, found)
    return b"%08x" % found
