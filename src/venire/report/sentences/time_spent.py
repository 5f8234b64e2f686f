"""What a verdict took, in words: the work, and how much of it went beyond the budget."""

from __future__ import annotations

from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import Document
from venire.wording import count, duration

_STAGES = {
    "reading": "starting and reading",
    "trials": "the trials",
    "checks": "checking models for leaks",
    "verdict": "the verdict",
}


def work_words(document: Document) -> str:
    """How many trials there are, which of them were kept, how long it took, and what was over the budget; else empty.

    >>> work_words({"timing": {"trials": 0, "reused": 770, "seconds": 2.04}})
    '770 trials, all of them kept from an earlier run; this run took 2.0 s.'
    >>> work_words({"timing": {"trials": 770, "reused": 0, "workers": 3, "seconds": 62.0}})
    '770 trials on 3 workers of a cluster; this run took 1 min 2 s.'
    """
    timing = document.get("timing")
    if not timing:
        return ""
    run, reused = int(timing.get("trials") or 0), int(timing.get("reused") or 0)
    found = "" if not reused else f", {count(reused) if run else 'all'} of them kept from an earlier run"
    workers = int(timing.get("workers") or 0) if run else 0
    where = f" on {count(workers, 'worker')} of a cluster" if workers else ""
    work = f"{count(run + reused, 'trial')}{where}{found}"
    over = over_budget_words(document)
    return f"{work}. {over}" if over else f"{work}; this run took {duration(timing.get('seconds'))}."


def over_budget_words(document: Document) -> str:
    """By how much the run went beyond its budget, and where the time went; empty where it did not.

    >>> over_budget_words({"timing": {"seconds": 9.04, "budget": 3.0, "stages": {"reading": 2.0, "verdict": 7.0}}})
    'This took 9.0 s, 6.0 s more than the budget of 3 s: starting and reading 2 s, the verdict 7 s.'
    """
    timing = document.get("timing") or {}
    seconds, budget = finite(timing.get("seconds")), finite(timing.get("budget"))
    if seconds is None or budget is None or seconds <= budget:
        return ""
    stages = timing.get("stages") or {}
    where = ", ".join(f"{name} {duration(stages[key])}" for key, name in _STAGES.items() if stages.get(key))
    more = f"This took {duration(seconds)}, {duration(seconds - budget)} more than the budget of {duration(budget)}"
    return f"{more}: {where}." if where else f"{more}."
