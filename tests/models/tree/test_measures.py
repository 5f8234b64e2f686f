"""The textbook's figures for the play-golf table, by hand and by the compiled core."""

from __future__ import annotations

import numpy as np
import pytest

from venire.errors import UsageError
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.models.tree.measures import gain, gain_ratio, impurity, midpoints, split_information

ROWS = """rainy hot high false no · rainy hot high true no · overcast hot high false yes · sunny mild high false yes ·
sunny cool normal false yes · sunny cool normal true no · overcast cool normal true yes · rainy mild high false no ·
rainy cool normal false yes · sunny mild normal false yes · rainy mild normal true yes · overcast mild high true yes ·
overcast hot normal false yes · sunny mild high true no"""
GOLF = np.array([row.split() for row in ROWS.replace("\n", " ").split("·")])
COLUMNS = ["outlook", "temp", "humidity", "windy"]
PLAY = GOLF[:, 4]
CODES = np.column_stack([np.unique(GOLF[:, j], return_inverse=True)[1] for j in range(4)]).astype(float)


def test_information_of_the_whole_table() -> None:
    assert impurity(PLAY) == pytest.approx(0.940, abs=5e-4)


@pytest.mark.parametrize(
    ("column", "expected"), [("outlook", 0.247), ("temp", 0.029), ("humidity", 0.152), ("windy", 0.048)]
)
def test_gains(column: str, expected: float) -> None:
    j = COLUMNS.index(column)
    assert gain(GOLF[:, j], PLAY) == pytest.approx(expected, abs=5e-4)
    stump = DecisionTreeClassifier(
        criterion="entropy", categorical="multiway", categorical_features=[0], max_depth=1
    ).fit(CODES[:, [j]], PLAY)
    assert stump._forest.importances()[0, 0] == pytest.approx(gain(GOLF[:, j], PLAY), abs=1e-12)
    assert stump.nodes_[0].impurity == pytest.approx(impurity(PLAY), abs=1e-12)


def test_split_information_and_gain_ratio_of_temperature() -> None:
    assert split_information(GOLF[:, 1]) == pytest.approx(1.557, abs=5e-4)
    assert gain_ratio(GOLF[:, 1], PLAY) == pytest.approx(0.019, abs=5e-4)
    assert gain_ratio(np.zeros(14), PLAY) == 0.0


@pytest.mark.parametrize("criterion", ["entropy", "gain_ratio", "gini", "error"])
def test_the_root_asks_about_the_outlook(criterion: str) -> None:
    tree = DecisionTreeClassifier(criterion=criterion, categorical="multiway", categorical_features=range(4))
    nodes = tree.fit(CODES, PLAY).nodes_
    assert nodes[0].branches[0][0].feature == "x0"
    if criterion == "entropy":
        assert tree.score(CODES, PLAY) == 1.0


def test_gain_ratio_chooses_the_largest_ratio() -> None:
    # A column with a value per row has the largest gain and the largest split information.
    identity = np.arange(14.0)
    x = np.column_stack([identity, CODES[:, 0]])
    by = {
        criterion: DecisionTreeClassifier(
            criterion=criterion, categorical="multiway", categorical_features=[0, 1], max_depth=1
        ).fit(x, PLAY)
        for criterion in ("entropy", "gain_ratio")
    }
    assert by["entropy"].nodes_[0].branches[0][0].feature == "x0"
    best = int(np.argmax([gain_ratio(x[:, 0], PLAY), gain_ratio(x[:, 1], PLAY)]))
    assert by["gain_ratio"].nodes_[0].branches[0][0].feature == f"x{best}"


def test_midpoints() -> None:
    assert midpoints([15, 18, 21, 22, 24, 25, 29, 31]).tolist() == [16.5, 19.5, 21.5, 23, 24.5, 27, 30]


def test_other_impurities() -> None:
    assert impurity(["a", "a", "b", "b"], "gini") == 0.5
    assert impurity(["a", "b", "b", "b"], "error") == 0.25
    assert impurity([1.0, 1.0, 4.0], "absolute") == 1.0
    assert impurity([0, 1], "gini", weights=[3, 1]) == pytest.approx(0.375)
    with pytest.raises(UsageError, match="unknown criterion 'twoing'"):
        impurity([0, 1], "twoing")
