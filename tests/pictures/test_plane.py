import numpy as np
import pandas as pd
import pytest

from venire.errors import DataError, UsageError
from venire.pictures.plane import plane, rectangles


def test_rectangles_cover_every_cell_once():
    rng = np.random.default_rng(0)
    said = rng.choice(["a", "b", "c"], size=(12, 9)).astype(object)
    covered = np.full(said.shape, "", dtype=object)
    for a, b, c, d, label in rectangles(said):
        assert (covered[c:d, a:b] == "").all()
        covered[c:d, a:b] = label
    assert (covered == said).all()


def test_the_grid_holds_other_columns_at_their_usual_value():
    X = np.column_stack([np.arange(5.0), np.arange(5.0) ** 2, [1.0, 9.0, 3.0, 5.0, 7.0]])
    _, _, asked = plane(None, X, [0, 1, 0, 1, 0]).grid(4)
    assert asked.shape == (16, 3)
    assert set(asked[:, 2]) == {5.0}


def test_a_frame_keeps_its_columns_and_their_usual_category():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1.0, 2.0, 3.0, 4.0], "c": ["x", "y", "y", "z"]})
    _, _, asked = plane(None, frame, [0, 1, 0, 1], ["a", "b"]).grid(3)
    assert list(asked.columns) == ["a", "b", "c"]
    assert set(asked["c"]) == {"y"}
    assert asked["a"].min() > 0.5  # a cell's middle lies inside of the margin


@pytest.mark.parametrize(
    ("columns", "match"), [((0, 0), "two different columns"), ((0, 1, 2), "two different"), (("q",), "no column 'q'")]
)
def test_a_plane_has_two_different_columns(columns, match):
    with pytest.raises(UsageError, match=match):
        plane(None, np.ones((3, 3)), [0, 1, 0], columns)


def test_words_have_no_place_on_an_axis():
    with pytest.raises(DataError, match="holds no numbers"):
        plane(None, pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), [0, 1])


def test_rows_and_classes_go_together():
    with pytest.raises(UsageError, match="X has 3 rows, and y has 2"):
        plane(None, np.ones((3, 2)), [0, 1])
