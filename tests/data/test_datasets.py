"""What ships is what was promised, byte for byte where it is generated."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from venire.data.datasets import DATASETS, banknotes_csv, dataset, load
from venire.data.table import Kind, Task
from venire.errors import UsageError

GOLF = """
rainy hot high false no · rainy hot high true no · overcast hot high false yes · sunny mild high false yes ·
sunny cool normal false yes · sunny cool normal true no · overcast cool normal true yes · rainy mild high false no ·
rainy cool normal false yes · sunny mild normal false yes · rainy mild normal true yes · overcast mild high true yes ·
overcast hot normal false yes · sunny mild high true no
"""


def entropy(counts):
    shares = np.array(counts)[np.array(counts) > 0] / np.sum(counts)
    return -(shares * np.log2(shares)).sum()


def test_play_golf_is_the_printed_table():
    with dataset("play_golf").path.open() as file:
        header, *rows = csv.reader(file)
    assert header == ["outlook", "temp", "humidity", "windy", "play"]
    assert rows == [line.split() for line in GOLF.split("·")]


def test_play_golf_has_the_known_information():
    golf = load("play_golf")
    assert (golf.rows, golf.target.labels, golf.target.positive) == (14, ("no", "yes"), 1)
    assert [column.kind for column in golf.columns] == [*[Kind.CATEGORICAL] * 3, Kind.BOOLEAN]
    assert round(entropy(np.bincount(golf.y)), 3) == 0.940
    gains = {}
    for column, values in zip(golf.columns, golf.X.T, strict=True):
        parts = [golf.y[values == code] for code in np.unique(values)]
        left = sum(len(part) / 14 * entropy(np.bincount(part, minlength=2)) for part in parts)
        gains[column.name] = entropy(np.bincount(golf.y)) - left
    expected = {"outlook": 0.247, "temp": 0.029, "humidity": 0.152, "windy": 0.048}
    assert gains == pytest.approx(expected, abs=0.0006)


def test_iris_is_scikit_learns():
    iris, reference = load("iris"), load_iris()
    np.testing.assert_array_equal(iris.X, reference.data)
    np.testing.assert_array_equal(iris.y, reference.target)
    assert iris.target.labels == tuple(reference.target_names)
    assert [column.kind for column in iris.columns] == [Kind.NUMERIC] * 4


def test_banknotes_regenerate_to_the_same_bytes():
    assert dataset("banknotes").path.read_bytes() == banknotes_csv().encode()


def test_banknotes_are_rare_class_data_in_millimetres():
    notes = load("banknotes")
    assert notes.target.task is Task.CLASSIFICATION
    counts = dict(zip(notes.target.labels, np.bincount(notes.y).tolist(), strict=True))
    assert counts == {"normal": 343, "fraud": 37}
    assert notes.target.labels[notes.target.positive] == "fraud"
    assert [column.name for column in notes.columns] == ["length", "left", "right", "bottom", "top", "diagonal"]
    assert {column.kind for column in notes.columns} == {Kind.NUMERIC}
    assert not np.isnan(notes.X).any()


def test_banknotes_can_be_told_apart_but_not_wholly():
    notes = load("banknotes")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    error = 1 - cross_val_score(model, notes.X, notes.y, cv=folds).mean()
    assert 0.02 < error < 0.05 < 37 / 380


@pytest.mark.parametrize("each", DATASETS, ids=lambda each: each.name)
def test_every_data_set_is_read_whole(each):
    table = each.table()
    assert each.path.is_file()
    assert table.left_out == ()
    assert table.rows_without_target == 0
    assert table.rows == len(each.path.read_text().splitlines()) - 1


def test_an_unknown_name_lists_those_there_are():
    with pytest.raises(UsageError, match="no data set 'banknote' ships with venire") as caught:
        load("banknote")
    assert re.fullmatch("Did you mean 'banknotes'. There are play_golf, iris, banknotes.", caught.value.hint)
