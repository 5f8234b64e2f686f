"""The command line, with a note of every step: when it was, and how long it said that everything still takes.

python -m benchmarks.reliability.noting_time_left compare table.csv --target y …    notes go to VENIRE_NOTES
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from venire.cli import comparing
from venire.cli.main import run
from venire.report.terminal.progress import Shown

if TYPE_CHECKING:
    from venire.validation.trials.effort import Tick


class Noting(Shown):
    """Shows progress, and writes a line for every step."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._file = open(os.environ["VENIRE_NOTES"], "w", encoding="utf-8")  # noqa: SIM115  # as long as the process

    def __call__(self, tick: Tick) -> None:
        """One step."""
        super().__call__(tick)
        if tick.left is not None:
            self._file.write(f"{time.time():.3f} {tick.left:.3f}\n")
            self._file.flush()


if __name__ == "__main__":
    vars(comparing)["Shown"] = Noting
    run()
