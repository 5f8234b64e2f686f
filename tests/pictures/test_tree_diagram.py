import numpy as np
import pandas as pd
import pytest

from tests.pictures.read_back import rows_with
from venire import DecisionTreeClassifier, DecisionTreeRegressor
from venire.data.datasets import dataset
from venire.data.generators import banana
from venire.errors import UsageError
from venire.pictures import tree_diagram


def golf():
    days = pd.read_csv(dataset("play_golf").path, dtype=str)
    tree = DecisionTreeClassifier(criterion="entropy", categorical="multiway")
    return tree.fit(days.drop(columns="play"), days["play"])


def test_the_golf_tree_asks_for_the_outlook_first():
    figure = tree_diagram(golf())
    (boxes,) = rows_with(figure, "says", "rows")
    root = next(box for box in boxes if box["number"] == 0)
    assert (root["asks"], root["rows"], root["says"]) == ("outlook?", "14 rows", "yes 64 %")
    (lines,) = rows_with(figure, "answer")
    assert {line["answer"] for line in lines if line["y"] == 0} == {"overcast", "rainy", "sunny"}
    assert sum(box["rows"] == "4 rows" for box in boxes) == 1  # overcast: always yes
    assert len(boxes) == len(lines) + 1 == 8


def test_leaves_stand_side_by_side_and_a_parent_between_its_children():
    (boxes,) = rows_with(tree_diagram(golf()), "says", "rows")
    (lines,) = rows_with(tree_diagram(golf()), "answer")
    leaves = sorted(box["x"] for box in boxes if not box["asks"])
    assert np.diff(leaves) == pytest.approx(1 / len(leaves), abs=1e-4)
    for box in boxes:
        below = [line["x2"] for line in lines if line["x"] == box["x"] and line["y"] == box["y"]]
        if below:
            assert box["x"] == pytest.approx((min(below) + max(below)) / 2, abs=1e-4)


def test_a_deep_tree_is_folded_and_has_a_slider():
    X, y = banana(300, np.random.default_rng(0))
    tree = DecisionTreeClassifier().fit(X, y)
    assert tree.get_depth() > 4
    figure = tree_diagram(tree, depth=2)
    spec = figure.to_dict()
    (slider,) = spec["params"]
    assert (slider["value"], slider["bind"]["input"], slider["bind"]["min"]) == (2, "range", 1)
    (boxes,) = rows_with(figure, "says", "rows")
    by_level = {level: [b for b in boxes if b["open"] == level] for level in {b["open"] for b in boxes}}
    for level, drawn in by_level.items():
        assert len(drawn) == sum(node.depth <= level for node in tree.nodes_)
        assert max(b["y"] for b in drawn) == min(level, tree.get_depth())
    assert "Drawn: the first 2 levels" in figure.caption
    assert "params" not in tree_diagram(golf()).to_dict()


def test_columns_can_be_named_and_numbers_predicted():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    figure = tree_diagram(DecisionTreeRegressor(max_depth=1).fit(X, [1.0, 1.0, 5.0, 5.0]), names=["age"])
    (boxes,) = rows_with(figure, "says", "rows")
    assert {box["says"] for box in boxes} == {"3", "1", "5"}
    assert next(box for box in boxes if box["number"] == 0)["asks"] == "age?"
    assert [row[3] for row in figure.numbers.rows] == ["", "age <= 2.50 or missing", "age > 2.50"]


def test_a_single_leaf_is_a_tree():
    figure = tree_diagram(DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))
    assert len(rows_with(figure, "says")[0]) == 1


def test_what_cannot_be_drawn_is_refused():
    tree = golf()
    with pytest.raises(UsageError, match="fitted on 4 columns, and 1 names"):
        tree_diagram(tree, names=["a"])
    with pytest.raises(UsageError, match="at least one level"):
        tree_diagram(tree, depth=0)
