"""The document of a validation: plain data, whatever the figures are."""

import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.neighbors import KNeighborsRegressor

from venire.inference import Figure, Interval
from venire.report.document.validation import document_of
from venire.validation import bootstrap, holdout, one_layer, two_layer
from venire.validation.subject import as_table
from venire.validation.ways import Way

GRID = {"n_neighbors": [9, 3, 1]}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return as_table((X, X[:, 0] + rng.normal(size=40)))


def test_it_is_plain_data(table):
    for found, way in (
        (one_layer(KNeighborsRegressor(), table, grid=GRID, folds=4), Way(layers=1)),
        (two_layer(KNeighborsRegressor(), table, grid=GRID, folds=4), Way()),
        (bootstrap(KNeighborsRegressor(), table, grid=GRID, samples=5), Way("bootstrap", samples=5)),
    ):
        document = document_of(found, way, table, 0, 1.5)
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert document["timing"] == {"seconds": 1.5}


def test_what_is_not_defined_is_null(table):
    found = two_layer(KNeighborsRegressor(), table, grid=GRID, folds=4)
    undefined = replace(found, losses=np.full(4, np.nan))
    vars(undefined)["figure"] = Figure(np.nan, Interval(np.nan, np.nan, 0.95))
    document = document_of(undefined, Way(), table, 0, 0.0)
    assert document["chosen"]["interval"] is None
    assert document["chosen"]["error"] is None
    assert document["chosen"]["optimism"] is None
    assert [part["error"] for part in document["parts"]] == [None] * 4


def test_after_one_test_part_the_chosen_setting_is_the_one_that_was_tested(table):
    found = replace(holdout(KNeighborsRegressor(), table, grid=GRID), chosen=(2,))
    document = document_of(found, Way("holdout"), table, 0, 0.0)
    assert document["chosen"]["setting"] == "n_neighbors = 1"
    assert [row["chosen"] for row in document["settings"]] == [False, False, True]
    assert document["chosen"]["one_layer_setting"] == found.one_layer.setting


def test_where_there_is_nothing_to_choose(table):
    document = document_of(holdout(DummyRegressor(), table), Way("holdout"), table, 0, 0.0)
    assert document["inner_share"] is None
    assert document["settings"][0]["inner_error"] is None
    assert (document["trained_on"], document["tested_on"], document["trials"]) == ([27, 27], [13, 13], 1)


def test_a_sample_holds_some_rows_and_is_tested_on_the_others(table):
    found = bootstrap(DummyRegressor(), table, samples=6)
    document = document_of(found, Way("bootstrap", samples=6), table, 0, 0.0)
    different = [len(set(np.repeat(np.arange(40), times))) for times in found.drawn]
    assert document["trained_on"] == [min(different), max(different)]
    assert document["tested_on"] == [40 - max(different), 40 - min(different)]
