import pytest

from venire.tutorial.steps import Lesson
from venire.tutorial.table_of_contents import LESSONS


def two_steps():
    """A lesson"""
    yield "First."
    one = 1
    yield "Then."
    if one:
        one += 1


def test_the_code_of_a_step_is_what_stands_up_to_the_next_words():
    steps = Lesson("small", two_steps).steps
    assert [(step.words, step.code) for step in steps] == [("First.", "one = 1"), ("Then.", "if one:\n    one += 1")]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_says_what_it_shows(lesson):
    assert lesson.title
    assert len(lesson.steps) >= 2
    assert all(step.code and len(step.words) > 20 for step in lesson.steps)
    assert (
        max(len(line) for step in lesson.steps for line in step.code.splitlines()) <= 76
    )  # 80 columns, less the indent
