"""`venire report` of two runs: the page names them as `venire runs` does, and says whether they differ."""

from __future__ import annotations

import pytest

QUICK = ("--models", "baseline,naive_bayes", "--folds", 3, "--jobs", 1, "-q")


@pytest.fixture
def two_runs(venire, table):
    for name, seed in (("before", 0), ("after", 1)):
        assert venire("compare", table.name, "-t", "y", "--name", name, "--seed", seed, *QUICK).code == 0


@pytest.mark.usefixtures("two_runs")
def test_two_runs_of_one_table_are_told_apart_by_their_names(venire, tmp_path):
    said = venire("report", "before", "--compare", "after", "-o", "two.html")
    assert (said.code, said.out, said.err) == (0, "two.html\n", "")
    page = (tmp_path / "two.html").read_text(encoding="utf-8")
    assert "<dt>First run: before (" in page
    assert "<dt>Second run: after (" in page


@pytest.mark.usefixtures("two_runs")
def test_a_run_does_not_differ_from_itself(venire, tmp_path):
    assert venire("report", "before", "--compare", "before", "-o", "same.html").code == 0
    assert "<h1>There is no difference" in (tmp_path / "same.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("two_runs")
def test_a_run_that_is_not_there_is_2(venire, tmp_path):
    said = venire("report", "before", "--compare", "nosuch", "-o", "two.html")
    assert said.code == 2
    assert said.err.startswith("error: 'nosuch' matches no run")
    assert not (tmp_path / "two.html").exists()
