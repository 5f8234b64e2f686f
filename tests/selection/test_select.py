"""Selecting the attributes of a table: the path, and the error of the selection itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression

from venire import BackwardSelection, UsageError, read_table, select
from venire.data.datasets import load
from venire.data.encode import OneHotScaled
from venire.inference import compare_learners, cross_validated
from venire.selection.models import MODELS, chosen_model
from venire.selection.selection_family import attribute_names
from venire.validation.plans.folds import make_plan


def noise(rows: int = 60, columns: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)), rng.standard_normal(rows)


def test_the_two_layer_error_is_the_plain_nested_loop() -> None:
    table = load("iris")
    plan = make_plan(table, folds=4, seed=1)
    found = select(table, direction="backward", folds=4, seed=1, metric="error", model="linear")
    for i in plan.outer_folds():
        train, test = plan.train_rows(plan.outer(0, i).trial), plan.rows(0, (i,))
        place = {row: at for at, row in enumerate(train)}
        inner = [
            (
                np.array([place[row] for row in plan.train_rows(held.trial)]),
                np.array([place[row] for row in plan.rows(0, (held.fold,))]),
            )
            for held in plan.inner(0, i)
        ]
        _, estimator, encoder = chosen_model("linear", table, 1)
        alone = BackwardSelection(estimator, encoder=encoder, cv=inner, metric="error")
        alone.fit(table.X[train], table.y[train])
        assert found.errors[i] == pytest.approx(1 - alone.score(table.X[test], table.y[test]), abs=1e-12)
        assert len(found.choices[i]) == len(alone.attributes_)


def test_the_path_on_noise_flatters_and_the_two_layers_do_not() -> None:
    differences, honest, guess = [], [], []
    for seed in range(5):
        X, y = noise(seed=seed)
        found = select((X, y), folds=5, seed=seed)
        differences.append(found.error - found.one_layer_error)
        honest.append(found.error)
        guess.append(found.path[0].error)
    assert min(differences) >= 0  # choosing among many subsets lowers the figure of the best one
    assert np.mean(differences) > 0.03
    assert np.mean(honest) > np.mean(guess)  # and on new rows choosing from noise costs


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_fast_and_naive_agree(direction: Any) -> None:
    table = load("play_golf")
    fast, naive = (select(table, direction=direction, folds=4, naive=way, jobs=1) for way in (False, True))
    assert fast.path == naive.path
    assert (fast.errors, fast.choices) == (naive.errors, naive.choices)


def test_nothing_of_the_fold_left_out_reaches_the_choice() -> None:
    X, y = noise(columns=5)
    y = y + X[:, 0]
    before = select((X, y), folds=4)
    plan = before.plan
    garbled, of_y = X.copy(), y.copy()
    rows = plan.rows(0, (2,))
    garbled[rows] *= -3.0
    of_y[rows] = 100.0
    after = select((garbled, of_y), folds=4)
    assert np.array_equal(plan.fold_of, after.plan.fold_of)
    assert after.choices[2] == before.choices[2]
    assert after.errors[2] != before.errors[2]


def test_parts_of_a_date_and_categories_are_one_attribute(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    lines = ["day,colour,x,y"]
    for row in range(60):
        colour = ["red", "green", "blue"][row % 3]
        lines.append(
            f"2024-{row % 12 + 1:02d}-{row % 28 + 1:02d},{colour},{rng.normal():.3f},{row % 3 + rng.normal():.3f}"
        )
    file = tmp_path / "days.csv"
    file.write_text("\n".join(lines) + "\n")
    table = read_table(file, "y")
    names, owner = attribute_names(table)
    assert set(names) == {"day", "colour", "x"}
    assert len(owner) == len(table.columns) > 3
    found = select(table, folds=3, whole_path=True)
    assert found.path[1].changed == "colour"
    assert found.subsets == 1 + 3 * 4 // 2


def test_the_document_is_plain_and_complete() -> None:
    document = select(load("iris"), folds=3).to_dict()
    assert document["most_subsets"] == 1 + 4 * 5 // 2
    assert document["subsets"] <= document["most_subsets"]
    assert [step["step"] for step in document["path"]] == list(range(len(document["path"])))
    assert sum(step["chosen"] for step in document["path"]) == 1
    low, high = document["chosen"]["interval"]
    assert 0 <= low <= document["chosen"]["error"] <= high <= 1
    assert max(document["chosen_in"].values()) <= document["choices"] == 3


@pytest.mark.parametrize("model", MODELS)
def test_every_model_by_name(model: str) -> None:
    found = select(load("play_golf"), model=model, folds=4, jobs=1)
    assert found.model == model
    assert 0 <= found.error <= 1


def test_an_estimator_of_ones_own() -> None:
    found = select(load("iris"), model=LogisticRegression(max_iter=1000), folds=3, metric="log_loss", jobs=1)
    assert found.model == "LogisticRegression"
    assert found.error < 0.3
    assert isinstance(chosen_model(LogisticRegression(), load("iris"), 0)[2], OneHotScaled)


def test_what_cannot_be_asked() -> None:
    table = load("iris")
    for asked, message in (
        ({"direction": "sideways"}, "there is no direction 'sideways'"),
        ({"model": "forrest"}, "did you mean 'forest'"),
        ({"model": LinearRegression()}, "cannot do classification"),
        ({"costs": [[0, 1], [1, 0]]}, "the costs are for 2 classes, but the target has 3"),
        ({"metric": "log_loss"}, "RidgeClassifier gives scores, and log_loss needs probabilities"),
        ({"n_attributes": 9}, "9 columns cannot be chosen of 4"),
    ):
        with pytest.raises(UsageError, match=message):
            select(table, folds=3, **asked)
    with pytest.raises(UsageError, match="logistic does not do regression"):
        select(noise(), model="logistic", folds=3)
    with pytest.raises(UsageError, match="which column is to be predicted"):
        select(table.source, folds=3)


def test_the_interval_is_that_of_the_leaderboard() -> None:
    table = load("iris")
    found = select(table, folds=5)
    assert found.plan.independent(np.arange(150)) == pytest.approx(148.03, abs=0.01), "two of the rows are copies"
    wanted = cross_validated(
        found.errors, found.plan.test_over_train(), rows=found.plan.independent(np.arange(150)), bounds=(0, 1)
    )
    assert (found.interval.low, found.interval.high) == (wanted.low, wanted.high)
    apart = np.repeat([0.0, 1.0], 30) + np.linspace(0, 0.1, 60)
    sure = select((apart[:, None], np.repeat(["a", "b"], 30)), folds=5)
    assert sure.error == 0
    assert sure.interval.high > 0.03, "no error among 60 rows is no proof that there is none"


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_all_columns_are_fitted_on_the_same_training_rows(direction: Any) -> None:
    """Also where the search ends long before it comes to all of them."""
    X, y = noise(columns=8)
    y = y + 3 * X[:, 0]
    found = select((X, y), folds=4, direction=direction)
    _, estimator, encoder = chosen_model("linear", found.table, 0)
    for at, (repeat, fold) in enumerate(found.places):
        held = found.plan.outer(repeat, fold)
        train, test = found.plan.train_rows(held.trial), found.plan.rows(repeat, (fold,))
        encoded = clone(encoder).fit(found.table.X[train])
        left, right = (encoded.transform(found.table.X[rows]) for rows in (train, test))
        guess = clone(estimator).fit(left, found.table.y[train]).predict(right)
        assert found.errors_of_all[at] == pytest.approx(np.sqrt(np.mean((guess - found.table.y[test]) ** 2)))
    others = found.all_columns
    wanted = compare_learners(found.errors, found.errors_of_all, test_over_train=1 / 3)
    assert others.error == pytest.approx(np.mean(found.errors_of_all))
    assert others.comparison.difference == pytest.approx(found.error - others.error)
    assert others.comparison.p_better == wanted.p_better
    assert found.to_dict()["all_attributes"]["difference_interval"] == [wanted.interval().low, wanted.interval().high]


def test_selecting_is_called_better_where_it_is_and_only_there() -> None:
    """Of 40 columns one matters: all of them cost much on 60 rows. Where all matter alike, selecting helps nobody."""
    X, y = noise(columns=40, seed=4)
    needle = select((X, X[:, 0] + 0.3 * y), folds=10, n_attributes=1, jobs=1)
    assert needle.all_columns.comparison.p_better > 0.99
    assert "the selection is better" in str(needle)
    X, y = noise(rows=200, columns=4, seed=4)
    everything = select((X, X.sum(axis=1) + 0.1 * y), folds=5)
    assert everything.attributes == ("x0", "x1", "x2", "x3")
    assert everything.all_columns.errors == everything.errors
    assert "no clear difference" in str(everything)


def test_it_prints_as_a_path_and_a_figure() -> None:
    found = select(load("iris"), folds=5)
    shown = str(found)
    assert shown.startswith("forward selection by linear: 5 folds drawn at random; 2 of 150 rows are copies of one")
    assert f"chosen: {', '.join(found.attributes)}" in shown
    assert f"two-layer error rate {found.error:.4f} [" in shown
    assert repr(found).startswith(f"<Selected {', '.join(found.attributes)}: error rate")


def test_what_was_left_out_is_in_the_document(tmp_path: Any) -> None:
    lines = ["one,a,y", *(f"1,{i},{'uv'[i % 2] if i % 7 else ''}" for i in range(40))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    document = select(tmp_path / "t.csv", "y", numeric=["a"], folds=4).to_dict()
    assert document["rows_without_target"] == 6
    assert [out["name"] for out in document["left_out"]] == ["one"]
    with pytest.raises(UsageError, match="already read, so groups says nothing"):
        select(load("iris"), groups="species")


def test_a_row_a_fold_has_no_root_mean_square() -> None:
    X, y = noise(rows=20, columns=2)
    with pytest.raises(UsageError, match="the mean RMSE is the mean absolute error"):
        select((X, y), folds=20)
    assert select((X, y), folds=20, metric="mae").error > 0


def test_values_beside_the_rows_count_like_columns() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["size"] = frame["a"] + rng.normal(size=60)
    frame["groups"] = rng.permutation(np.arange(60) // 3)
    frame["weights"] = rng.uniform(0.5, 2, size=60)
    X = frame[["a", "b", "c"]]
    wanted = str(select(frame, "size", groups="groups", weights="weights", folds=4))
    assert str(select(X, frame["size"], groups=frame["groups"], weights=frame["weights"].tolist(), folds=4)) == wanted


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_in_time_order_both_figures_are_of_the_same_folds(direction: Any) -> None:
    """The walk is judged on all folds but the first, and shown on those that two layers judge as well."""
    X, y = noise(columns=3)
    X[:, 2] = np.arange(60)
    y = (y + X[:, 0]) * np.linspace(5, 1, 60)
    found = select((np.column_stack([X, np.arange(60)]), y), time="x3", direction=direction, folds=6, whole_path=True)
    plan = found.plan
    assert plan.outer_folds() == (2, 3, 4, 5)
    _, estimator, encoder = chosen_model("linear", found.table, 0)
    names = attribute_names(found.table)[0]
    means = []
    for step in found.path:
        errors = []
        for held in plan.final(0):
            train, test = plan.train_rows(held.trial), plan.test_rows(held.trial)
            columns = [names.index(name) for name in step.attributes]
            guess = np.full(len(test), found.table.y[train].mean())
            if columns:
                encoded = clone(encoder).fit(found.table.X[train])
                left, right = (encoded.transform(found.table.X[rows])[:, columns] for rows in (train, test))
                guess = clone(estimator).fit(left, found.table.y[train]).predict(right)
            errors.append(np.sqrt(np.mean((guess - found.table.y[test]) ** 2)))
        np.testing.assert_allclose(step.errors, errors[1:])
        assert step.error == pytest.approx(np.mean(errors[1:]))
        means.append(np.mean(errors))
    assert found.path[int(np.argmin(means))].chosen
    assert found.one_layer_error == next(step.error for step in found.path if step.chosen)
    assert found.to_dict()["chosen"]["one_layer_error"] == found.one_layer_error
    assert "the choice also uses one earlier fold" in str(found)


def test_groups_that_begin_one_after_the_other_are_selected_on_in_time() -> None:
    X, y = noise(columns=3)
    groups, time = np.arange(60) // 6, np.arange(60)
    found = select((np.column_stack([X, groups, time]), y), groups="x3", time="x4", folds=4)
    assert found.plan.splitting == "time"
    for place in found.plan.places:
        trial = found.plan.outer(*place).trial
        train, test = found.plan.train_rows(trial), found.plan.test_rows(trial)
        assert train.max() < test.min()
        assert not set(groups[train]) & set(groups[test])
