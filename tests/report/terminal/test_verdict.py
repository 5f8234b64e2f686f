from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.report.samples import SAMPLES, binary, one_family
from venire.report.terminal.console import make_console
from venire.report.terminal.verdict import Field, fields, fitting, leaderboard, to_text


@pytest.mark.parametrize("width", [30, 60, 80, 120])
@pytest.mark.parametrize("sample", SAMPLES)
def test_no_line_is_wider_than_the_terminal(sample, width):
    document, _ = SAMPLES[sample]()
    assert max(cell_len(line) for line in to_text(document, width=width).splitlines()) <= width


def test_eighty_columns_hold_every_figure_and_whole_family_names():
    lines = to_text(binary()[0]).splitlines()
    assert lines[0] == "class in bank.csv · 380 rows · 2 classes · 10 folds · error rate"
    assert lines[1].split("  ")[0] == "family"
    for title in ("error", "95 % interval", "training", "1-layer", "P(best)"):
        assert title in lines[1]
    assert lines[3] == "procedure    forest, q=3       0.032  [0.011, 0.052]     0.021    0.029        –"
    assert lines[12].startswith("neural_net   hidden=32 ")
    assert any(line.startswith("naive_bayes  α=1") for line in lines)
    assert any("C=100, kernel=r…" in line for line in lines), "spaces are given up before letters"


def test_time_is_shown_where_there_is_room():
    assert "time" in to_text(binary()[0], width=120).splitlines()[1]
    assert "time" not in to_text(binary()[0], width=80).splitlines()[1]
    assert "0.4 s" in to_text(one_family()[0], width=80)


def test_fields_are_given_up_one_by_one():
    columns = [Field("family", ("tree",)), Field("error", ("0.1",)), Field("time", ("1 s",), spare=1)]
    assert [column.title for column in fitting(columns, 80)] == ["family", "error", "time"]
    assert [column.title for column in fitting(columns, 14)] == ["family", "error"]
    assert [column.title for column in fitting(columns, 3)] == ["family", "error"]


def test_a_field_nobody_fills_is_not_shown():
    document, _ = SAMPLES["only_baseline"]()
    assert [column.title for column in fitting(fields(document), 80)] == ["family", "setting", "error", "time"]


def test_what_is_said_below_the_table():
    target = StringIO()
    leaderboard(binary()[0], make_console(target, width=80), report="out/bank.html")
    text = target.getvalue()
    assert "The choice is a random forest (q = 3)." in text
    assert "V001  37 of 380 rows are 'fraud'" in text
    assert "forest_rc  estimated at 310 s" in text
    assert text.rstrip().endswith("Report: out/bank.html")
    assert "Failed" not in text


def test_names_are_printed_as_they_are():
    document = binary()[0]
    document["leaderboard"][1] |= {"family": "[bold]mine[/bold]", "setting": "[/] :fox: \x1b[31m"}
    document["findings"] = [{"code": "V009", "message": "[link=x]y[/link]", "advice": None}]
    text = to_text(document, width=120)
    assert "[bold]mine[/bold]  [/] :fox: \\x1b[31m" in text
    assert "[link=x]y[/link]" in text
    assert "\x1b" not in text


def test_a_very_long_family_name_leaves_room_for_the_numbers():
    document = binary()[0]
    document["leaderboard"][1]["family"] = "MyVeryOwnEstimator" * 20
    lines = to_text(document).splitlines()
    assert lines[5].startswith("MyVeryOwnEstimatorMyVer…")
    assert "0.032" in lines[5]


def test_an_ascii_terminal_gets_ascii():
    raw = BytesIO()
    stream = TextIOWrapper(raw, encoding="ascii")  # strict: any other sign would raise
    leaderboard(SAMPLES["many_classes"]()[0], make_console(stream, width=80))
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "C=100" in text
    assert "procedure" in text


def test_colour_only_where_it_is_wanted(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = Console(file=StringIO(), width=80, force_terminal=True, color_system="standard", markup=False)
    with coloured.capture() as capture:
        leaderboard(binary()[0], coloured)
    assert "\x1b[1;32mprocedure" in capture.get()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Console(file=StringIO(), width=80, force_terminal=True, color_system="standard", markup=False)
    with plain.capture() as capture:
        leaderboard(binary()[0], plain)
    assert "\x1b[1mprocedure" in capture.get()  # bold stands out without colour
    assert "32m" not in capture.get()


def test_what_was_left_out_is_told():
    text = to_text(binary()[0])
    assert "Left out\n  2 rows   the target is missing\n  note_id  a different value in every row\n" in text
    assert "About the columns\n  left  2 infinite values read as missing" in text


def test_spaces_stay_where_there_is_room():
    assert "C = 100, kernel = rbf" in to_text(binary()[0], width=120)


def test_the_title_says_how_rows_hang_together():
    document = binary()[0] | {"groups": 12, "weights": True}
    assert "380 rows · 2 classes · 12 groups · weighted · 10 folds" in to_text(document, width=120)


def test_a_combination_that_is_no_rival_is_explained():
    document = binary()[0]
    member = next(row for row in document["leaderboard"] if row["family"] == "tree")
    vote = member | {"family": "vote", "kind": "combination", "p_best": None, "p_as_good": None}
    rows = [row for row in document["leaderboard"] if row["family"] != "vote"]
    text = to_text(document | {"leaderboard": [*rows, vote]})
    assert "P(best): vote has the same error as tree in every row, so only tree has a probability." in " ".join(
        text.split()
    )
    other = vote | {"error": 0.5}
    assert "only tree has" not in to_text(document | {"leaderboard": [*rows, other]})
