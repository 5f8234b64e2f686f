"""Evidence on disk: one checksummed file a trial.

    <home>/evidence/<table and plan>/<family>-<definition>/<trial key>.trial

A trial file is a checksum and a line of JSON (what it is, its arrays) followed by the arrays, in short where nothing is
lost by it. It appears whole or not at all, and is never replaced: of two runs on one home the first to finish a trial
keeps it. A damaged file is put aside and the trial is run again, and so is one whose contents cannot be (`expected`).
Reading never executes anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from venire.disk.checksums import checksum
from venire.disk.regular_files import NotAFile, content, opened
from venire.errors import VenireError
from venire.metrics.packing import Form, as_it_is, in_bits, shortened
from venire.metrics.predictions import Output
from venire.validation.evidence.atomic_writes import write_atomically, write_once
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.evidence.expected import Expected
from venire.validation.evidence.read_contents import ReadContents
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Outcome, PathPredictions

FORMAT = "venire trial 5"
_MAGIC = f"{FORMAT}\n".encode()
_JSON = json.JSONEncoder(separators=(",", ":"))
_SIZE = 2  # its place in the identity of a file
_AT_ONCE = 65_536  # bytes: less is sooner copied than written in parts


class Damaged(Exception):
    """A trial file that is not what it says."""


@dataclass(frozen=True)
class OnDisk:
    """The outcomes of one run's trials, as files below a folder."""

    folder: Path
    expected: Expected | None = None
    _contents: ReadContents = field(default_factory=ReadContents, repr=False, compare=False)

    def path(self, family: FamilyKey, trial: Trial) -> Path:
        """The file of one trial."""
        return Path(self._file(family, trial))

    def _file(self, family: FamilyKey, trial: Trial) -> str:
        return f"{self.folder}/{family}/{trial.key}.trial"

    def has(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether there is a file of the trial."""
        return os.path.exists(self._file(family, trial))

    def put(self, family: FamilyKey, trial: Trial, outcome: Outcome) -> None:
        """Keep an outcome; the file appears whole or not at all, and one that is there and intact stays."""
        self._keep(family, trial, _pack(family, trial, outcome))

    def adopt(self, family: FamilyKey, trial: Trial, content: bytes) -> None:
        """Keep a trial file that was made elsewhere, and verified."""
        self._keep(family, trial, [content])

    def _keep(self, family: FamilyKey, trial: Trial, parts: list[bytes | memoryview]) -> None:
        file = self._file(family, trial)
        try:
            while not self._written(file, parts) and self.finished(family, trial) is None:
                pass  # a damaged one stood in the way, and was put aside
        except OSError as error:
            raise VenireError(
                f"cannot keep evidence under {self.folder}: {error.strerror or error}",
                code="home_not_writable",
                hint="make room, or set VENIRE_HOME to a folder that can be written; what was finished is kept",
            ) from error

    def _written(self, file: str, parts: list[bytes | memoryview]) -> bool:
        try:
            return write_once(file, *parts)
        except FileNotFoundError:  # the first of its family
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            return write_once(file, *parts)

    def get(self, family: FamilyKey, trial: Trial) -> TrialFile:
        """What was kept of a trial; `Damaged` when the file is not one, or of another."""
        return TrialFile(self.path(family, trial), of=(family, trial), contents=self._contents)

    def intact(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether a finished trial can be used."""
        return self.finished(family, trial) is not None

    def finished(self, family: FamilyKey, trial: Trial) -> TrialFile | None:
        """A finished trial that can be used; a damaged file is put aside so that the trial runs again."""
        if not self.has(family, trial):
            return None
        try:
            return self.verified(family, trial, self.path(family, trial))
        except Damaged:
            return self._put_aside(family, trial)

    def verified(self, family: FamilyKey, trial: Trial, path: Path) -> TrialFile:
        """The file of a trial at some path, checksum and contents compared; else `Damaged`."""
        record = TrialFile(path, of=(family, trial))
        record.verify()
        try:
            problem = self.expected and self.expected.problem(trial, record.outcome(), family.settings)
        except (ValueError, LookupError, TypeError, OverflowError, MemoryError) as error:
            raise Damaged(f"the arrays of {path.name} are not those of a trial") from error
        if problem:
            raise Damaged(f"{path.name} is of no such trial: {problem}")
        return record

    def _put_aside(self, family: FamilyKey, trial: Trial) -> TrialFile | None:
        """Give a damaged file another name. Somebody may have put a good one in its place: that one comes back."""
        path = self.path(family, trial)
        aside = path.with_suffix(".damaged")
        if path.is_dir() or aside.is_dir():  # a folder takes no file's name, nor a file that of a folder
            aside = path.with_suffix(f".{os.urandom(4).hex()}.damaged")
        try:
            path.replace(aside)
        except FileNotFoundError:  # another run was faster
            return None
        try:
            self.verified(family, trial, aside)
        except Damaged:
            return None
        try:
            os.link(aside, path)
        except FileExistsError:
            pass
        except OSError:  # a disk without links
            aside.replace(path)
        aside.unlink(missing_ok=True)
        return self.verified(family, trial, path)

    def keep(self, name: str, content: bytes) -> None:
        """Keep something small beside the trials; where nothing can be written it is made anew another time."""
        with suppress(OSError):
            write_atomically(self.folder / name, content)

    def kept(self, name: str) -> bytes | None:
        """What was kept under that name, if it can be read."""
        try:
            return content(self.folder / name)
        except OSError:
            return None


def packed(family: FamilyKey, trial: Trial, outcome: Outcome) -> bytes:
    """A trial file as bytes, to be kept elsewhere."""
    return b"".join(_pack(family, trial, outcome))


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
        "seconds": f"{outcome.seconds:020.9f}",  # as many signs for any time: the same trial is as long in every run
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


class TrialFile:
    """A trial file whose header has been read: gives the whole outcome, or one setting without reading the others.

    Where its arrays are is known from the header. Should there be another file under its name by the time they are
    read, that one's header holds, once it is verified: never the places of one file in the bytes of another.
    """

    def __init__(
        self, path: Path, of: tuple[FamilyKey, Trial] | None = None, contents: ReadContents | None = None
    ) -> None:
        self._path, self._of, self._contents = path, of, contents
        with self._file() as file:
            self._read(file)

    def _read(self, file: IO[bytes]) -> None:
        name = self._path.name
        magic, checksum, text = file.readline(64), file.readline(64), file.readline()
        if magic != _MAGIC or not text.endswith(b"\n"):
            raise Damaged(f"{name} is no trial file")
        self._checksum = checksum.strip()
        self._text_at = len(magic) + len(checksum)
        self._identity = _identity(file)
        try:
            self._read_header(json.loads(text), self._text_at + len(text), os.fstat(file.fileno()).st_size)
        except (ValueError, LookupError, TypeError, AttributeError, SyntaxError, RecursionError) as error:
            raise Damaged(f"the header of {name} cannot be read") from error
        if self._of is not None and (self.family, self.trial) != self._of:
            raise Damaged(f"{name} is of another trial: {self.family}, {self.trial}")

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

    @contextmanager
    def _file(self) -> Iterator[IO[bytes]]:
        try:
            file = opened(self._path)
        except FileNotFoundError as error:
            raise Damaged(f"there is no trial file {self._path.name}") from error
        except NotAFile as error:
            raise Damaged(f"{self._path.name} is no file") from error
        with file:
            yield file

    def verify(self) -> None:
        """Read everything and compare the checksum."""
        with self._file() as file:
            if _identity(file) != self._identity:
                self._read(file)
            self._verify(file)

    def _verify(self, file: IO[bytes]) -> None:
        file.seek(self._text_at)
        if _checksum(memoryview(file.read())) != self._checksum:
            raise Damaged(f"the checksum of {self._path.name} does not match")

    def outcome(self) -> Outcome:
        """All settings."""
        predicted = self.outputs(), self.labels()
        return Outcome(self.output, *predicted, self.training(), self.warnings, self.seconds, self.seen())

    def outputs(self) -> NDArray[Any]:
        """[setting, row, class]."""
        return self._array("outputs")

    def labels(self) -> NDArray[np.int16]:
        """[setting, row], a small part of the file."""
        return self._array("labels")

    def training(self) -> dict[str, NDArray[np.float64]]:
        """Metric → [setting], on rows trained on."""
        return dict(zip(self._metrics, self._array("training"), strict=True)) if self._metrics else {}

    def seen(self, setting: int | None = None) -> PathPredictions | None:
        """What all settings, or one, say of the rows their training error is taken on; None where it is not kept."""
        if "seen_outputs" not in self._arrays:
            return None
        return PathPredictions(self._array("seen_outputs", setting), self._array("seen_labels", setting))

    def at(self, setting: int) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """One setting's outputs [row, class] and labels [row]."""
        return self._array("outputs", setting)[0], self._array("labels", setting)[0]

    def _array(self, name: str, only: int | None = None) -> NDArray[Any]:
        """All settings of an array, or one of them."""
        whole = None if self._contents is None else self._contents.of(str(self._path), self._identity)
        if whole is not None:
            _, place, size = self._place(name, only)
            kept = np.frombuffer(whole, np.uint8, size, place).copy()  # where numbers of any width may lie
        else:
            kept = self._from_file(name, only)
        form, _ = self._arrays[name]
        return form.read(kept, form.shape[0] if only is None else 1)

    def _place(self, name: str, only: int | None) -> tuple[Form, int, int]:
        """How an array is kept; where all its settings, or one of them, begin, and how many bytes they are."""
        form, at = self._arrays[name]
        settings = form.shape[0] if only is None else 1
        return form, at + (only or 0) * form.stride, settings * form.stride

    def _from_file(self, name: str, only: int | None) -> NDArray[np.uint8]:
        with self._file() as file:
            if _identity(file) != self._identity:
                self._read(file)
                self._verify(file)
            _, place, size = self._place(name, only)
            if self._contents is not None and self._contents.takes(self._identity[_SIZE]):
                file.seek(0)
                if len(whole := file.read()) == self._identity[_SIZE]:
                    self._contents.keep(str(self._path), self._identity, whole)
                    return np.frombuffer(whole, np.uint8, size, place).copy()
            kept = np.empty(size, np.uint8)
            file.seek(place)
            if file.readinto(kept.data) != len(kept):  # type: ignore[attr-defined]  # a buffered reader has it
                raise Damaged(f"{self._path.name} ends before its {name} do")
        return kept


def _identity(file: IO[bytes]) -> tuple[int, ...]:
    """What tells one file from another that has taken its name."""
    facts = os.fstat(file.fileno())
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns


def _checksum(*parts: bytes | memoryview) -> bytes:
    return b"%08x" % checksum(*parts)
