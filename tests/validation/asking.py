"""Questions about a small table, asked and not answered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification
from venire.data.table import Task
from venire.metrics import metric
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.evidence.questions import Kind, Question
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily

TABLE = classification(40, source="some.csv")


def key_of(name: str) -> FamilyKey:
    family = GenericFamily(name, classifier=GaussianNB())
    return FamilyKey.of(family, family.path(TABLE))


def question_of(*names: str, seed: int = 0, **changes: Any) -> Question:
    measure = metric("error", Task.CLASSIFICATION)
    keys = tuple(key_of(name) for name in names)
    asked = Question(Kind.COMPARISON, TABLE, make_plan(TABLE, folds=4, seed=seed), measure, keys, (), names)
    return replace(asked, **changes)


def ask(home: Path, *names: str, **changes: Any) -> str:
    """Ask, keep some evidence of every family, answer; the key of the run."""
    question = question_of(*names, **changes)
    with Runs(home).asked(question) as asked:
        for key in question.families:
            folder = home / "evidence" / question.evidence / str(key)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "some.trial").write_bytes(b"x" * 1000)
        asked.answer(b"{}")
    return asked.folder.name
