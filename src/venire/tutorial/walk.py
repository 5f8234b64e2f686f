"""Going through lessons: words, code, what it prints, and a pause; and the same lessons as files."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

from venire.errors import UsageError
from venire.tutorial.cells import notebook
from venire.tutorial.steps import Lesson
from venire.tutorial.table_of_contents import LESSONS


def walk(lesson: Lesson, say: Callable[[str], None], pause: Callable[[], bool], width: int = 80) -> bool:
    """Go through a lesson; `pause` is asked after every step and ends it by False. Whether the end was reached."""
    say(f"{lesson.title}\n{'─' * len(lesson.title)}")
    playing = lesson.play()
    for step in lesson.steps:
        next(playing)  # as far as the words of this step: runs the code of the one before
        say(f"\n{textwrap.fill(step.words, width)}\n")
        say(textwrap.indent(step.code, "    ") + "\n")
        if not pause():
            playing.close()
            return False
    next(playing, None)  # the code of the last step
    return True


def course(lessons: Sequence[Lesson], say: Callable[[str], None], pause: Callable[[], bool]) -> None:
    """One lesson after the other, until the reader has had enough."""
    for number, lesson in enumerate(lessons):
        if number:
            say("")
        if not walk(lesson, say, pause):
            return


def enter() -> Callable[[], bool]:
    """A pause until Enter is pressed, q ends; none where nobody sits at a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return lambda: True
    return _pressed


def _pressed() -> bool:
    sys.stdout.write("Enter runs it, q ends: ")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return bool(line) and line.strip().lower() not in ("q", "quit")


def table() -> str:
    """The lessons, a line each."""
    widest = max(len(lesson.name) for lesson in LESSONS)
    return "\n".join(f"{number:>2}  {one.name:{widest}}  {one.title}" for number, one in enumerate(LESSONS, start=1))


def write_notebooks(folder: Path) -> list[Path]:
    """Write every lesson as a notebook, numbered in their order."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("this is a file, not a folder", code="cannot_write", file=str(folder), hint="name a folder")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, lesson in enumerate(LESSONS, start=1):
        path = folder / f"{number:02}-{lesson.name}.ipynb"
        path.write_text(json.dumps(notebook(lesson), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    return written
