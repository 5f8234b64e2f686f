from pathlib import Path

import pytest

from venire.cli.plots import read_plot
from venire.errors import UsageError
from venire.flow.drawing.plot import Plot

FEW = ("--models", "baseline,tree", "--folds", "3", "-q")


@pytest.fixture
def untrained(monkeypatch):
    """Whatever gets as far as training fails the test."""

    def train(*_, **__):
        raise AssertionError("models were trained before the mistake was said")

    monkeypatch.setattr("venire.flow.comparing.run_trials", train)


def test_a_column_that_is_not_there_is_refused_before_training(venire, table, untrained):
    ended = venire("compare", table.name, "-t", "y", "--by", "sex", "--report", "r.html", "--json", *FEW)
    assert (ended.code, ended.error["code"]) == (2, "unknown_column")
    assert "there is no column 'sex' to group by" in ended.error["message"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("rock=a.svg", "there is no picture 'rock'"),
        ("difference=a.svg", "the picture 'difference' is not asked for with 0 words"),
        ("dependence:a,b,c=a.svg", "the picture 'dependence' is not asked for with 3 words"),
        ("roc=a.doc", "a picture cannot be written as '.doc'"),
        ("roc", "'roc' names no picture and file"),
    ],
)
def test_a_picture_that_cannot_be_is_refused_before_training(venire, table, untrained, given, said):
    ended = venire("compare", table.name, "-t", "y", "--save-plot", given, "--json", *FEW)
    assert ended.code == 2
    assert said in ended.error["message"]


def test_the_way_out_shows_the_words_that_a_picture_takes():
    with pytest.raises(UsageError, match="not asked for with 1 words") as found:
        read_plot("boundary:left=b.png")
    assert found.value.hint == "write boundary:across,up[,model]=b.png"


def test_every_picture_of_a_verdict_has_its_name(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    plane = ("boundary", "member_boundaries", "boosting_rounds")
    words = {"difference": ":a,b", **dict.fromkeys(plane, ":x,y")}
    words |= dict.fromkeys(("dependence", "residual_stages", "bias_and_variance"), ":x")
    for name in [one for one in dir(Plot) if not one.startswith("_")]:
        assert read_plot(f"{name}{words.get(name, '')}={name}.svg").plot.name == name


def test_pictures_are_drawn_in_the_report_when_they_are_asked_for(venire, table):
    asked = ("--plot", "accuracy_posterior", "--plot", "kappa_error")
    assert venire("compare", table.name, "-t", "y", "--report", "r.html", *asked, *FEW).code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert [page.count(f'data-chart="asked_{at}"') for at in range(3)] == [1, 1, 0]
    assert "The posterior of the accuracy" in page


def test_a_picture_of_the_report_without_a_report_is_refused(venire, table, untrained):
    ended = venire("compare", table.name, "-t", "y", "--plot", "roc", "--json", *FEW)
    assert ended.code == 2
    assert "--plot draws pictures in the report, and there is none" in ended.error["message"]


def test_pictures_of_models_and_columns_are_saved(venire, table):
    asked = ["roc:tree=roc.svg", "difference:baseline,tree=two.png", "dependence:near=x.pdf", "kappa_error=k.svg"]
    words = [word for one in asked for word in ("--save-plot", one)]
    assert venire("compare", table.name, "-t", "y", *words, *FEW).code == 0
    starts = {"roc.svg": b"<svg", "two.png": b"\x89PNG", "x.pdf": b"%PDF", "k.svg": b"<svg"}
    assert {file: Path(file).read_bytes()[: len(start)] for file, start in starts.items()} == starts


def test_a_kept_run_gives_the_pictures_of_its_report(venire, table):
    assert venire("compare", table.name, "-t", "y", "--name", "kept", "--report", "r.html", *FEW).code == 0
    words = [word for one in ("importance", "pairwise", "roc") for word in ("--save-plot", f"{one}={one}.svg")]
    assert venire("report", "kept", *words).code == 0
    assert all(Path(f"{one}.svg").stat().st_size > 2000 for one in ("importance", "pairwise", "roc"))
    other = venire("report", "kept", "--save-plot", "roc:tree=other.svg")
    assert other.code == 2
    assert "only as its report draws it, not for tree" in other.err
