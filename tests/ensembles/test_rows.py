from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from venire.ensembles.rows import beside, is_frame, take_columns, take_rows

VALUES = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
FRAMES = [pd.DataFrame(VALUES, index=[7, 8, 9]), pl.DataFrame(VALUES), pa.table(VALUES)]
PLAIN = [np.array([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])]
PLAIN += [sparse.csr_array(PLAIN[0]), sparse.csc_matrix(PLAIN[0])]


def dense(X: Any) -> np.ndarray:
    if sparse.issparse(X):
        return X.toarray()
    return np.asarray(X.to_pandas()) if isinstance(X, pa.Table) else np.asarray(X)


@pytest.mark.parametrize("X", [*FRAMES, *PLAIN], ids=lambda X: type(X).__module__)
def test_rows_and_columns_keep_their_form(X: Any) -> None:
    rows, columns = np.array([2, 0, 2]), np.array([1])
    assert type(take_rows(X, rows)) is type(X)
    assert type(take_columns(X, columns)) is type(X)
    assert dense(take_rows(X, rows)).tolist() == [[3, 6], [1, 4], [3, 6]]
    assert dense(take_columns(X, columns)).ravel().tolist() == [4, 5, 6]
    assert take_columns(X, None) is X
    assert is_frame(X) == any(X is frame for frame in FRAMES)


@pytest.mark.parametrize("X", [*FRAMES, *PLAIN], ids=lambda X: type(X).__module__)
def test_columns_are_put_beside(X: Any) -> None:
    wider = beside(take_rows(X, np.array([1, 0])), np.array([[10.0], [20.0]]), ["c"])
    assert dense(wider).tolist() == [[2, 5, 10], [1, 4, 20]]
    assert is_frame(wider) == is_frame(X)


def test_a_frame_without_names_becomes_an_array() -> None:
    assert isinstance(beside(pd.DataFrame(PLAIN[0]), np.ones((3, 1)), ["c"]), np.ndarray)
