"""The queue of jobs: one runs at a time, in a process of its own, and the others wait."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from venire.disk.locks import in_use
from venire.serve.refused import Refusal
from venire.studio.job_folders import (
    END,
    PROGRESS,
    RUNNING,
    RUNNING_SIGN,
    STARTED,
    STOPPED,
    WAITING,
    Job,
    Jobs,
    read_plain,
    write_plain,
)

_PAUSE = 0.2  # seconds between two looks at the queue


class Queue:
    """Starts the job that has waited longest when none runs, and stops those that are to be stopped."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._process: subprocess.Popen[bytes] | None = None

    async def keep_going(self) -> None:
        """Look after the queue until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(_PAUSE)

    def look(self) -> None:
        """Start the next job, if it is its turn."""
        if self._process is not None and self._process.poll() is None:
            return
        self._process = None
        states = [(job, job.state) for job in self._jobs.all()]
        if any(state == RUNNING for _, state in states):
            return  # one that an earlier studio began
        for job, state in states:
            if state == WAITING:
                self._process = started(job, self._jobs.home)
                return

    def stop(self, job: Job) -> None:
        """Have a job stopped: what it finished is kept. One that waits does so no more."""
        state = job.state
        if state == WAITING:
            write_plain(job.folder / END, {"state": STOPPED})
        elif state == RUNNING and in_use(job.folder, RUNNING_SIGN):
            pid = read_plain(job.folder / PROGRESS).get("pid")
            if isinstance(pid, int) and pid > 1:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGINT)
        else:
            raise Refusal(409, "not_running", "this job has ended already")

    async def close(self, seconds: float) -> None:
        """Stop the job that runs, and wait for it a while; it can be resumed."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGINT)
        for _ in range(int(seconds / 0.05)):
            if process.poll() is not None:
                return
            await asyncio.sleep(0.05)
        process.kill()
        process.wait()


def started(job: Job, home: Path) -> subprocess.Popen[bytes]:
    """The process of a job; it is a group of its own, so that Ctrl-C at the terminal reaches the studio alone."""
    process = subprocess.Popen(
        [sys.executable, "-m", "venire.studio.job_process", str(job.folder), str(home)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=job.folder,  # where a text that looks like a path leads nowhere
        start_new_session=True,
    )
    write_plain(job.folder / STARTED, {"pid": process.pid, "at": time.time()})
    return process
