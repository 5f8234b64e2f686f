from io import StringIO

import pytest

from venire.report.terminal.console import make_console
from venire.report.terminal.runs import deleted, runs


def printed(rows, *further, width=80):
    stream = StringIO()
    runs(rows, make_console(stream, width=width), *further)
    return stream.getvalue()


def run(**fields):
    return {
        "key": "943e01aa", "kind": "comparison", "name": "churn.csv", "target": "Churn", "models": ["tree", "vote"],
        "chosen": "boosting", "metric": "error", "metric_label": "error rate", "error": 0.1953, "state": "complete",
        "interval": [0.185, 0.205], "bytes": 1_900_000_000, "when": "45 min ago", **fields,
    }  # fmt: skip


SCORE = {"metric": "auc", "higher_is_better": True, "score_label": "AUC", "error": 0.2123, "interval": [0.16, 0.28]}


def test_a_run_has_a_name_its_models_the_figure_people_know_its_size_and_when_it_was_run():
    head, _, first, second, _ = printed([run(), run(**SCORE, chosen="knn")]).splitlines()
    assert head.split() == ["run", "name", "models", "chosen", "result", "size", "last", "run"]
    assert " ".join(first.split()) == "943e01aa churn.csv 2 boosting error 19.5 % 1.9 GB 45 min ago"
    assert " ".join(second.split()) == "943e01aa churn.csv 2 knn AUC 0.79 1.9 GB 45 min ago"


def test_the_target_is_shown_where_the_name_does_not_tell():
    assert "target" not in printed([run(), run(name="other.csv", target="other")])
    text = printed([run(), run(target="other")])
    assert "target" in text.splitlines()[0]
    assert "other" in text.splitlines()[3]


def test_names_without_room_lose_their_end_and_nothing_else():
    long = run(name="customers_of_the_last_ten_years.parquet", chosen="naive_bayes")
    own = run(chosen="linear_discriminant_analysis", target="left_within_a_year", name=long["name"])
    lines = printed([long, own]).splitlines()
    assert len(lines) == 5  # head, rule, two runs, one blank
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("943e01aa  cus") and line.endswith("45 min ago") for line in lines[2:4])
    assert "naive_bayes" in lines[2]
    assert "linear_discri…" in lines[3]


def test_runs_that_are_not_complete_say_so():
    states = ["complete", "budget", "interrupted", "running", "damaged"]
    rows = [run(key=f"run{at}", state=state) for at, state in enumerate(states)]
    none = {"key": "run5", "name": "churn.csv", "state": "no verdict", "kind": "comparison"}
    selected = {
        "key": "run6",
        "name": "churn.csv",
        "state": "no verdict",
        "kind": "selection",
        "models": ["select_linear"],
    }
    text = printed([*rows, none, selected])
    said = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "boosting  " in said["run0"]
    assert "boosting ** " in said["run1"]
    assert "boosting * " in said["run2"]
    assert "boosting … " in said["run3"]
    assert "boosting ! " in said["run4"]
    assert "no verdict" in said["run5"]
    assert said["run6"].split()[2:5] == ["1", "linear", "selection"]
    assert said["*"] == "*  interrupted: the same command resumes it"
    assert said["**"].startswith("** out of time")
    assert said["…"] == "…  running"
    assert said["!"].startswith("!  its verdict is damaged")
    assert "*" not in printed([rows[0], none])


def test_what_cannot_be_read_is_named_with_the_way_out():
    text = printed([run()], [{"key": "0011223344556677", "why": "its rows is 'x'"}], 1_900_000_000)
    assert "run 0011223344556677 cannot be read: its rows is 'x'\ndelete such a run with --delete" in text
    assert text.endswith("1.9 GB in all\n")
    alone = printed([], [{"key": "0011", "why": "odd"}])
    assert alone.startswith("run 0011 cannot be read: odd\n")


def test_no_runs_say_how_to_make_one():
    assert "venire compare" in printed([])


@pytest.mark.parametrize(
    ("runs_gone", "running", "said"),
    [
        ([], [], "0 runs deleted, 0 bytes freed; 2 MB left in home\n"),
        (
            [{"key": "ab", "name": "x.csv"}],
            [{"key": "cd", "name": "y.csv"}],
            "deleted run ab (x.csv)\nkept run cd (y.csv): it is running\n"
            "1 run deleted, 45 kB freed; 2 MB left in home\n",
        ),
    ],
)
def test_what_was_deleted(runs_gone, running, said):
    stream = StringIO()
    freed = 45_000 if runs_gone else 0
    document = {"deleted": runs_gone, "running": running, "bytes_freed": freed, "bytes_left": 2_000_000, "home": "home"}
    deleted(document, make_console(stream, width=80))
    assert stream.getvalue() == said
