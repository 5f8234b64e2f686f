import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier as SklearnBagging
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from tests.pictures.read_back import rows_with
from venire import BaggingClassifier, DecisionTreeClassifier, RandomForestClassifier
from venire.data.generators import banana
from venire.errors import UsageError
from venire.pictures import decision_boundary, member_boundaries

X, Y = banana(80, np.random.default_rng(1))


def said_at(regions, x, y):
    """The class of the region that a place lies in."""
    (found,) = {r["class"] for r in regions if r["x"] <= x < r["x2"] and r["y"] <= y < r["y2"]}
    return found


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, SklearnTree])
def test_the_regions_are_what_the_classifier_says(kind):
    model = kind(max_depth=3).fit(X, Y)
    (regions,) = rows_with(decision_boundary(model, X, Y, steps=40), "x2", "y2", "class")
    across = np.linspace(min(r["x"] for r in regions), max(r["x2"] for r in regions), 41)
    up = np.linspace(min(r["y"] for r in regions), max(r["y2"] for r in regions), 41)
    for i, j in [(0, 0), (7, 31), (20, 20), (39, 2), (13, 38)]:
        middle = (across[i] + across[i + 1]) / 2, (up[j] + up[j + 1]) / 2
        assert said_at(regions, *middle) == str(model.predict([middle])[0])


def test_rows_in_and_out_of_bag_have_their_own_errors():
    seen = np.arange(len(Y)) < 50
    model = DecisionTreeClassifier(max_depth=2).fit(X[seen], Y[seen])
    figure = decision_boundary(model, X, Y, in_bag=seen)
    wrong = model.predict(X) != Y
    ((_, inside, outside),) = figure.numbers.rows
    assert (inside, outside) == (f"{100 * wrong[seen].mean():.1f} %", f"{100 * wrong[~seen].mean():.1f} %")
    (points,) = rows_with(figure, "bag", "wrong")
    assert [p["bag"] == "in bag" for p in points] == seen.tolist()
    assert [p["wrong"] for p in points] == wrong.astype(int).tolist()
    assert figure.numbers.rows == decision_boundary(model, X, Y, in_bag=np.flatnonzero(seen)).numbers.rows


def test_of_a_wider_table_two_columns_are_drawn():
    wide = np.column_stack([np.zeros(len(Y)), X])
    model = DecisionTreeClassifier(max_depth=2).fit(wide, Y)
    figure = decision_boundary(model, wide, Y, columns=[1, 2])
    assert "The 1 other column at their usual value" in figure.caption
    (points,) = rows_with(figure, "bag")
    assert points[0]["x"] == pytest.approx(X[0, 0], rel=1e-4)


@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(n_estimators=7, random_state=0),
        RandomForestClassifier(n_estimators=7, random_state=0),
        SklearnBagging(n_estimators=7, random_state=0),
    ],
)
def test_members_show_the_rows_they_left_out(ensemble):
    model = ensemble.fit(X, Y)
    figure = member_boundaries(model, X, Y, members=2, steps=20)
    assert [row[0] for row in figure.numbers.rows] == ["member 1", "member 2", "all 7 together"]
    panels = rows_with(figure, "bag", "wrong")
    left_out = [p["bag"] == "out of bag" for p in panels[1]]
    assert 0.2 < np.mean(left_out) < 0.5  # about 1/e of the rows
    assert [p["wrong"] for p in panels[2]] == (model.predict(X) != Y).astype(int).tolist()


def test_a_bagging_s_first_member_is_drawn_as_it_was_drawn():
    model = BaggingClassifier(n_estimators=3, random_state=0).fit(X, Y)
    panels = rows_with(member_boundaries(model, X, Y, members=1, steps=10), "bag", "said")
    outside = [at for at, p in enumerate(panels[0]) if p["bag"] == "out of bag"]
    assert outside == sorted(model.left_out_[0].tolist())
    assert [p["said"] for p in panels[0]] == [str(label) for label in model.estimators_[0].predict(X)]


def test_who_has_no_members_is_refused():
    with pytest.raises(UsageError, match="does not show its members"):
        member_boundaries(DecisionTreeClassifier().fit(X, Y), X, Y)
    with pytest.raises(UsageError, match="at least one member is drawn"):
        member_boundaries(BaggingClassifier(n_estimators=2, random_state=0).fit(X, Y), X, Y, members=0)


def test_a_mask_of_another_length_is_refused():
    with pytest.raises(UsageError, match="in_bag has shape"):
        decision_boundary(DecisionTreeClassifier().fit(X, Y), X, Y, in_bag=[True])
