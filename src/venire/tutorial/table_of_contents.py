"""The lessons in their order, from a single tree to the comparison of two classifiers."""

from __future__ import annotations

from venire.errors import UsageError
from venire.tutorial.lessons import how_good, many_as_one, single_learners
from venire.tutorial.steps import Lesson

LESSONS = (
    Lesson("golf", single_learners.golf),
    Lesson("bayes", single_learners.bayes),
    Lesson("overfitting", single_learners.overfitting),
    Lesson("matrix", how_good.matrix),
    Lesson("roc", how_good.roc),
    Lesson("two-layers", how_good.two_layers),
    Lesson("majority", many_as_one.majority),
    Lesson("bagging", many_as_one.bagging),
    Lesson("forest", many_as_one.forest),
    Lesson("adaboost", many_as_one.adaboost),
    Lesson("rare", how_good.rare),
    Lesson("pairs", many_as_one.pairs),
    Lesson("stacking", many_as_one.stacking),
    Lesson("difference", how_good.difference),
)


def find(name: str) -> Lesson:
    """The lesson of that name or number; an error lists those there are.

    >>> find("golf").title == find("1").title
    True
    """
    for number, lesson in enumerate(LESSONS, start=1):
        if name in (lesson.name, str(number)):
            return lesson
    there = ", ".join(lesson.name for lesson in LESSONS)
    raise UsageError(f"there is no lesson {name!r}", code="unknown_lesson", hint=f"choose one of: {there}")
