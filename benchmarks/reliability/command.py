"""The command under trial: `venire compare` or another on a generated table, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.reliability.warm import run_warm


@dataclass(frozen=True)
class Ended:
    """How a run ended: its exit code (minus a signal that killed it), its document, its seconds, its last words."""

    code: int
    document: dict[str, Any] | None
    seconds: float
    error: str

    @property
    def facts(self) -> str | None:
        """All that must be the same whenever and however often it ran: everything but `timing`."""
        if self.document is None:
            return None
        return json.dumps({key: value for key, value in self.document.items() if key != "timing"}, sort_keys=True)

    @property
    def trials(self) -> tuple[int, int]:
        """How many trials it ran, and how many it found finished."""
        timing = {} if self.document is None else self.document["timing"]
        return timing.get("trials", 0), timing.get("reused", 0)


def make_table(path: Path, rows: int, columns: int, seed: int) -> Path:
    """Numbers and two classes, as CSV."""
    X, y = make_classification(rows, columns, n_informative=columns // 2, flip_y=0.1, random_state=seed)
    names = [f"x{j}" for j in range(columns)]
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=",".join([*names, "y"]), comments="", fmt="%.6g")
    return path


def venire(
    table: Path,
    home: Path,
    *options: str,
    command: str = "compare",
    before: Sequence[str] = (),
    kill_after: float | None = None,
    by: signal.Signals = signal.SIGKILL,
    prepare: Callable[[], None] | None = None,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Ended:
    """Run the command to its end, or send it (and its workers) a signal after so many seconds; `before` starts it.

    With nothing to start it by, it is forked off a process that has imported venire (`warm`).
    """
    words = [command, str(table), "--target", "y", "--json", "--quiet", *options]
    if before or prepare or environment:
        asked = [*before, sys.executable, "-m", "venire", *words]
        found = _run_fresh(asked, {"VENIRE_HOME": str(home), **environment}, kill_after, by, prepare)
    else:
        with tempfile.TemporaryDirectory(prefix="venire-command-") as folder:
            found = run_warm(words, {"VENIRE_HOME": str(home)}, Path(folder), kill_after, by)
    code, out, error, seconds = found
    document = json.loads(out) if out.strip() and code >= 0 else None
    verdict = document if document is not None and "error" not in document else None
    return Ended(code, verdict, seconds, error.strip())


def _run_fresh(
    words: Sequence[str],
    environment: Mapping[str, str],
    kill_after: float | None,
    by: signal.Signals,
    prepare: Callable[[], None] | None,
) -> tuple[int, str, str, float]:
    began = time.monotonic()
    process = subprocess.Popen(  # a group of its own, as a terminal or a batch system would have it
        words,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=prepare,
    )
    try:
        out, error = process.communicate(timeout=kill_after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, by)
        out, error = process.communicate()
    return process.returncode, out, error, time.monotonic() - began
