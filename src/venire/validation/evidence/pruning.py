"""Deleting runs, and the evidence that no other run uses.

Deleting is done under the lock of the home, under which every run is written down before its first trial: whoever
begins meanwhile waits, and whoever has begun is seen. A run that is going on is not deleted, nor is its evidence.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from venire.errors import UsageError, VenireError
from venire.validation.evidence.run_files import FILE, Run
from venire.validation.evidence.runs import Broken, Runs, size_of


@dataclass(frozen=True)
class Removed:
    """What was deleted, how many bytes that freed, and what was left because it is running."""

    runs: tuple[Run | Broken, ...]
    bytes: int
    running: tuple[Run | Broken, ...] = ()


def delete(home: Runs, keys: Sequence[str]) -> Removed:
    """Delete runs by key or name, damaged ones too; one that is going on is refused, and then none is deleted."""
    found = [_named(home, key) for key in keys]
    if not home.home.is_dir():
        return Removed((), 0)
    with _alone(home):
        for run in found:
            if home.running(run):
                raise UsageError(
                    f"run {run.key[:8]} is running",
                    code="run_is_running",
                    hint="wait for its end, or stop it, and delete it then",
                )
        freed = _delete(home, dict.fromkeys(found))
    return Removed(tuple(dict.fromkeys(found)), freed)


def prune(home: Runs, *, now: datetime, older_than: timedelta | None = None, larger_than: int | None = None) -> Removed:
    """Delete what no run uses; then runs not run for so long; then those run longest ago, until the rest fits."""
    if not home.home.is_dir():
        return Removed((), 0)
    with _alone(home):
        freed = _leftovers(home)
        oldest_first = home.all()[::-1]
        running = [run for run in oldest_first if home.running(run)]
        left = [run for run in oldest_first if run not in running]
        gone = [run for run in left if older_than is not None and now - run.asked_last > older_than]
        freed += _delete(home, gone)
        refused = [run for run in running if older_than is not None and now - run.asked_last > older_than]
        left = [run for run in left if run not in gone]
        while larger_than is not None and size_of([home.home]) > larger_than:
            if not left:
                refused = running
                break
            gone.append(left.pop(0))
            freed += _delete(home, gone[-1:])
    return Removed(tuple(gone), freed, tuple(refused))


@contextmanager
def _alone(home: Runs) -> Iterator[None]:
    with ExitStack() as stack:
        _carry_out(lambda: stack.enter_context(home.locked()), home.home)
        yield


def _named(home: Runs, key: str) -> Run | Broken:
    whole = [broken for broken in home.broken() if broken.key == key]
    return whole[0] if whole else home.find(key)


def _delete(home: Runs, runs: Iterable[Run | Broken]) -> int:
    """Delete these, and of their evidence what no remaining run uses; the bytes that were freed."""
    freed = 0
    for run in runs:
        own = home.evidence_of(run) if isinstance(run, Run) else []
        freed += removed(home.folder(run), first=FILE)
        used = {folder for other in home.all() for folder in home.evidence_of(other)}
        freed += sum(removed(folder) for folder in own if folder not in used and folder.exists())
        for folder in {folder.parent for folder in own}:
            _remove_if_empty(folder)
    return freed


def _leftovers(home: Runs) -> int:
    """Delete what deletions that were cut short and runs that were killed left behind."""
    runs = home.home / "runs"
    undescribed = [folder for folder in runs.glob("*") if folder.is_dir() and not (folder / FILE).exists()]
    freed = sum(removed(folder) for folder in undescribed)
    unused = [*(home.home / "evidence").glob("*/*/*.damaged"), *home.home.glob("index.sqlite*")]
    freed += sum(removed(path) for path in unused)  # earlier versions kept an index
    if home.broken():  # nobody knows which evidence they use
        return freed
    used = {folder for run in home.all() for folder in home.evidence_of(run)}
    for folder in (home.home / "evidence").glob("*"):
        freed += sum(removed(held) for held in folder.glob("*") if held not in used)
        _remove_if_empty(folder)
    return freed


def removed(path: Path, *, first: str = "") -> int:
    """Delete a file, or a folder with all that is in it and one file of it before all others; its bytes."""
    if not path.is_dir() or path.is_symlink():
        size = path.lstat().st_size
        _carry_out(path.unlink, path)
        return size
    size = size_of([path])
    if first and (path / first).is_file():
        _carry_out((path / first).unlink, path)
    _carry_out(lambda: shutil.rmtree(path), path)
    return size


def _remove_if_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        _carry_out(folder.rmdir, folder)


def _carry_out(remove: Callable[[], None], path: Path) -> None:
    try:
        remove()
    except OSError as error:
        raise VenireError(
            f"cannot be deleted: {error.strerror or error}",
            code="cannot_delete",
            file=str(path),
            hint="see whether you may write to its folder",
        ) from error
