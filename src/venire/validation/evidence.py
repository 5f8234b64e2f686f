"""Evidence: what trials predicted of rows they had not seen. Append-only, one checksummed file a trial.

    <home>/runs/<run key>/run.json                     what was dealt and from where
    <home>/runs/<run key>/<family>-<definition>/<trial key>.trial

A trial file is a line of JSON (what it is, its arrays, a digest of everything) followed by the raw arrays. It is
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

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Output
from venire.validation.family import Family, Outcome, Setting
from venire.validation.plan import Trial

_MAGIC = b"venire trial 1\n"
_LONGEST_HEADER = 16 << 20


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
        text = family.definition() + repr([(s.label, sorted(s.params.items())) for s in settings])
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
        path = self.path(family, trial)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _pack(family, trial, outcome))

    def get(self, family: FamilyKey, trial: Trial) -> Outcome:
        """Read an outcome back; `Damaged` when the file is not what was written."""
        try:
            return _unpack(self.path(family, trial).read_bytes())
        except FileNotFoundError as error:
            raise Damaged(f"{family} has no trial {trial.key}") from error

    def intact(self, family: FamilyKey, trial: Trial) -> bool:
        """Whether a finished trial can be used; a damaged file is put aside so that the trial runs again."""
        if not self.has(family, trial):
            return False
        try:
            self.get(family, trial)
        except Damaged:
            path = self.path(family, trial)
            path.replace(path.with_suffix(".damaged"))
            return False
        return True


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the goal and rename, so that a reader sees the old file or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)  # not synced: after a power cut the checksum tells, and the trial runs again
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _pack(family: FamilyKey, trial: Trial, outcome: Outcome) -> bytes:
    arrays: dict[str, NDArray[Any]] = {"outputs": outcome.outputs, "labels": outcome.labels}
    arrays |= {f"training/{name}": np.asarray(values, np.float64) for name, values in outcome.training.items()}
    body = [np.ascontiguousarray(a, a.dtype.newbyteorder("<")).tobytes() for a in arrays.values()]
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
    return b"".join([_MAGIC, _digest(text, *body), b"\n", text, b"\n", *body])


def _unpack(content: bytes) -> Outcome:
    magic, digest, text, body = _split(content)
    if magic != _MAGIC.strip() or _digest(text, body) != digest:
        raise Damaged("the checksum does not match")
    header: Mapping[str, Any] = json.loads(text)
    arrays, at = {}, 0
    for name, dtype, shape in header["arrays"]:
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(body, np.dtype(dtype), count, at).reshape(shape)
        at += arrays[name].nbytes
    training = {name.removeprefix("training/"): a for name, a in arrays.items() if name.startswith("training/")}
    return Outcome(
        Output(header["output"]),
        arrays["outputs"],
        arrays["labels"],
        training,
        tuple(header["warnings"]),
        float(header["seconds"]),
    )


def _split(content: bytes) -> tuple[bytes, bytes, bytes, memoryview]:
    first = content.find(b"\n")
    second = content.find(b"\n", first + 1)
    third = content.find(b"\n", second + 1, second + 1 + _LONGEST_HEADER)
    if min(first, second, third) < 0:
        raise Damaged("the file ends within its header")
    view = memoryview(content)
    return content[:first], content[first + 1 : second], content[second + 1 : third], view[third + 1 :]


def _digest(*parts: bytes | memoryview) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest().encode()
