"""What is lost when a run is killed, interrupted, finds its evidence damaged, or has no room to write?

    python -m benchmarks.reliability.interrupted [--rows 600] [--times 12] [--seed 0]

Every line runs one command until it ends by itself, disturbing it on the way, and compares what it prints at last with
an undisturbed run: the same facts, to the byte. Of the trials that were finished, none should be run again but the
damaged.

killed        SIGKILL to the whole process group at random moments
interrupted   SIGINT, as Ctrl-C sends it
damaged       between two runs, every fifth file of evidence is cut short, changed in one bit, or emptied
no room       no file may grow beyond a few kilobytes, as on a full disk; then room is made
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.reliability.command import Ended, make_table, venire
from benchmarks.results import Run

MODELS = "baseline,naive_bayes,linear,logistic,knn,tree,forest,boosting,adaboost,svm,vote,stack"


@dataclass(frozen=True)
class Course:
    """What became of one disturbed command."""

    disturbed: int
    trials: int  # run in all
    last: Ended
    strange: int = 0  # ends that were neither whole nor one clear error


def stopped(table: Path, home: Path, times: int, span: float, by: signal.Signals, rng: np.random.Generator) -> Course:
    """Stop it at random moments, again and again, then let it end. Files on disk tell how many trials were finished."""
    disturbed = strange = 0
    for _ in range(times):
        ended = venire(table, home, "--models", MODELS, kill_after=rng.uniform(1.0, span / 3), by=by)
        if ended.code == 0:
            break
        disturbed += 1
        strange += ended.code not in (-by, 130)
    before = len(list(home.rglob("*.trial")))
    last = venire(table, home, "--models", MODELS)
    return Course(disturbed, before + last.trials[0], last, strange)


def damaged(table: Path, home: Path, rng: np.random.Generator) -> Course:
    """Spoil every fifth file in one of three ways."""
    first = venire(table, home, "--models", MODELS)
    files = sorted(home.rglob("*.trial"))[::5]
    for number, path in enumerate(files):
        held = bytearray(path.read_bytes())
        if number % 3 == 0:
            held = held[: rng.integers(1, len(held))]
        elif number % 3 == 1:
            held[rng.integers(len(held))] ^= 1 << int(rng.integers(8))
        else:
            held = bytearray()
        path.write_bytes(held)
    last = venire(table, home, "--models", MODELS)
    return Course(len(files), first.trials[0] + last.trials[0], last)


def _no_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing fails with an error, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))


def no_room(table: Path, home: Path) -> Course:
    """Files of some families fit, those of others do not."""
    first = venire(table, home, "--models", MODELS, prepare=_no_room)
    clear = first.code == 1 and first.error.count("error:") == 1
    before = len(list(home.rglob("*.trial")))
    last = venire(table, home, "--models", MODELS)
    return Course(1, before + last.trials[0], last, 0 if clear else 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--times", type=int, default=12, help="how often a run is stopped")
    parser.add_argument("--seed", type=int, default=0)
    run = Run.of("reliability-interrupted", parser)
    asked = run.asked
    if os.name != "posix":
        raise SystemExit("signals to process groups and limits of file sizes are a matter of POSIX")
    rng = np.random.default_rng(asked.seed)
    with tempfile.TemporaryDirectory(prefix="venire-reliability-") as place:
        root = Path(place)
        table = make_table(root / "table.csv", asked.rows, 12, asked.seed)
        whole = venire(table, root / "whole", "--models", MODELS)
        if whole.facts is None:
            raise SystemExit(f"the undisturbed run failed: {whole.error}")
        trials = whole.trials[0]
        print(f"{asked.rows} rows, {trials} trials, {whole.seconds:.1f} s undisturbed\n")
        print("| disturbed | times | same facts in the end | finished trials run again | last run, s | unclear ends |")
        print("|---|--:|---|--:|--:|--:|")
        cases: dict[str, Callable[[Path], Course]] = {
            "killed": lambda home: stopped(table, home, asked.times, whole.seconds, signal.SIGKILL, rng),
            "interrupted": lambda home: stopped(table, home, asked.times, whole.seconds, signal.SIGINT, rng),
            "damaged": lambda home: damaged(table, home, rng),
            "no room": partial(no_room, table),
        }
        failed = False
        for name, course in cases.items():
            found = course(root / name.replace(" ", "-"))
            same = found.last.facts == whole.facts
            failed |= not same or found.strange > 0
            figures = f"{found.trials - trials} | {found.last.seconds:.1f} | {found.strange}"
            run.results.add(
                name, disturbed=found.disturbed, same_facts=same, run_again=found.trials - trials, unclear=found.strange
            )
            print(f"| {name} | {found.disturbed} | {'yes' if same else '**no**'} | {figures} |", flush=True)
    run.finish()
    if failed:
        raise SystemExit("a disturbed run did not end as the undisturbed one")


if __name__ == "__main__":
    main()
