"""Evidence: what trials predicted of rows they had not seen. Append-only, one checksummed file a trial.

    <home>/runs/<run key>/run.json                     what was dealt and from where
    <home>/runs/<run key>/<family>-<definition>/<trial key>.trial

A trial file is a checksum and a line of JSON (what it is, its arrays) followed by the arrays, in short where nothing is
lost by it. It is written under another name and renamed, so that a crash leaves a whole file or none; a damaged file is
put aside and the trial is run again. Reading never executes anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.metrics.packing import Form, as_it_is, checksum, in_bits, shortened
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Trial
from venire.validation.trials.definitions import described
from venire.validation.trials.family import Family, Outcome, Setting, Told

_MAGIC = b"venire trial 5\n"
_JSON = json.JSONEncoder(separators=(",", ":"))
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_AT_ONCE = 65_536  # bytes: less is sooner copied than written in parts


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
        return Path(self._file(family, trial))

    def _file(self, family: FamilyKey, trial: Trial) -> str:
        return f"{self.folder}/{family}/{trial.key}.trial"

    def has(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether the trial was finished before."""
        return os.path.exists(self._file(family, trial))

    def put(self, family: FamilyKey, trial: Trial, outcome: Outcome) -> None:
        """Keep an outcome; the file appears whole or not at all."""
        file, parts = self._file(family, trial), _pack(family, trial, outcome)
        try:
            write_atomically(file, *parts)
        except FileNotFoundError:  # the first of its family
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, *parts)

    def get(self, family: FamilyKey, trial: Trial) -> Record:
        """What was kept of a trial; `Damaged` when the file is not one, or of another."""
        path = self.path(family, trial)
        record = Record(path)
        if (record.family, record.trial) != (family, trial):
            raise Damaged(f"{path.name} is of another trial: {record.family}, {record.trial}")
        return record

    def intact(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether a finished trial can be used."""
        return self.finished(family, trial) is not None

    def finished(self, family: FamilyKey, trial: Trial) -> Record | None:
        """A finished trial that can be used; a damaged file is put aside so that the trial runs again."""
        if not self.has(family, trial):
            return None
        try:
            record = self.get(family, trial)
            record.verify()
        except Damaged:
            path = self.path(family, trial)
            path.replace(path.with_suffix(".damaged"))
            return None
        return record


def write_atomically(path: Path | str, *parts: bytes | memoryview) -> None:
    """Write beside the goal and rename, so that a reader sees the old file or the new one."""
    handle, name = _beside(path)
    try:
        try:
            for part in parts:
                _write(handle, part)  # not synced: after a power cut the checksum tells, and the trial runs again
        finally:
            os.close(handle)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _beside(path: Path | str) -> tuple[int, str]:
    """A new file that nobody else writes to, readable by its owner."""
    folder, goal = os.path.split(path)
    name = os.path.join(folder, f".{goal}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        return os.open(name, _NEW, 0o600), name
    except FileExistsError:  # left by a process that was killed, or of another machine that shares the disk
        return tempfile.mkstemp(dir=folder or os.curdir, prefix=".", suffix=".part")


def _write(handle: int, part: bytes | memoryview) -> None:
    left = memoryview(part)
    while left:  # a system may take less than all of it
        left = left[os.write(handle, left) :]


def _pack(family: FamilyKey, trial: Trial, outcome: Outcome) -> list[bytes | memoryview]:
    """The parts of a trial file; what is small and asked for most comes first."""
    seen = outcome.seen
    arrays = {
        "training": as_it_is(np.array([*outcome.training.values()], np.float64)),
        "labels": in_bits(outcome.labels),
        **({} if seen is None else {"seen_labels": in_bits(seen.labels)}),
        "outputs": shortened(outcome.outputs, outcome.output),
        **({} if seen is None else {"seen_outputs": shortened(seen.outputs, outcome.output)}),
    }
    header = {
        "family": family.name,
        "definition": family.digest,
        "repeat": trial.repeat,
        "train": trial.train,
        "test": trial.test,
        "output": str(outcome.output),
        "metrics": [*outcome.training],
        "arrays": {name: [form.name, form.shape] for name, (form, _) in arrays.items()},
        "warnings": outcome.warnings,
        "seconds": outcome.seconds,
    }
    text = _JSON.encode(header).encode()
    parts: list[bytes | memoryview] = [text + b"\n", *(_bytes(kept) for _, kept in arrays.values())]
    parts.insert(0, b"".join([_MAGIC, _checksum(*parts), b"\n"]))
    small = 0
    while small < len(parts) and len(parts[small]) <= _AT_ONCE:
        small += 1
    return [b"".join(parts[:small]), *parts[small:]]


def _bytes(array: NDArray[Any]) -> bytes | memoryview:
    return array.reshape(-1).view(np.uint8).data if array.size else b""


class Record:
    """A trial file whose header has been read: gives the whole outcome, or one setting without reading the others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with open(path, "rb") as file:
                magic, checksum, text = file.readline(64), file.readline(64), file.readline()
                size = os.fstat(file.fileno()).st_size
        except FileNotFoundError as error:
            raise Damaged(f"there is no trial file {path.name}") from error
        if magic != _MAGIC or not text.endswith(b"\n"):
            raise Damaged(f"{path.name} is no trial file")
        self._checksum = checksum.strip()
        self._text_at = len(magic) + len(checksum)
        try:
            self._read_header(json.loads(text), self._text_at + len(text), size)
        except (ValueError, LookupError, TypeError, AttributeError, SyntaxError) as error:
            raise Damaged(f"the header of {path.name} cannot be read") from error

    def _read_header(self, header: Mapping[str, Any], at: int, size: int) -> None:
        self.family = FamilyKey(header["family"], header["definition"])
        self.trial = Trial(header["repeat"], tuple(header["train"]), tuple(header["test"]))
        self.output = Output(header["output"])
        self.warnings = tuple(str(text) for text in header["warnings"])
        self.seconds = float(header["seconds"])
        self._metrics = tuple(str(name) for name in header["metrics"])
        self._arrays: dict[str, tuple[Form, int]] = {}
        start = at
        for name, (form, shape) in header["arrays"].items():
            kept = Form(form, tuple(shape))
            if kept.type.hasobject:
                raise Damaged(f"{self._path.name} asks for Python objects, which no trial file holds")
            self._arrays[name] = (kept, at)
            at += kept.stride * kept.shape[0]
        if at != size:
            raise Damaged(f"{self._path.name} has {size - start} bytes of arrays, its header says {at - start}")

    def verify(self) -> None:
        """Read everything and compare the checksum."""
        if _checksum(memoryview(self._path.read_bytes())[self._text_at :]) != self._checksum:
            raise Damaged(f"the checksum of {self._path.name} does not match")

    def outcome(self) -> Outcome:
        """All settings."""
        told = self.outputs(), self.labels()
        return Outcome(self.output, *told, self.training(), self.warnings, self.seconds, self.seen())

    def outputs(self) -> NDArray[Any]:
        """[setting, row, class]."""
        return self._array("outputs")

    def labels(self) -> NDArray[np.int16]:
        """[setting, row], a small part of the file."""
        return self._array("labels")

    def training(self) -> dict[str, NDArray[np.float64]]:
        """Metric → [setting], on rows trained on."""
        return dict(zip(self._metrics, self._array("training"), strict=True)) if self._metrics else {}

    def seen(self, setting: int | None = None) -> Told | None:
        """What all settings, or one, say of the rows their training error is taken on; None where it is not shown."""
        if "seen_outputs" not in self._arrays:
            return None
        return Told(self._array("seen_outputs", setting), self._array("seen_labels", setting))

    def at(self, setting: int) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """One setting's outputs [row, class] and labels [row]."""
        return self._array("outputs", setting)[0], self._array("labels", setting)[0]

    def _array(self, name: str, only: int | None = None) -> NDArray[Any]:
        """All settings of an array, or one of them."""
        form, at = self._arrays[name]
        settings = form.shape[0] if only is None else 1
        kept = np.empty(settings * form.stride, np.uint8)
        with open(self._path, "rb") as file:
            file.seek(at + (only or 0) * form.stride)
            if file.readinto(kept.data) != len(kept):
                raise Damaged(f"{self._path.name} ends before its {name} do")
        return form.read(kept, settings)


def _checksum(*parts: bytes | memoryview) -> bytes:
    return b"%08x" % checksum(*parts)
