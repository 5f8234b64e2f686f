"""A validation in words: what was done, how finely figures are told, and what is to be kept in mind of them."""

from io import StringIO

import numpy as np
import pandas
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.neighbors import KNeighborsRegressor

from venire.data import read_table
from venire.report.document.validation import document_of
from venire.report.terminal.console import make_console
from venire.report.terminal.validation import closing, done, scale_of, show, title
from venire.validation.ways import Way

GRID = {"n_neighbors": [3, 2, 1]}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    frame = {"x": rng.normal(size=36), "g": np.arange(36) % 6, "t": np.arange(36)}
    return frame | {"y": frame["x"] + rng.normal(size=36)}


def document(rows, way, model=None, reading=None, unit=1.0, **asked):
    frame = rows | {"y": rows["y"] * unit}
    table = read_table(pandas.DataFrame(frame), "y", **(reading or {"drop": ("g", "t")}))
    grid = {} if model is not None else {"grid": GRID}
    return document_of(way.validate(model or KNeighborsRegressor(), table, **grid, **asked), way, table, 0, 0.0)


GROUPS, TIME = {"groups": "g", "drop": ("t",)}, {"time": "t", "drop": ("g",)}


@pytest.mark.parametrize(
    ("way", "reading", "said"),
    [
        (Way(folds=4), None, "4 folds drawn at random, each left out in turn; the setting is chosen inside every "
         "training part, on its folds. Trained on 27 rows, tested on 9; 10 fits, each for all settings."),
        (Way(folds=4, repeats=2, layers=1), None, "4 folds drawn at random, split 2 times, each left out in turn; the "
         "setting is chosen on the same test rows. Trained on 27 rows, tested on 9; 8 fits, each for all settings."),
        (Way(folds=4, inner_folds=3), None, "4 folds drawn at random, each left out in turn; the setting is chosen by "
         "3 inner folds of every training part. Trained on 27 rows, tested on 9; 16 fits, each for all settings."),
        (Way(folds=4, stratified=True), None, "4 folds with equal shares of low and high values, each left out"),
        (Way(folds=3), GROUPS, "3 folds of whole groups, each left out in turn;"),
        (Way(folds=4), TIME, "4 folds in time order, each predicted from all before it; the setting is chosen on the "
         "folds before. Trained on 18 to 27 rows, tested on 9; 3 fits, each for all settings."),
        (Way(folds=4, inner_folds=3), TIME, "4 folds in time order, each predicted from all before it; the setting is "
         "chosen by 3 windows in time of every training part. Trained on 9 to 27 rows, tested on 9; 9 fits, each for"),
        (Way("leave_one_out", layers=1), None, "Each row is left out in turn; the setting is chosen on the same"),
        (Way("leave_one_group_out"), GROUPS, "Each group is left out in turn; the setting is chosen inside every "
         "training part, in the same way. Trained on 30 rows, tested on 6; 21 fits, each for all settings."),
        (Way("holdout", share=0.25, inner_share=1 / 3), None, "25 % of the rows are held out for testing; the setting "
         "is chosen on 33.3 % of the others, then trained on all of them. Trained on 27 rows, tested on 9; 2 fits,"),
        (Way("holdout"), TIME, "33.3 % of the rows are held out for testing, the last in time;"),
        (Way("subsampling", repeats=3), GROUPS, "33.3 % of the rows are held out for testing, in whole groups, 3"),
        (Way("bootstrap", samples=3), GROUPS, "3 samples are drawn with replacement, groups as a whole. A sample"),
    ],
)  # fmt: skip
def test_what_was_done(rows, way, reading, said):
    assert done(document(rows, way, reading=reading)).startswith(said)


def test_a_single_setting(rows):
    found = document(rows, Way(folds=4), DummyRegressor())
    assert done(found) == ("4 folds drawn at random, each left out in turn. Trained on 27 rows, tested on 9; 10 fits.")
    assert closing(found) == ""
    assert "of the only setting" in shown(found)
    assert "▸" not in shown(found)


def test_what_is_to_be_kept_in_mind(rows):
    assert "--layers 2 shows by how much" in closing(document(rows, Way(folds=4, layers=1)))
    assert "Chosen by .632+: " in closing(document(rows, Way("bootstrap", samples=3)))
    assert "--by folds shows by how much" in closing(document(rows, Way("bootstrap", samples=3)))
    assert closing(document(rows, Way(folds=4))).endswith(" of 4 training parts the choice is the same.")
    assert closing(document(rows, Way("holdout"))).startswith("Chosen: n_neighbors = ")


@pytest.mark.parametrize("way", [Way(folds=4), Way("bootstrap", samples=3)])
@pytest.mark.parametrize("unit", [1e-7, 1.0, 1e9])
def test_any_unit_of_the_target_fits_and_leaves_three_digits(rows, way, unit):
    found = document(rows, way, unit=unit)
    text = shown(found)
    assert max(map(len, text.splitlines())) <= 80
    told = scale_of(found)
    assert ("×1e" in text) == (unit != 1.0)
    for row in found["settings"]:
        back = float(told.show(row["error"])) * 10.0**told.scale.exponent
        assert back == pytest.approx(row["error"], rel=0.01)


def test_the_title(rows):
    assert title(document(rows, Way(folds=4, repeats=2))).split(" · ")[1:] == [
        "36 rows", "kneighbors_regressor", "4 folds, 2 times", "RMSE",
    ]  # fmt: skip
    assert " · 6 groups · " in title(document(rows, Way("bootstrap", samples=3), reading=GROUPS))


def test_many_warnings_are_told_in_part(rows):
    found = document(rows, Way(folds=4)) | {"warnings": [f"warning {at}" for at in range(20)]}
    text = shown(found)
    assert text.count("warning ") == 8
    assert "and 12 more, in --json" in text


def shown(found):
    target = StringIO()
    show(found, make_console(target, width=80))
    return target.getvalue()
