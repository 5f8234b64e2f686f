"""Is anything lost, at length? Commands killed at random moments by the hundred, and homes that others spoil.

    python -m benchmarks.reliability.disturbed [--kills 200] [--folder build/reliability]

Every round takes a new home, disturbs one command there (`compare`, `validate` or `select`) in one of the ways of
`disturbances`, lets it end by itself at last and compares it with a run that nobody disturbed: the same document to the
byte but for `timing`, and no trial that was finished is computed again (its file is the one that was there). A run of
this that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.reliability.command import make_table, venire
from benchmarks.reliability.disturbances import CASES, COMMANDS, Round, Scene, possible
from benchmarks.results import ROOT, Run

_ROWS: Final = 120
_COLUMNS: Final = 4


def plan(kills: int, done: Sequence[Round], others: int) -> tuple[str, str] | None:
    """The next case and command: each other case so many times a command, and kills, as many of every command."""
    rounds = Counter((each.case, each.command) for each in done)
    killed = dict.fromkeys(COMMANDS, 0)
    for each in done:
        killed[each.command] += each.disturbed if each.case == "killed" else 0
    pairs = [(case, command) for case in possible() if case != "killed" for command in COMMANDS]
    open_cases = [pair for pair in pairs if rounds[pair] < others]
    of_kills = sum(each.case == "killed" for each in done)
    if sum(killed.values()) < kills and (not open_cases or of_kills <= len(done) - of_kills):
        return "killed", min(COMMANDS, key=lambda command: killed[command])
    return min(open_cases, key=lambda pair: rounds[pair]) if open_cases else None


def undisturbed(folder: Path, table: Path) -> dict[str, tuple[str, float]]:
    """What each command says when it is left alone, and how long it takes; kept for when this is gone on with."""
    kept = folder / "undisturbed.json"
    if kept.exists():
        found: dict[str, tuple[str, float]] = json.loads(kept.read_text())
        return found
    found = {}
    for command, options in COMMANDS.items():
        with tempfile.TemporaryDirectory(dir=folder) as place:
            ended = venire(table, Path(place) / "home", *options, command=command)
        if ended.facts is None:
            raise SystemExit(f"{command} failed undisturbed: {ended.error}")
        found[command] = ended.facts, ended.seconds
    kept.write_text(json.dumps(found))
    return found


def rounds_of(folder: Path) -> list[Round]:
    """What was done so far."""
    path = folder / "rounds.jsonl"
    return [Round(**json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def one_round(folder: Path, number: int, case: str, command: str, seed: int) -> Round:
    """A round in a home of its own."""
    table = folder / "table.csv"
    facts, span = undisturbed(folder, table)[command]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as place:
        scene = Scene(table, Path(place) / "home", command, facts, span)
        found = CASES[case](scene, np.random.default_rng([seed, number]))
    return replace(found, case=case, seconds=round(time.monotonic() - began, 1))


def report(run: Run, done: Sequence[Round]) -> bool:
    """The table and the figures; whether nothing was lost."""
    print("\n| disturbed | command | rounds | times | same in the end | finished trials again | unclear ends |")
    print("|---|---|--:|--:|--:|--:|--:|")
    for case in CASES:
        for command in COMMANDS:
            part = [each for each in done if (each.case, each.command) == (case, command)]
            if not part:
                continue
            times, same = sum(each.disturbed for each in part), sum(each.same for each in part)
            again, unclear = sum(each.again for each in part), sum(each.unclear for each in part)
            print(f"| {case} | {command} | {len(part)} | {times} | {same} | {again} | {unclear} |")
            job = f"{case}, {command}"
            run.results.add(job, rounds=len(part), times=times, same=same, run_again=again, unclear=unclear)
    return all(each.same and not each.again and not each.unclear for each in done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--others", type=int, default=2, help="rounds of every other case, for each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where it keeps what it did, to go on with after a stop")
    parser.add_argument("--minutes", type=float, help="stop after so long; the same command goes on from there")
    run = Run.of("reliability-disturbed", parser, free=["folder", "minutes"])
    asked = run.asked
    if os.name != "posix" or (os.geteuid() == 0 and shutil.which("setpriv") is None):
        raise SystemExit("signals to process groups are a matter of POSIX; as root this needs setpriv (util-linux)")
    folder = asked.folder or ROOT / "build" / "reliability"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "table.csv").exists():
        make_table(folder / "table.csv", _ROWS, _COLUMNS, asked.seed)
    began = time.monotonic()
    while (following := plan(asked.kills, done := rounds_of(folder), asked.others)) is not None:
        if asked.minutes is not None and time.monotonic() - began > 60 * asked.minutes:
            break
        found = one_round(folder, len(done), *following, asked.seed)
        with open(folder / "rounds.jsonl", "a", encoding="utf-8") as log:
            log.write(json.dumps(asdict(found)) + "\n")
        print(found, flush=True)
    fine = report(run, done)
    run.finish()
    if not fine:
        raise SystemExit("a disturbed run did not end as the undisturbed one")


if __name__ == "__main__":
    try:
        main()
    except subprocess.SubprocessError as error:
        sys.exit(str(error))
