"""Whether a worker would come to the same bytes as this process: the same versions, and the same linear algebra.

What looks is sent by value, so that it runs, and says so, where there is no venire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from venire.errors import VenireError

# Their versions shape a prediction: evidence that was made by others is kept apart.
_LIBRARIES = ("venire", "numpy", "scipy", "scikit-learn")
_GIB = 2.0**30


@dataclass(frozen=True)
class Facts:
    """What a process says of itself."""

    name: str  # of a worker, as its cluster calls it
    address: str
    place: str  # equal for processes that share a temporary folder
    versions: Mapping[str, str | None]  # of Python and of libraries; None: not there
    threads: int
    memory: float | None  # bytes it may take; None where there is no limit

    def __str__(self) -> str:
        return self.name if self.name == self.address else f"{self.name} ({self.address})"


def inspector() -> Callable[..., dict[str, Any]]:
    """A function that tells at once what the process it runs in is, and loads nothing for it."""
    libraries = _LIBRARIES

    def inspect(dask_worker: Any = None) -> dict[str, Any]:
        import os
        import platform
        import socket
        import tempfile
        from importlib.metadata import PackageNotFoundError, version
        from importlib.util import find_spec

        versions: dict[str, str | None] = {"Python": ".".join(platform.python_version_tuple()[:2])}
        for library in libraries:
            try:
                versions[library] = version(library)
            except PackageNotFoundError:
                versions[library] = None
        try:
            found = find_spec("venire") is not None
        except ImportError:
            found = False
        if not found:
            versions["venire"] = None
        folder = os.stat(tempfile.gettempdir())
        return {
            "place": f"{socket.gethostname()} {folder.st_dev} {folder.st_ino}",
            "versions": versions,
            "name": None if dask_worker is None else str(dask_worker.name),
            "threads": 1 if dask_worker is None else dask_worker.state.nthreads,
            "memory": None if dask_worker is None else dask_worker.memory_manager.memory_limit,
        }

    return inspect


def loader(formats: Mapping[str, str]) -> Callable[..., Any]:
    """A function that loads what the work needs, beside the worker's own business, and tells what came.

    `formats` are constants, as `module:name`. Of linear algebra it tells the libraries, and the processor that each
    takes this one for.
    """

    async def load(dask_worker: Any = None) -> dict[str, Any]:
        from asyncio import to_thread

        def loaded() -> dict[str, Any]:
            from importlib import import_module

            told = {}
            for what, constant in formats.items():
                module, _, name = constant.partition(":")
                told[what] = str(getattr(import_module(module), name))
            import_module("scipy.linalg")
            libraries = import_module("threadpoolctl").threadpool_info()
            shown = ("internal_api", "version", "architecture")
            algebra = {" ".join(str(lib.get(key)) for key in shown) for lib in libraries if lib["user_api"] == "blas"}
            return {"formats": told, "algebra": sorted(algebra)}

        return await to_thread(loaded)

    return load


def facts_of(address: str, told: Mapping[str, Any]) -> Facts:
    """The facts that came back from a process."""
    name, memory = told["name"] or address, told["memory"]
    return Facts(name, address, told["place"], told["versions"], told["threads"], memory and float(memory))


def refuse_others(worker: Facts, here: Facts) -> None:
    """An error where a worker has other versions than this process, or none."""
    if worker.versions.get("venire") is None:
        raise VenireError(
            f"worker {worker} has no venire",
            code="worker_without_venire",
            hint=f"install venire {here.versions['venire']} there, or stop that worker; what was finished is kept",
        )
    for what, wanted in here.versions.items():
        if (found := worker.versions.get(what)) != wanted:
            raise VenireError(
                f"worker {worker} has {what} {found or 'not at all'}, and this process has {wanted}",
                code="worker_of_another_version",
                hint="install the same versions everywhere: others may come to other bytes; what was finished is kept",
            )


def refuse_unloaded(worker: Facts, told: object, wanted: Mapping[str, Any]) -> None:
    """An error where a worker cannot load what it needs, or loads something else."""
    if isinstance(told, ImportError | AttributeError):
        raise VenireError(
            f"worker {worker} cannot load venire: {type(told).__name__}: {told}",
            code="worker_without_venire",
            hint="install it there as it is here, or stop that worker; what was finished is kept",
        )
    if isinstance(told, dict) and told["formats"] != wanted["formats"]:
        raise VenireError(
            f"worker {worker} has {told['formats']}, and this process has {wanted['formats']}",
            code="worker_of_another_version",
            hint="install the same versions everywhere; what was finished is kept",
        )


def other_algebra(worker: Facts, told: object, wanted: Mapping[str, Any]) -> str | None:
    """What is to be warned of: linear algebra that may differ in the last bits; None where it is the same."""
    if not isinstance(told, dict) or told["algebra"] == wanted["algebra"]:
        return None
    return (
        f"worker {worker} computes linear algebra by {', '.join(told['algebra']) or 'an unknown library'}, and this "
        f"process by {', '.join(wanted['algebra']) or 'an unknown library'}: the last digits may differ from those of "
        "one machine; OPENBLAS_CORETYPE sets one processor for all"
    )


def refuse_too_large(size: int, workers: list[Facts], share: float) -> None:
    """An error where a table takes more than a share of what a worker may hold: it would be killed over and over."""
    for worker in workers:
        if worker.memory is not None and size > share * worker.memory:
            raise VenireError(
                f"the table takes {size / _GIB:.2g} GiB, and worker {worker} may take {worker.memory / _GIB:.2g} GiB, "
                f"of which {share:.0%} are for the table",
                code="worker_too_small",
                hint="start workers with a larger --memory-limit, or fewer of them on a machine",
            )
