"""How long does a run take on two workers of a cluster, next to two jobs of this process?

    python -m benchmarks.speed.cluster [--rows 20000] [--columns 10] [--seed 0]

One comparison of the default bucket without a budget, here with two jobs and on a scheduler and two workers with a
thread each, real processes on this machine: seconds of the whole call, with connecting, sending the table, the
verdict and the check for leaks. Processes are up before, and have loaded nothing of venire. Both come to one verdict,
or there is no figure. The scheduler's growth is that of its memory, looked at ten times a second.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import venire
from benchmarks.reliability.clusters import Processes
from benchmarks.results import Run


def took(X: Any, y: Any, home: Path, cluster: str | None) -> tuple[float, float, str, float]:
    """Seconds of the call and of its trials, and its facts."""
    began = time.perf_counter()
    verdict = venire.compare(X, y, jobs=2, budget=None, home=home, cluster=cluster, progress=False)
    seconds = time.perf_counter() - began
    document: dict[str, Any] = dict(verdict.to_dict())
    timing = document.pop("timing")
    longest = max(path.stat().st_size for path in home.rglob("*.trial"))
    return seconds, timing["stages"]["trials"], json.dumps(document, sort_keys=True), longest


class Watched:
    """The memory of a process, looked at as long as this lasts."""

    def __init__(self, pid: int) -> None:
        self._process, self._over = psutil.Process(pid), threading.Event()
        self.first = self.most = self._process.memory_info().rss
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            with suppress(psutil.Error):
                self.most = max(self.most, self._process.memory_info().rss)

    def growth(self) -> float:
        """Megabytes, at most."""
        self._over.set()
        self._thread.join()
        return float(self.most - self.first) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    run = Run.of("speed-cluster", parser)
    asked = run.asked
    rng = np.random.default_rng(asked.seed)
    X = rng.normal(size=(asked.rows, asked.columns))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=asked.rows) > 0).astype(int)
    job = f"{asked.rows} × {asked.columns}, the default bucket"
    with tempfile.TemporaryDirectory(prefix="venire-speed-") as place:
        root = Path(place)
        with Processes(root / "cluster") as processes:
            processes.wait(2)
            watched = Watched(processes.scheduler.pid)
            afar = took(X, y, root / "afar", processes.address)
            growth = watched.growth()
        here = took(X, y, root / "here", None)
    if afar[2] != here[2]:
        raise SystemExit("the cluster came to other facts")
    print(f"{job}: {here[0]:.1f} s here, {afar[0]:.1f} s on two workers: {afar[0] / here[0]:.2f}")
    print(f"of it trials {here[1]:.1f} and {afar[1]:.1f} s; the scheduler grew by {growth:.0f} MB")
    run.results.add(job, "two jobs here", seconds=here[0], seconds_of_trials=here[1])
    run.results.add(job, "two workers", seconds=afar[0], seconds_of_trials=afar[1], scheduler_grew_MB=growth)
    run.results.add(job, "two workers", ratio=afar[0] / here[0], longest_trial_file_MB=afar[3] / 1e6)
    run.finish()


if __name__ == "__main__":
    main()
