"""Which cluster is meant: an address, a scheduler file, or a `Client` or `Cluster` of Dask."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from venire.advice import Advice, Option
from venire.errors import UsageError

_SCHEMES = ("tcp", "tls", "ucx", "ws", "wss", "inproc")


@dataclass(frozen=True, eq=False)
class Where:
    """A cluster, and a folder that all its machines and this one share, if there is one."""

    cluster: Any
    shared: Path | None = None

    @classmethod
    def of(cls, cluster: Any, shared: str | os.PathLike[str] | None = None) -> Where | None:
        """What was asked for, once it makes sense; None where no cluster was."""
        if cluster is None:
            if shared is not None:
                raise UsageError(
                    "a shared folder is for trials on a cluster",
                    code="shared_without_cluster",
                    hint=Advice("name the cluster with ", Option("cluster")),
                )
            return None
        if find_spec("distributed") is None:
            raise UsageError(
                "a cluster needs Dask's distributed, which is not installed",
                code="no_distributed",
                hint="install it with pip install 'venire[cluster]'",
            )
        return cls(_checked(cluster), _folder(shared))

    def options(self) -> dict[str, Any]:
        """What a new client of Dask is to be given."""
        if isinstance(self.cluster, Path):
            return {"scheduler_file": str(self.cluster)}
        return {"address": self.cluster}

    def __str__(self) -> str:
        if isinstance(self.cluster, str | Path):
            return str(self.cluster)
        scheduler = getattr(self.cluster, "scheduler", None)
        return str(getattr(self.cluster, "scheduler_address", None) or getattr(scheduler, "address", "the cluster"))


def _checked(cluster: Any) -> Any:
    from distributed import Client
    from distributed.deploy.cluster import Cluster

    if isinstance(cluster, Client | Cluster):
        if cluster.asynchronous:
            raise UsageError(
                f"the {type(cluster).__name__} is asynchronous", code="bad_cluster", hint="give one that is not"
            )
        return cluster
    if isinstance(cluster, str) and cluster.partition("://")[0] in _SCHEMES and "://" in cluster:
        return cluster
    if isinstance(cluster, str | os.PathLike):
        path = Path(cluster)
        if path.is_file():
            return path
        host, _, port = str(cluster).rpartition(":")
        if host and port.isdigit() and os.sep not in host:
            return f"tcp://{cluster}"
    raise UsageError(
        f"there is no cluster {str(cluster)[:100]!r}",
        code="bad_cluster",
        hint="give an address such as tcp://10.0.0.1:8786, a scheduler file, or a Client or Cluster of Dask",
    )


def _folder(shared: str | os.PathLike[str] | None) -> Path | None:
    if shared is None:
        return None
    folder = Path(shared).absolute()
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise UsageError(
            f"the shared folder {folder} is none, or cannot be written",
            code="bad_shared",
            hint="it has to be there on every machine of the cluster, under the same name",
        )
    return folder
