"""The base value and the values of a row add up to what the model says of it, in the file as in memory."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import venire as vn
from tests.use.conftest import rows_of
from venire.errors import UsageError
from venire.use.explained_rows import explain_file


def explained(model, rows, tmp_path, **asked):
    facts = explain_file(model, rows, tmp_path / "out.parquet", **asked)
    return facts, pd.read_parquet(tmp_path / "out.parquet")


def test_numbers_add_up_to_the_prediction(numbers, tmp_path):
    model, rows = vn.load(numbers), rows_of(60, 31)
    facts, found = explained(model, rows, tmp_path)
    np.testing.assert_allclose(found["explained"], model.predict(rows), rtol=1e-9)
    values = found.filter(regex="^shapley_")
    assert list(values) == ["shapley_size", "shapley_weight", "shapley_colour"]
    np.testing.assert_allclose(found["base"] + values.sum(axis=1), model.predict(rows), rtol=1e-9)
    assert (facts["exact"], facts["unit"], facts["background_rows"]) == (True, "value", 60)
    assert facts["base"] == pytest.approx(model.predict(rows).mean())
    assert facts["weights"][0]["column"] == "size"
    np.testing.assert_allclose(values, vn.shap_values(model, rows).values)


@pytest.mark.parametrize("label", ["=low", "middle", "high"])
def test_classes_add_up_to_the_probability(classes, tmp_path, label):
    model, rows = vn.load(classes), rows_of(40, 32)
    facts, found = explained(model, rows, tmp_path, of=label)
    code = model.classes_.tolist().index(label)
    assert (facts["explained_class"], facts["exact"], facts["unit"]) == (label, False, "probability")
    np.testing.assert_allclose(found["explained"], model.predict_proba(rows)[:, code], atol=1e-9)
    assert found["predicted"].tolist() == model.predict(rows).tolist()


def test_of_two_classes_either_can_be_explained(tmp_path):
    rows = rows_of(120, 33)
    data = rows[["size", "weight"]].assign(y=np.where(rows["size"] > 0, "yes", "no"))
    model = vn.compare(data, "y", models=["forest"], folds=3, home=tmp_path, progress=False).fit()
    facts, yes = explained(model, rows[:30], tmp_path)
    assert facts["explained_class"] == "yes"
    np.testing.assert_allclose(yes["explained"], model.predict_proba(rows[:30])[:, 1], atol=1e-9)
    no = explained(model, rows[:30], tmp_path, of="no")[1]
    np.testing.assert_allclose(no["explained"], model.predict_proba(rows[:30])[:, 0], atol=1e-9)


def test_a_value_of_nothing_is_a_plain_zero(tmp_path):
    rows = rows_of(60, 33).assign(kind=lambda frame: np.where(frame["size"] > 0, "a", "b")).drop(columns="amount")
    model = vn.compare(rows, "kind", models=["tree"], folds=3, home=tmp_path, progress=False).fit()
    for label in model.classes_:
        explain_file(model, rows, tmp_path / "out.csv", of=label)
        fields = (tmp_path / "out.csv").read_text().replace("\n", ",").split(",")
        assert "0.0" in fields
        assert "-0.0" not in fields


def test_a_background_of_its_own_moves_the_base(numbers, tmp_path):
    model, rows = vn.load(numbers), rows_of(20, 34)
    usual = rows_of(300, 1)
    facts, found = explained(model, rows, tmp_path, background=usual, keep=["kind"])
    assert facts["background_rows"] == 256
    assert abs(facts["base"] - model.predict(usual).mean()) < 0.1
    assert found["kind"].tolist() == rows["kind"].tolist()
    np.testing.assert_allclose(found["explained"], model.predict(rows), rtol=1e-9)


@pytest.mark.parametrize("ending", ["svg", "png", "html"])
def test_a_picture_is_drawn(classes, tmp_path, ending):
    plot = tmp_path / f"rows.{ending}"
    facts = explain_file(vn.load(classes), rows_of(20, 35), tmp_path / "out.csv", plot=plot)
    assert facts["plot"] == str(plot)
    start = plot.read_bytes()[:400]
    assert {"svg": b"<svg", "png": b"PNG", "html": b"<html"}[ending] in start
    assert ending != "html" or "https://cdn" not in plot.read_text()


def test_a_class_that_is_none_is_refused(classes, numbers, tmp_path):
    with pytest.raises(UsageError, match="there is no class 'big'"):
        explain_file(vn.load(classes), rows_of(5, 36), tmp_path / "out.csv", of="big")
    with pytest.raises(UsageError, match="there is no class 'big': numbers are predicted"):
        explain_file(vn.load(numbers), rows_of(5, 36), tmp_path / "out.csv", of="big")
