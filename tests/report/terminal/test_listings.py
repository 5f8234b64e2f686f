from io import StringIO

from tests.report.samples import binary, many_classes
from venire.data import describe, read_table
from venire.report.terminal.console import make_console
from venire.report.terminal.listings import columns, models, reading_words, runs


def _printed(show, *arguments, width=80):
    target = StringIO()
    show(*arguments, make_console(target, width=width))
    return target.getvalue()


def _read(document):
    """The table of a verdict as `describe` has it."""
    classes = zip(document["classes"], document["class_counts"], strict=True)
    facts = [{"label": label, "rows": rows} for label, rows in classes]
    return document | {"target": {"name": document["target"], "task": document["task"], "classes": facts}}


def test_what_was_read_of_a_plain_table():
    text = _printed(columns, _read(binary()[0]))
    assert "bank.csv: 380 rows, 4 columns" in text
    assert "target class (classification): normal (343), fraud (37)" in text
    assert "2 rows without a target left out" in text
    assert "bank      categorical       12           7" in text
    assert "note_id   identifier  a different value in every row" in text
    assert "note: left: 2 infinite values read as missing (infinite_values)" in text


def test_odd_names_are_whole_and_harmless():
    text = _printed(columns, _read(many_classes()[0]))
    assert "<script>alert(1)</script>" in text
    assert "[red]colour[/red]" in text
    assert "tab\\there\\x1b[31m" in text
    assert text.count("long ") >= 60 - 8  # the name wraps, and nothing of it is lost but spaces at the breaks
    assert "and 14 more classes" in text


def test_a_table_without_a_target_has_no_target_line():
    assert reading_words({"source": "a.csv", "rows": 1, "columns": [{}]}) == ["a.csv: 1 row, 1 column"]


def test_the_bucket():
    rows = [{"family": "knn", "task": ["classification", "regression"], "path": "k = 1, 3, …, 29"}]
    text = _printed(models, rows)
    assert "knn     classification, regression  k = 1, 3, …, 29" in text


def test_runs_show_the_fields_they_have():
    text = _printed(runs, [{"key": "a1b2", "source": "bank.csv", "rows": 380, "error": 0.03124}])
    assert text.splitlines()[0].split() == ["run", "table", "rows", "error"]
    assert "0.0312" in text


def _run(**fields):
    return {
        "key": "943e01aa", "source": "telco_churn.csv", "target": "Churn", "rows": 7043, "trials": 1540,
        "chosen": "boosting", "metric": "error", "error": 0.1953, "when": "45 min ago", **fields,
    }  # fmt: skip


def test_runs_of_eighty_columns_break_no_word():
    whole = ["telco_churn.csv", "Churn", "7,043", "boosting"]
    text = _printed(runs, [_run(metric="rmse"), _run(state="interrupted")])
    assert [line.split() for line in text.splitlines()[2:4]] == [
        ["943e01aa", *whole, "rmse", "0.195", "45", "min", "ago"],
        ["943e01aa", *whole, "*", "error", "0.195", "45", "min", "ago"],
    ]
    assert "metric" not in _printed(runs, [_run(), _run()])


def test_a_run_by_a_score_shows_the_score_under_its_name():
    score = {"metric": "auc", "higher_is_better": True, "score_label": "AUC", "error": 0.2123, "interval": [0.16, 0.28]}
    text = _printed(runs, [_run(**score)])
    assert "AUC" in text.splitlines()[0].split()
    assert "0.79" in text.splitlines()[2].split()
    both = _printed(runs, [_run(**score), _run()]).splitlines()
    assert {"metric", "result"} <= set(both[0].split())
    assert both[2].split()[5:7] == ["AUC", "0.79"]
    assert both[3].split()[5:7] == ["error", "0.195"]


def test_names_without_room_lose_their_end_and_nothing_else():
    long = _run(source="customers_of_the_last_ten_years.parquet", target="left_within_a_year", chosen="naive_bayes")
    own = _run(chosen="linear_discriminant_analysis", metric="balanced_error")
    lines = _printed(runs, [long, own]).splitlines()
    assert len(lines) == 5  # head, rule, two runs, one blank
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("943e01aa  ") and line.endswith("45 min ago") for line in lines[2:4])
    assert {"naive_bayes", "error", "7,043", "0.195"} <= set(lines[2].split())
    assert lines[2].split()[1].startswith("cus")
    assert lines[2].split()[2].startswith("lef")
    assert {"linear_discri…", "balanced", "7,043", "0.195", "Churn"} <= set(lines[3].split())


def test_runs_that_are_not_complete_say_so():
    states = ["complete", "budget", "interrupted"]
    rows = [_run(key=f"run{at}", state=state) for at, state in enumerate(states)]
    none = {"key": "run3", "source": "telco_churn.csv", "rows": 7043, "state": "no verdict"}
    text = _printed(runs, [*rows, none])
    said = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert "boosting  " in said["run0"]
    assert "boosting ** " in said["run1"]
    assert "boosting * " in said["run2"]
    assert "no verdict" in said["run3"]
    assert said["*"] == "*  interrupted: the same command resumes it"
    assert said["**"].startswith("** out of time")
    assert "*" not in _printed(runs, [rows[0], none])


def test_no_runs_say_how_to_make_one():
    assert "venire compare" in _printed(runs, [])


def test_what_describe_tells(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a.csv"
    file.write_text("size;shop;sold\n" + "".join(f"{n},5;{'nord' if n % 3 else 'süd'};{n * 7000}\n" for n in range(40)))
    text = _printed(columns, describe(read_table(file, "sold")))
    assert "a.csv: 40 rows, 2 columns" in text
    assert "target sold (regression): 0 … 273,000" in text
    assert "read as utf-8, delimiter ';', decimal ','" in text
    assert "size    numeric            0        40  0.5 … 39.5" in text
    assert "nord (26), süd (14)" in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_many_categories_are_told_as_far_as_a_line_goes(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("a,b\n" + "".join(f"category number {n % 7},{n}\n" for n in range(70)))
    text = _printed(columns, describe(read_table(file, categorical=["a"])))
    assert "category number 0 (10), …" in text


def test_columns_that_write_numbers_with_a_comma_are_named(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("price;size\n" + "".join(f"€ {n}.234,50;{n}.5\n" for n in range(1, 40)))
    text = _printed(columns, describe(read_table(file)))
    assert "read as utf-8, delimiter ';', decimal '.', but ',' in price" in text
    file.write_text("size\n" + "".join(f"{n}.5\n" for n in range(1, 40)))
    assert "but ',' in" not in _printed(columns, describe(read_table(file)))
