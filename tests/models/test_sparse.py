"""Sparse matrices give the models of the same matrices made dense, to the bit."""

import numpy as np
import pytest
from scipy import sparse

from venire import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire.errors import DataError, UsageError
from venire.models import sparse as module

X = sparse.random(300, 40, 0.15, random_state=0, format="csr")
X.data -= 0.3  # both signs, so that zero lies between bins
CLASSES = np.asarray(X[:, :4].sum(axis=1) > 0).ravel().astype(int)
NUMBERS = np.asarray(X[:, :4].sum(axis=1)).ravel()
MODELS = [
    (DecisionTreeClassifier(random_state=0), CLASSES),
    (DecisionTreeRegressor(random_state=0), NUMBERS),
    (RandomForestClassifier(n_estimators=5, random_state=0), CLASSES),
    (RandomForestRegressor(n_estimators=5, random_state=0), NUMBERS),
    (ExtraTreesClassifier(n_estimators=5, random_state=0), CLASSES),
    (GradientBoostingClassifier(n_estimators=5, random_state=0), CLASSES),
    (GradientBoostingRegressor(n_estimators=5, random_state=0), NUMBERS),
    (AdaBoostClassifier(n_estimators=5, random_state=0), CLASSES),
    (BaggingClassifier(n_estimators=3, random_state=0), CLASSES),
]


@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize(("model", "y"), MODELS, ids=[type(model).__name__ for model, _ in MODELS])
def test_as_if_dense(model: object, y: np.ndarray, layout: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_BYTES", 7 * len(y) * 8)  # several blocks of columns, and of rows
    ask = "predict_proba" if hasattr(model, "predict_proba") else "predict"
    dense = getattr(model.fit(X.toarray(), y), ask)(X.toarray())  # type: ignore[attr-defined]  # an estimator
    given = getattr(model.fit(layout(X), y), ask)(layout(X))  # type: ignore[attr-defined]  # an estimator
    np.testing.assert_array_equal(given, dense)


def test_leaves_and_paths() -> None:
    tree = DecisionTreeClassifier().fit(X, CLASSES)
    np.testing.assert_array_equal(tree.apply(X), tree.apply(X.toarray()))
    assert (tree.decision_path(X) != tree.decision_path(X.toarray())).nnz == 0
    np.testing.assert_array_equal(tree.predict_path(X), tree.predict_path(X.toarray()))


def test_too_many_cells_are_refused() -> None:
    wide = sparse.csr_matrix((100_000, 50_000))
    with pytest.raises(DataError, match="take 5 GiB, and 4 GiB are the most"):
        DecisionTreeRegressor().fit(wide, np.arange(100_000.0))


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (DecisionTreeClassifier(categorical_features=[0]), UsageError, "categorical_features are codes"),
        (RandomForestClassifier(combinations=2), DataError, "combinations are of dense columns"),
    ],
)
def test_what_needs_dense_columns(model: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        model.fit(X, CLASSES)  # type: ignore[attr-defined]  # an estimator
