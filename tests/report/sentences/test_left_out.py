"""What became of the table: told, and no longer than a verdict can bear."""

from io import StringIO

from venire.report.sentences.left_out import account, left_out, notes
from venire.report.terminal.console import make_console


def _document(columns):
    return {
        "rows_without_target": 3,
        "left_out": [{"name": f"c{j}", "reason": "every value is missing"} for j in range(columns)],
        "notes": [
            {"code": "rows_without_target", "message": "3 rows without a target left out", "column": "y"},
            {"code": "infinite_values", "message": "7 infinite values taken as missing", "column": "a"},
            {"code": "wide", "message": "more columns than rows", "column": None},
        ],
    }


def test_a_table_of_many_columns_does_not_push_the_verdict_away():
    items = left_out(_document(1000))
    assert items[0] == ("3 rows", "the target is missing")
    assert len(items) == 9
    assert items[-1] == ("993 more", "see `venire show`")
    assert [name for name, _ in left_out(_document(8))][1:] == [f"c{j}" for j in range(8)]


def test_what_is_told_once_is_not_told_again():
    assert notes(_document(0)) == [
        ("a", "7 infinite values taken as missing"),
        ("the table", "more columns than rows"),
    ]


def test_nothing_to_say_is_not_said():
    target = StringIO()
    account({"rows_without_target": 0, "left_out": [], "notes": []}, make_console(target, width=80))
    assert target.getvalue() == ""
