"""How many trials run at a time where nobody says how many."""

from __future__ import annotations

from venire.advice import Advice, Option
from venire.errors import UsageError


def job_count(jobs: int | None) -> int:
    """That many; for None one per core this process may use, by its affinity and the limits of its container.

    >>> job_count(3), job_count(None) >= 1
    (3, True)
    """
    if jobs is None:
        from joblib import cpu_count

        return int(cpu_count())
    if jobs < 1:
        raise UsageError(
            f"jobs must be at least 1, not {jobs}", code="bad_jobs", hint=Advice(Option("jobs", 1), " uses one core")
        )
    return jobs
