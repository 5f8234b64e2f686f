"""Ways to disturb a command and the home it works in: each gives what became of it.

killed       SIGKILL to the whole process group at random moments, up to eight times a round
together     two processes answer the same question in one home at once
read-only    the home may not be written: an answer all the same, or one clear error
no room      no file may grow beyond some kilobytes, as with a quota; then room is made
full disk    the home is a disk of its own with some kilobytes (needs root and Linux); then it is made larger
damaged      files of evidence are cut short, flipped, emptied, deleted, or made by hand (text, folders)
clock        every file in the home is from ten years ago or ahead, and the clock jumps as far while it runs
moved        the home is moved to another place
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.reliability.command import Ended, venire

COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "compare": ("--models", "baseline,naive_bayes,linear,logistic,tree,forest,boosting,vote,stack", "--budget", "none"),
    "validate": ("--model", "forest"),
    "select": ("--direction", "forward"),
}
_A_ROUND: Final = 8  # kills
_YEARS: Final = 10 * 365 * 86400
_CLOCK: Final = Path(__file__).with_name("moved_clock.c")
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

    def ended(self, disturbed: int, before: Files, unclear: int = 0, **how: object) -> Round:
        """Let it end, and look at what came of it."""
        last = self.run(**how)
        after = self.trials()
        again = sum(after.get(path) != facts for path, facts in before.items())
        return Round("", self.command, disturbed, last.facts == self.facts, again, unclear + (last.code != 0), 0.0)


def killed(scene: Scene, rng: Random) -> Round:
    """Killed until it ends before the next kill."""
    kills = unclear = again = 0
    before: Files = {}
    for _ in range(_A_ROUND):
        ended = scene.run(kill_after=float(rng.uniform(0.2, scene.span / 2)))
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


def full_disk(scene: Scene, rng: Random) -> Round:
    """A small disk that is full on the way; then it is made larger, and the same command goes on."""
    scene.home.mkdir(exist_ok=True)
    mount = ("mount", "-t", "tmpfs", "-o", f"size={int(rng.integers(8, 200))}k", "tmpfs", scene.home)
    subprocess.run(mount, check=True)
    try:
        ended = scene.run()
        unclear = int(not _clear(ended, scene.facts))
        subprocess.run(("mount", "-o", "remount,size=64m", scene.home), check=True)
        return scene.ended(1, scene.trials(), unclear)
    finally:
        subprocess.run(("umount", "--lazy", scene.home), check=True)


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
    """Stopped on the way, the files dated otherwise, and gone on with while the clock jumps in every process."""
    scene.run(kill_after=scene.span * float(rng.uniform(0.3, 0.7)))
    away = _YEARS if rng.random() < 0.5 else -_YEARS
    for path in scene.home.rglob("*"):
        os.utime(path, (time.time() + away, time.time() + away))
    library = scene.home.with_name("moved_clock.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, _CLOCK], check=True)
    jumps = {"LD_PRELOAD": str(library), "CLOCK_MOVES_BY": str(-away), "CLOCK_MOVES_AFTER": f"{scene.span / 4:.1f}"}
    return scene.ended(1, scene.trials(), environment=jumps)


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
    "full disk": full_disk,
    "damaged": damaged,
    "clock": clock,
    "moved": moved,
}


def possible() -> list[str]:
    """The cases that can be had here: a disk of one's own is for the superuser of a Linux."""
    own_disks = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
    return [case for case in CASES if case != "full disk" or own_disks]
