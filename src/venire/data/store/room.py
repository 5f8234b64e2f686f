"""How much room there is, in memory and on disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

_SHARE = 0.25  # of the memory there is: what a table may take without being kept in files


def available_memory() -> float:
    """Bytes that can be used without swapping, as far as the system tells."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 4.0 * 2**30


def memory_for_a_table(gigabytes: float | None) -> float:
    """Bytes that the matrix of a table may take in memory: those that were given, or a quarter of what there is.

    >>> memory_for_a_table(0.5)
    500000000.0
    """
    return _SHARE * available_memory() if gigabytes is None else 1e9 * gigabytes


def free_on_disk(folder: Path) -> int:
    """Bytes free where this folder is, or will be."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(there).free
