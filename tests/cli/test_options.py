import pytest
import typer

from venire.cli.options import names, one_or_many, seconds, share, whole_number
from venire.errors import UsageError


def test_names_are_split_at_commas_unless_quoted():
    assert names(["id, name", "zip"]) == ("id", "name", "zip")
    assert names(['"last, first",id']) == ("last, first", "id")
    assert names([",", ""]) == ()
    assert names(None) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("none", None), ("None", None), ("90", 90.0), ("1.5m", 90.0), ("2h", 7200.0), (" 30s ", 30.0)],
)
def test_a_budget(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["abc", "", "0", "-3", "inf", "nan", "m", "5d"])
def test_no_budget(text):
    with pytest.raises(UsageError, match="is not a time for --budget") as caught:
        seconds(text)
    assert caught.value.code == "bad_budget"


def test_a_whole_number():
    assert whole_number("12") == 12
    with pytest.raises(typer.BadParameter, match=r"'1\.5' is not a whole number"):
        whole_number("1.5")


@pytest.mark.parametrize(("text", "expected"), [("0.25", 0.25), ("1/3", 1 / 3), (" .5 ", 0.5), ("1e-2", 0.01)])
def test_a_share(text, expected):
    assert share(text) == expected


@pytest.mark.parametrize("text", ["", "a", "0", "1", "-1/3", "3/2", "1/0", "nan", "inf", "33%"])
def test_no_share(text):
    with pytest.raises(typer.BadParameter, match="is not a share between 0 and 1"):
        share(text)


def test_one_table_or_several():
    assert one_or_many(["a.csv"]) == "a.csv"
    assert one_or_many(["a.csv", "b.csv"]) == ["a.csv", "b.csv"]
