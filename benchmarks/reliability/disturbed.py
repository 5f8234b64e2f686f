"""Is anything lost, at length? Commands killed at random moments by the hundred, and homes that others spoil.

    python -m benchmarks.reliability.disturbed [--kills 200] [--folder build/reliability]

Every round takes a new home, disturbs one command there (`compare`, `validate` or `select`), lets it end by itself at
last and compares it with a run that nobody disturbed: the same document to the byte but for `timing`, and no trial that
was finished is computed again (its file is the one that was there). A run of this that was stopped goes on from there.

killed       SIGKILL to the whole process group at random moments, up to eight times a round
together     two processes answer the same question in one home at once
read-only    the home may not be written: an answer all the same, or one clear error
no room      no file may grow beyond some kilobytes, as on a full disk; then room is made
damaged      files of evidence are cut short, flipped, emptied, deleted, or made by hand (text, folders)
clock        every file in the home is from ten years ago, or from ten years ahead
moved        the home is moved to another place
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.reliability.command import Ended, make_table, venire
from benchmarks.results import ROOT, Run

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "compare": ("--models", "baseline,naive_bayes,linear,logistic,tree,forest,boosting,vote,stack"),
    "validate": ("--model", "forest"),
    "select": ("--direction", "forward"),
}
_A_ROUND: Final = 8  # kills
_ROWS: Final = 300
_COLUMNS: Final = 8
_YEARS: Final = 10 * 365 * 86400.0
Random = np.random.Generator
Files = dict[Path, tuple[int, int]]  # the finished trials: file → inode, time of writing


@dataclass(frozen=True, slots=True)
class Round:
    """What became of one disturbed command."""

    case: str
    command: str
    disturbed: int  # how often
    same: bool  # the document in the end
    again: int  # trials that were finished and sound, and were computed again
    unclear: int  # ends that were neither whole nor one clear error
    seconds: float


@dataclass(frozen=True, slots=True)
class Scene:
    """One command on a table, and a home of its own."""

    table: Path
    home: Path
    command: str
    facts: str  # of an undisturbed run
    span: float  # its seconds

    def run(self, **how: object) -> Ended:
        """The command, to its end or as `how` says."""
        return venire(self.table, self.home, *COMMANDS[self.command], command=self.command, **how)  # type: ignore[arg-type]  # handed on

    def trials(self) -> Files:
        """The trials that are finished."""
        found = {}
        for path in self.home.rglob("*.trial"):
            if path.is_file():
                facts = path.stat()
                found[path.relative_to(self.home)] = facts.st_ino, facts.st_mtime_ns
        return found

    def ended(self, disturbed: int, before: Files, unclear: int = 0) -> Round:
        """Let it end, and look at what came of it."""
        last = self.run()
        after = self.trials()
        again = sum(after.get(path) != facts for path, facts in before.items())
        return Round("", self.command, disturbed, last.facts == self.facts, again, unclear + (last.code != 0), 0.0)


def killed(scene: Scene, rng: Random) -> Round:
    """Killed until it ends before the next kill."""
    kills = unclear = again = 0
    before: Files = {}
    for _ in range(_A_ROUND):
        ended = scene.run(kill_after=float(rng.uniform(0.2, scene.span)))
        after = scene.trials()
        again += sum(after.get(path) != facts for path, facts in before.items())
        before = after
        if ended.code == 0:
            break
        kills += 1
        unclear += ended.code != -signal.SIGKILL
    found = scene.ended(kills, before, unclear)
    return replace(found, again=found.again + again)


def together(scene: Scene, rng: Random) -> Round:
    """Two at once, one of them a little later."""
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(scene.run), pool.submit(_later, scene, float(rng.uniform(0.0, scene.span / 2)))]
        ends = [each.result() for each in both]
    unclear = sum(end.code != 0 or end.facts != scene.facts for end in ends)
    return scene.ended(1, scene.trials(), unclear)


def _later(scene: Scene, seconds: float) -> Ended:
    time.sleep(seconds)
    return scene.run()


def read_only(scene: Scene, rng: Random) -> Round:
    """A home of an earlier run, or an empty one, in which nothing may be written."""
    if rng.random() < 0.5:
        scene.run()
    scene.home.mkdir(exist_ok=True)
    before = scene.trials()
    folders = [scene.home, *(path for path in scene.home.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    # Root may write anywhere, unless that right is taken away.
    bound = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
    ended = scene.run(before=bound if os.geteuid() == 0 else ())
    for folder in folders:
        folder.chmod(0o755)
    return scene.ended(1, before, int(not _clear(ended, scene.facts)))


def no_room(scene: Scene, rng: Random) -> Round:
    """Some files fit, others do not."""
    most = int(rng.integers(500, 8000))

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing fails with an error, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    ended = scene.run(prepare=prepare)
    return scene.ended(1, scene.trials(), int(not _clear(ended, scene.facts)))


def damaged(scene: Scene, rng: Random) -> Round:
    """Every third file in the home is spoiled in one of seven ways."""
    scene.run()
    files = [path for path in sorted(scene.home.rglob("*")) if path.is_file()]
    chosen = [path for path in files if rng.random() < 0.34]
    for path in chosen:
        _spoil(path, files[int(rng.integers(len(files)))], rng)
    spoiled = {path.relative_to(scene.home) for path in chosen}
    sound = {path: facts for path, facts in scene.trials().items() if path not in spoiled}
    return scene.ended(len(chosen), sound)


def _spoil(path: Path, other: Path, rng: Random) -> None:
    held = path.read_bytes()
    way = int(rng.integers(7))
    if way == 0:
        path.write_bytes(held[: int(rng.integers(0, max(1, len(held))))])
    elif way == 1 and held:
        changed = bytearray(held)
        changed[int(rng.integers(len(changed)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
    elif way == 2:
        path.write_bytes(b"")
    elif way == 3:
        path.unlink()
    elif way == 4:
        path.write_text('{"made": "by hand", "rows": 1e999, "trials": [[[[]]]]}')
    elif way == 5 and other.is_file():
        path.write_bytes(other.read_bytes())
    else:
        path.unlink()
        path.mkdir()


def clock(scene: Scene, rng: Random) -> Round:
    """Stopped on the way, the files dated otherwise, and gone on with."""
    scene.run(kill_after=scene.span * float(rng.uniform(0.5, 0.9)))
    moved = time.time() + (_YEARS if rng.random() < 0.5 else -_YEARS)
    for path in scene.home.rglob("*"):
        os.utime(path, (moved, moved))
    return scene.ended(1, scene.trials())


def moved(scene: Scene, rng: Random) -> Round:
    """Stopped on the way, the home carried elsewhere, and gone on with there."""
    scene.run(kill_after=scene.span * float(rng.uniform(0.5, 0.9)))
    scene.home.mkdir(exist_ok=True)
    elsewhere = scene.home.with_name("moved") / "to" / "another place"
    elsewhere.parent.mkdir(parents=True)
    scene.home.rename(elsewhere)
    there = replace(scene, home=elsewhere)
    return there.ended(1, there.trials())


def _clear(ended: Ended, facts: str) -> bool:
    """An answer as good as any, or one error that says what is the matter."""
    return ended.facts == facts if ended.code == 0 else ended.code in (1, 2, 3, 4) and ended.error.count("error:") <= 1


CASES: Final[Mapping[str, Callable[[Scene, Random], Round]]] = {
    "killed": killed,
    "together": together,
    "read-only": read_only,
    "no room": no_room,
    "damaged": damaged,
    "clock": clock,
    "moved": moved,
}


def plan(kills: int, done: Sequence[Round], others: int) -> tuple[str, str] | None:
    """The next case and command: each other case so many times a command, and kills until there are enough."""
    names = list(COMMANDS)
    counts = {(case, name): 0 for case in CASES for name in names}
    for each in done:
        counts[each.case, each.command] += 1
    so_far = sum(each.disturbed for each in done if each.case == "killed")
    open_cases = [pair for pair in counts if pair[0] != "killed" and counts[pair] < others]
    rounds = sum(counts["killed", name] for name in names)
    if so_far < kills and (not open_cases or rounds <= 2 * (len(done) - rounds)):
        return "killed", min(names, key=lambda name: counts["killed", name])
    return open_cases[0] if open_cases else None


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
