"""A limit on evidence: predictions go, the oldest first; the answers that were drawn from them stay.

An answer has the losses of every setting that was tried, and the data of its pictures. A run whose predictions are gone
still tells its verdict and makes its report. Only a further question about it (another metric, more models, the same
command again) finds no trials, and runs them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from venire.errors import VenireError
from venire.validation.evidence.pruning import removed
from venire.validation.evidence.runs import Runs, size_of
from venire.wording import count, size

if TYPE_CHECKING:
    from venire.validation.trials.effort import Tick

BETWEEN = 10.0  # seconds between two looks of a run that goes on: each goes through all files of evidence


@dataclass(frozen=True)
class Bounded:
    """What evidence takes, what it may take, and what was dropped for it."""

    bytes: int
    limit: int
    families: int  # whose predictions were dropped: of one table and plan each
    freed: int

    def __str__(self) -> str:
        """As it is told."""
        takes = f"evidence takes {size(self.bytes)} of the {size(self.limit)} that it may take"
        if self.bytes > self.limit:
            takes = f"evidence takes {size(self.bytes)}, more than {size(self.limit)}: other runs are working on it"
        if not self.families:
            return takes
        what = count(self.families, "family", "families")
        return f"{takes}; predictions of {what} were dropped ({size(self.freed)}), their figures are kept"


def keep_within(home: Runs, limit: int) -> Bounded:
    """Drop predictions until the evidence of a home takes no more than so many bytes; none that a run is working on.

    What was used longest ago goes first, and of one run the largest; nobody begins a run meanwhile.
    """
    evidence = home.home / "evidence"
    if not evidence.is_dir():
        return Bounded(0, limit, 0, 0)
    with home.locked():
        sizes = {folder: size_of([folder]) for folder in evidence.glob("*/*") if folder.is_dir()}
        total, dropped = sum(sizes.values()), []
        for folder in _oldest_first(home, sizes):
            if total <= limit:
                break
            removed(folder)
            dropped.append(folder)
            total -= sizes[folder]
    return Bounded(total, limit, len(dropped), sum(sizes[folder] for folder in dropped))


class Bounding:
    """Hears of every step of a run, and now and then drops what is too much; in the end, of that run as well."""

    def __init__(self, limit: int, heard: Callable[[Tick], None]) -> None:
        self._limit, self._heard = limit, heard
        self._dropped: list[Bounded] = []
        self._last = -BETWEEN

    def __call__(self, tick: Tick) -> None:
        """A step."""
        if monotonic() - self._last >= BETWEEN:
            with suppress(VenireError):  # it is said in the end, if it is so then
                self._look()
            self._last = monotonic()
        self._heard(tick)

    def end(self) -> Bounded:
        """The last look, now that nothing of this run is needed any more; what was dropped in all."""
        self._look()
        total = self._dropped
        families, freed = (sum(of) for of in zip(*((one.families, one.freed) for one in total), strict=True))
        return replace(total[-1], families=families, freed=freed)

    def _look(self) -> None:
        self._dropped.append(keep_within(Runs.default(), self._limit))


def _oldest_first(home: Runs, sizes: dict[Path, int]) -> list[Path]:
    """The folders of families that no running run uses, by when one was run that did."""
    last: dict[Path, float] = {}
    busy: set[Path] = set()
    for run in home.all():
        folders = home.evidence_of(run)
        if home.running(run):
            busy.update(folders)
        for folder in folders:
            last[folder] = max(last.get(folder, 0.0), run.asked_last.timestamp())
    free = [folder for folder in sizes if folder not in busy]
    return sorted(free, key=lambda folder: (last.get(folder, 0.0), -sizes[folder], folder))
