"""A thread that the system refuses to start is done without: the work goes on, and has the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits that refuse a thread are those of Linux")

# Boosts with 8 threads under a limit, and with one thread without: prints how many threads were started for it.
SCRIPT = """
import os, resource, sys
import numpy as np
from venire._core import Bins, Booster, BoostPlan

def booster():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3000, 6))
    y = rng.integers(0, 8, size=3000).astype(float)
    plan = BoostPlan()
    plan.loss, plan.outputs = "multinomial", 8
    bins = Bins.of(x, np.zeros(6, dtype=bool), None, max_bins=255, threads=8)
    return Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=8)

def threads_now():
    return len(os.listdir("/proc/self/task"))

def grow(threads, seen):
    one = booster()
    one.advance(3, threads=threads, go_on=lambda: seen.append(threads_now()) is None)
    return one.scores().tobytes()

alone = grow(1, [])
limit, room = sys.argv[1], int(sys.argv[2])
if limit == "processes":
    if os.getuid() == 0:  # the limit does not hold for root
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    resource.setrlimit(resource.RLIMIT_NPROC, (room, room))
else:
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
before, seen = threads_now(), []
assert grow(8, seen) == alone, "other bytes"
print(seen[-1] - before)
"""

STACK = 8 << 20  # bytes, which `ulimit -s` gives to every thread below


def run(limit: str, room: int) -> int:
    """How many threads were started under the limit."""
    shell = ["/bin/sh", "-c", f'ulimit -s {STACK >> 10} && exec "$@"', "sh"]
    done = subprocess.run(
        [*shell, sys.executable, "-c", SCRIPT, limit, str(room)],
        capture_output=True,
        text=True,
        timeout=120,  # a pool that waits for a thread that never came would wait for ever
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_without_a_limit_threads_are_started() -> None:
    assert run("memory", 1 << 40) == 7


def test_no_thread_but_the_callers() -> None:
    assert run("processes", 0) == 0


@pytest.mark.skipif("san.so" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer needs address space itself")
def test_some_of_the_threads() -> None:
    assert 0 < run("memory", 3 * STACK) < 7
