import json
from pathlib import Path

import pytest

from venire.errors import UsageError
from venire.tutorial.table_of_contents import LESSONS, find
from venire.tutorial.walk import course, enter, table, walk, write_notebooks


def test_a_reader_who_has_enough_ends_a_lesson(capsys):
    said, answers = [], iter([True, False])
    assert not walk(find("golf"), said.append, lambda: next(answers))
    assert capsys.readouterr().out.startswith("9 days with golf, 5 without")  # the first step alone was run
    assert not any("Gain(" in line for line in said[-1:])


def test_a_course_goes_on_with_the_next_lesson(capsys):
    said = []
    course([find("majority"), find("matrix")], said.append, lambda: True)
    text = capsys.readouterr().out
    assert "0.06\n" in text
    assert "precision 39.13%, F1 33.96%" in text
    assert {find("majority").title, find("matrix").title} <= {line.partition("\n")[0] for line in said}


def test_nobody_at_a_terminal_means_no_pause():
    assert enter()()


def test_the_list_names_every_lesson():
    assert [line.split()[1] for line in table().splitlines()] == [lesson.name for lesson in LESSONS]


def test_the_notebooks_in_the_documentation_are_up_to_date(tmp_path):
    folder = Path(__file__).parents[2] / "docs/notebooks"
    written = write_notebooks(tmp_path)
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")}
    assert there == {path.name: path.read_text(encoding="utf-8") for path in written}, (
        "run `venire tutorial --notebooks docs/notebooks` and commit the result"
    )


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError, match="this is a file, not a folder"):
        write_notebooks(tmp_path / "taken")


def test_a_notebook_has_the_form_that_jupyter_reads(tmp_path):
    for path in write_notebooks(tmp_path):
        book = json.loads(path.read_text(encoding="utf-8"))
        assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
        assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
        assert all(cell["source"] for cell in book["cells"])
