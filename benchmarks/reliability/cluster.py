"""What is lost when workers or the scheduler of a cluster are killed, or hold still for a while?

    python -m benchmarks.reliability.cluster [--kills 50] [--schedulers 5] [--stops 5] [--seed 0]

A comparison of a few models and of an estimator that takes its time runs on a scheduler and two workers, real processes
on this machine. It is disturbed at random moments until so many processes were killed, again with evidence of its own
where it ended before that, and compared with an undisturbed run in this process: every fact of `--json` but `timing`,
and every trial file but the seconds it took.

workers killed      SIGKILL to a worker; its nanny starts another
scheduler killed    SIGKILL to the scheduler, whose workers then end; all are started again
held up             SIGSTOP to all processes for some seconds, as when a network is cut
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import venire
from benchmarks.reliability.clusters import Processes
from benchmarks.reliability.marking import Marking, said
from benchmarks.results import Run

MODELS = ["baseline", "tree", "knn", "forest", "boosting", "svm"]
_PAUSE = (1.0, 4.0)  # seconds between two disturbances
_HELD_UP = 3.0


@dataclass
class Found:
    """What became of disturbed runs."""

    disturbed: int = 0
    runs: int = 0
    lost: int = 0  # trials
    different: int = 0  # trial files, and documents
    again: int = 0  # trials that were begun after they had been finished


class Case:
    """A table, its models, and what an undisturbed run found."""

    def __init__(self, root: Path, rows: int, seconds: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.root, self.seconds = root, seconds
        self.X = rng.normal(size=(rows, 8))
        self.y = (self.X[:, 0] + self.X[:, 1] * self.X[:, 2] + rng.normal(size=rows) > 0).astype(int)
        self.facts, self.files, _ = self.run("here", None)

    def run(self, name: str, cluster: str | None) -> tuple[str, dict[str, bytes], int]:
        """Facts, trial files, and how many finished trials were begun again."""
        home, log = self.root / name, self.root / f"{name}-log"
        log.mkdir()
        # The folder is no part of the question: it must not change what the estimator is.
        link = self.root / "log"
        link.unlink(missing_ok=True)
        link.symlink_to(log)
        models = [*MODELS, Marking(str(link), self.seconds)]
        verdict = venire.compare(
            self.X, self.y, models=models, folds=5, repeats=2, home=home, budget=None, cluster=cluster, progress=False
        )
        facts = {key: value for key, value in verdict.to_dict().items() if key != "timing"}
        return json.dumps(facts, sort_keys=True), files(home), self._again(verdict, home, log)

    def _again(self, verdict: Any, home: Path, log: Path) -> int:
        """Fits that began after the file of their trial was there; the check for leaks comes after the last trial."""
        plan = verdict.judgement.docket.plan
        kept = {path.stem: path.stat().st_mtime for path in home.rglob("*arking*/*.trial")}
        last, again = max(kept.values()), 0
        there = {}
        for trial in plan.trials:
            rows = plan.train_rows(trial)
            there[f"begin {len(rows)} {float(np.sum(self.X[rows])):.6f}"] = kept[trial.key]
        for when, what in said(log):
            again += what in there and there[what] + 0.2 < when < last
        return again


def files(home: Path) -> dict[str, bytes]:
    """All trial files, without the seconds each took and the checksum over them."""
    found = {}
    for path in home.rglob("*.trial"):
        _, _, header, arrays = path.read_bytes().split(b"\n", 3)
        kept = {key: value for key, value in json.loads(header).items() if key != "seconds"}
        found[f"{path.parent.name}/{path.name}"] = json.dumps(kept).encode() + arrays
    return found


Disturb = Callable[[Processes], None]


def disturbed(case: Case, name: str, times: int, disturb: Disturb, rng: np.random.Generator) -> Found:
    """Runs of a case until so many disturbances have hit one."""
    found = Found()
    while found.disturbed < times:
        found.runs += 1
        over = threading.Event()
        with Processes(case.root / f"{name}-cluster{found.runs}") as processes:
            processes.wait(2)

            home = case.root / f"{name}{found.runs}"

            def go_on(processes: Processes = processes, over: threading.Event = over, home: Path = home) -> None:
                while not over.wait(0.1) and not any(home.rglob("*.trial")):
                    continue  # a run that has not begun has nothing to lose
                while not over.wait(rng.uniform(*_PAUSE)) and found.disturbed < times:
                    disturb(processes)
                    found.disturbed += 1

            thread = threading.Thread(target=go_on)
            thread.start()
            try:
                facts, kept, again = case.run(f"{name}{found.runs}", processes.address)
            finally:
                over.set()
                thread.join()
        found.lost += len(case.files.keys() - kept.keys())
        found.different += sum(case.files[key] != kept[key] for key in kept) + (facts != case.facts)
        found.again += again
    return found


def kill_worker(processes: Processes) -> None:
    """One of them, in turn; the next one when it is back."""
    for _ in range(200):
        number = int(time.monotonic() * 1000) % 2
        process = processes.process_of(number)
        if process is not None and time.time() - process.create_time() > 3.0:  # one that has had the time to begin
            with suppress(psutil.Error):
                process.kill()
                return
        time.sleep(0.1)


def kill_scheduler(processes: Processes) -> None:
    """It is back after a moment."""
    processes.kill_scheduler()
    time.sleep(1.0)
    processes.restart(2)
    with suppress(Exception):  # another one is killed by the next turn anyway
        processes.wait(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--schedulers", type=int, default=5)
    parser.add_argument("--stops", type=int, default=5)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=1.5, help="that each fit of the slow estimator takes")
    parser.add_argument("--seed", type=int, default=0)
    run = Run.of("reliability-cluster", parser)
    asked = run.asked
    rng = np.random.default_rng(asked.seed)
    failed = False
    with tempfile.TemporaryDirectory(prefix="venire-reliability-") as place:
        case = Case(Path(place), asked.rows, asked.seconds, asked.seed)
        print(f"{len(case.files)} trials\n")
        print("| disturbed | times | runs | trials lost | files, documents that differ | finished trials begun again |")
        print("|---|--:|--:|--:|--:|--:|")
        cases: list[tuple[str, int, Disturb]] = [
            ("workers killed", asked.kills, kill_worker),
            ("scheduler killed", asked.schedulers, kill_scheduler),
            ("held up", asked.stops, lambda processes: processes.hold_up(_HELD_UP)),
        ]
        for name, times, disturb in cases:
            found = disturbed(case, name.replace(" ", "-"), times, disturb, rng) if times else Found()
            bad = found.lost, found.different, found.again
            run.results.add(name, disturbed=found.disturbed, runs=found.runs, lost=bad[0], different=bad[1])
            run.results.add(name, begun_again=bad[2])
            cells = [name, found.disturbed, found.runs, *bad]
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
            failed |= any(bad)
    run.finish()
    if failed:
        raise SystemExit("something was lost, differs, or was done twice")


if __name__ == "__main__":
    main()
