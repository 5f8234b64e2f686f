"""How many trials run at a time: one rule for every command and function."""

from __future__ import annotations

import joblib
import pytest

from venire.errors import UsageError
from venire.validation.jobs import job_count


def test_what_is_asked_for_is_what_there_is() -> None:
    assert job_count(3) == 3


def test_without_a_wish_it_is_one_per_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblib, "cpu_count", lambda: 7)
    assert job_count(None) == 7


@pytest.mark.parametrize("jobs", [0, -1])
def test_less_than_one_is_refused(jobs: int) -> None:
    with pytest.raises(UsageError, match=f"jobs must be at least 1, not {jobs}") as caught:
        job_count(jobs)
    assert caught.value.code == "bad_jobs"
