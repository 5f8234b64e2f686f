"""The command in a process that is forked off one that has imported venire already.

To import is most of what a small command does, and hundreds of them are to be killed while they do something else. The
process is the leader of a session of its own, and everything after the import is as in a fresh one.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])


def _import_all() -> None:
    """Every module of venire that can be imported here: some need a package that is no must."""
    import venire

    for module in pkgutil.walk_packages(venire.__path__, "venire."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):
                importlib.import_module(module.name)


if os.environ.get("VENIRE_WARM") == "1":  # the server alone: whoever only asks it has no use for them
    _import_all()


def _command(words: Sequence[str], environment: Mapping[str, str], out: Path, error: Path) -> None:
    os.setsid()
    for path, place in ((out, 1), (error, 2)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), place)
    os.environ.update(environment)
    sys.argv = ["venire", *words]
    from venire.cli.main import run

    run()


def run_warm(
    words: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    kill_after: float | None,
    by: signal.Signals,
) -> tuple[int, str, str, float]:
    """Exit code (minus a signal that killed it), what it wrote to the output and beside it, and its seconds."""
    out, error = folder / "out", folder / "error"
    os.environ["VENIRE_WARM"] = "1"
    process = _CONTEXT.Process(target=_command, args=(list(words), dict(environment), out, error))
    process.start()
    began = time.monotonic()
    process.join(kill_after)
    if process.is_alive() and process.pid is not None:
        try:
            os.killpg(process.pid, by)
        except ProcessLookupError:  # killed before it could open its session
            with suppress(ProcessLookupError):
                os.kill(process.pid, by)
        process.join()
    seconds = time.monotonic() - began
    said, complained = (path.read_text(encoding="utf-8") if path.exists() else "" for path in (out, error))
    return process.exitcode or 0, said, complained, seconds
