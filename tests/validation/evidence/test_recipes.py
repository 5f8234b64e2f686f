"""What a run was asked with is kept where plain data can hold it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from venire.flow import compare
from venire.validation.evidence.recipes import RECIPE, read_recipe, recipe_of
from venire.validation.evidence.runs import Runs


def test_a_path_and_names_are_kept(tmp_path):
    given = {
        "source": "a.csv",
        "target": "y",
        "models": ("tree",),
        "budget": None,
        "jobs": 3,
        "reading": {"drop": ["x"]},
    }
    found = recipe_of(given)
    assert found["source"].endswith("a.csv")
    assert found["source"].startswith("/")
    assert {key: found[key] for key in ("target", "models", "drop")} == {
        "target": "y",
        "models": ["tree"],
        "drop": ["x"],
    }
    assert not {"jobs", "budget", "reading"} & set(found)
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("name", ["source", "target", "models", "costs"])
def test_what_is_no_plain_data_has_no_recipe(name):
    values = {"models": [GaussianNB()]}
    given = {"source": "a.csv", "target": "y", name: values.get(name, np.zeros(3))}
    assert recipe_of(given) is None


def test_a_run_on_arrays_has_none_and_one_on_a_file_has(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    home = Runs(tmp_path / "home")
    asked = {"models": ["baseline", "naive_bayes"], "folds": 3, "home": home.home, "progress": False}
    one = compare(X, X[:, 0] > 0, **asked).run
    np.savetxt(tmp_path / "a.csv", np.column_stack([X, X[:, 0] > 0]), delimiter=",", header="a,b,y", comments="")
    other = compare(tmp_path / "a.csv", "y", **asked).run
    assert read_recipe(home.folder(home.find(one))) is None
    kept = read_recipe(home.folder(home.find(other)))
    assert (kept["target"], kept["source"], kept["folds"]) == ("y", str(tmp_path / "a.csv"), 3)
    again = compare(kept.pop("source"), home=home.home, **kept)
    assert again.run == other


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 9, "asked": {}}', '{"format": 1, "asked": 3}', "\x00"])
def test_a_damaged_recipe_is_none(tmp_path, text):
    (tmp_path / RECIPE).write_text(text)
    assert read_recipe(tmp_path) is None


def test_a_file_of_costs_is_known_by_its_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.csv").write_text("0,1\n5,0\n")
    given = {"source": "a.csv", "target": "y"}
    assert recipe_of({**given, "costs": "costs.csv"})["costs"] == str(tmp_path / "costs.csv")
    assert recipe_of({**given, "costs": "1:10"})["costs"] == "1:10"
