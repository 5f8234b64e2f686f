from io import StringIO

from tests.report.samples import binary, many_classes
from venire.data import describe, read_table
from venire.report.terminal.console import make_console
from venire.report.terminal.listings import columns, models, reading_words


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
