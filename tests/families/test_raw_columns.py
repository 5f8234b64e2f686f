"""Raw columns: what an encoder does to rows, done to sums of them."""

import numpy as np
import pytest

from tests.families.cases import CASES, case
from venire.data.encode import OneHotScaled
from venire.families.raw_columns import Encoding, Layout, encoded_rows


def fitted(name: str, classes: int = 3):
    table, plan = case(name, classes)
    train = plan.train_rows(plan.trials[-1])
    return table, train, OneHotScaled(categorical=table.categorical).fit(table.X[train])


@pytest.mark.parametrize("name", CASES)
def test_encoded_rows_are_those_of_the_encoder(name):
    table, train, encoder = fitted(name)
    for rows in (train, np.arange(table.rows)):
        found = encoded_rows(encoder, table.X, rows)
        assert found.flags.f_contiguous
        np.testing.assert_array_equal(found, encoder.transform(table.X[rows]))


def test_a_gap_that_training_did_not_show_is_filled_with_the_mean():
    X = np.array([[1.0, 5.0], [3.0, 6.0], [np.nan, 7.0]], order="F")
    encoder = OneHotScaled().fit(X[:2])
    np.testing.assert_array_equal(encoded_rows(encoder, X, np.array([2])), [[0.0, 3.0]])


@pytest.mark.parametrize("name", ["mixed", "missing class", "many categories", "far away"])
@pytest.mark.parametrize("classes", [0, 3])
def test_an_encoding_of_centred_raw_columns_is_the_centred_encoding(name, classes):
    table, train, encoder = fitted(name, classes)
    layout = Layout.of(table)
    raw = layout.raw(table.X[train], table.y[train], np.append(encoder.origin_, 0.0))
    encoded = Encoding.of(layout, encoder)(raw - raw.mean(axis=0))
    plain = encoder.transform(table.X[train])
    assert encoded.shape[1] == plain.shape[1] + layout.targets
    np.testing.assert_allclose(encoded[:, : plain.shape[1]], plain - plain.mean(axis=0), atol=1e-12)
