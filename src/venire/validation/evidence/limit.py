"""A limit on evidence: predictions go, the oldest first; the answers that were drawn from them stay.

An answer has the losses of every setting that was tried, and the data of its pictures. A run whose predictions are gone
still tells its verdict and makes its report. Only a further question about it (another metric, more models, the same
command again) finds no trials, and runs them anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from venire.validation.evidence.pruning import removed
from venire.validation.evidence.runs import Runs, size_of
from venire.wording import count, size


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
