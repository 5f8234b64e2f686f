"""scikit-learn's estimators: kept is what predicting reads, and sizes that libsvm trusts are checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.svm import SVC, SVR

from tests.persist.fitted import MODELS, amounts, numbers, said, three, two
from venire.errors import ModelFormatError, UsageError
from venire.persist.model_files import from_bytes, to_bytes
from venire.persist.registry import kinds, kinds_by_class
from venire.persist.sklearn_kinds import sklearn_kinds
from venire.sklearn_private import STORED

X = numbers()
CODES = np.unique(two(), return_inverse=True)[1]  # scikit-learn 1.6 stops no net early whose classes are texts
FILES_OF = {
    "DummyClassifier": "dummy_classifier",
    "MLPClassifier": "neural_net_classifier",
    "SVC": "svc",
    "SVR": "svr",
} | {
    "RidgeClassifier": "ridge_classifier",
    "TransformedTargetRegressor": "scaled_target",
}


@pytest.mark.parametrize("name", STORED)
def test_private_attributes_are_those_that_are_listed(name: str) -> None:
    model = MODELS[FILES_OF[name]]()
    kept = kinds_by_class()[type(model)].take(model)["fitted"]
    assert {key for key in kept if key.startswith("_")} == set(STORED[name])


def test_nothing_private_is_kept_of_the_others() -> None:
    for kind in sklearn_kinds():
        if kind.cls.__name__ not in STORED and kind.name in MODELS:
            assert [key for key in kind.take(MODELS[kind.name]())["fitted"] if key.startswith("_")] == []


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel="linear").fit(X, two()),
        SVC(kernel="poly", degree=2, coef0=1.0).fit(X, three()),
        SVC(decision_function_shape="ovo", class_weight="balanced").fit(X, three()),
        SVR(kernel="sigmoid").fit(X, amounts()),
        MLPClassifier((4, 3), activation="tanh", solver="lbfgs", max_iter=5000, random_state=0).fit(X, three()),
        MLPClassifier((3,), max_iter=2000, tol=1e-2, early_stopping=True, random_state=0).fit(X, CODES),
        MLPRegressor(hidden_layer_sizes=(), solver="lbfgs", max_iter=5000, random_state=0).fit(X, amounts()),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'kernel', '') or model.hidden_layer_sizes}",
)
def test_every_option_comes_back(model: Any) -> None:
    loaded, _ = from_bytes(to_bytes(model))
    for method, answer in said(model).items():
        np.testing.assert_array_equal(answer, said(loaded)[method])


def changed(name: str, model: Any, **fitted: Any) -> dict[str, Any]:
    state = kinds()[name].take(model)
    return {"params": dict(state["params"]), "fitted": {**state["fitted"], **fitted}}


MACHINE = SVC().fit(X, three())
NET = MLPClassifier((3,), solver="lbfgs", max_iter=5000, random_state=0).fit(X, two())
Change = Callable[[Any], dict[str, Any]]
CRAFTED: list[tuple[str, Any, dict[str, Any], str]] = [
    ("svc", MACHINE, {"_n_support": MACHINE._n_support * 1000}, "_n_support is not the number of support vectors"),
    ("svc", MACHINE, {"_n_support": np.array([1, 1], dtype=np.int32)}, "dual_coef_ has a size of 2 where 1 is needed"),
    ("svc", MACHINE, {"_n_support": MACHINE._n_support.astype(np.int64)}, "_n_support is no array of type i4"),
    ("svc", MACHINE, {"support_vectors_": MACHINE.support_vectors_[:-1]}, "support_vectors_ has .* vectors"),
    ("svc", MACHINE, {"_dual_coef_": MACHINE._dual_coef_[:1]}, "_dual_coef_ has a size of 1 where 2 is needed"),
    ("svc", MACHINE, {"_intercept_": np.zeros(1)}, "_intercept_ has a size of 1 where 3 is needed"),
    ("svc", MACHINE, {"_probA": np.zeros(3)}, "_probA has a size of 3 where 0 is needed"),
    ("svc", MACHINE, {"_gamma": np.nan}, "_gamma is not finite"),
    ("svc", MACHINE, {"_sparse": True}, "SVC has no attribute '_sparse'"),
    (
        "svc",
        MACHINE,
        {"support_vectors_": np.asfortranarray(MACHINE.support_vectors_)},
        "support_vectors_ do not lie row by row",
    ),
    ("neural_net_classifier", NET, {"n_layers_": 4}, "n_layers_ is another number"),
    (
        "neural_net_classifier",
        NET,
        {"coefs_": [NET.coefs_[0], np.ones((2, 1))]},
        "layer 1 takes 2 values where 3 arrive",
    ),
    ("neural_net_classifier", NET, {"out_activation_": "eval"}, "out_activation_ is 'eval'"),
    ("neural_net_classifier", NET, {"classes_": np.array(["a", "b"])}, "_label_binarizer has other classes"),
]


@pytest.mark.parametrize(("name", "model", "damage", "wrong"), CRAFTED)
def test_a_crafted_state_is_refused(name: str, model: Any, damage: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ModelFormatError, match=wrong):
        kinds()[name].make(changed(name, model, **damage))


def test_a_kernel_that_needs_more_than_rows_is_refused() -> None:
    state = changed("svc", MACHINE)
    state["params"]["kernel"] = "precomputed"
    with pytest.raises(ModelFormatError, match="the kernel 'precomputed' is not known"):
        kinds()["svc"].make(state)


def test_a_machine_of_sparse_rows_cannot_be_written() -> None:
    from scipy.sparse import csr_array

    with pytest.raises(UsageError, match="SVC with _sparse = True cannot be written"):
        to_bytes(SVC().fit(csr_array(X), two()))


@pytest.mark.parametrize(
    ("state", "wrong"),
    [
        ({"params": {"steps": []}, "fitted": {}}, "has not just steps"),
        ({"params": {"steps": [("a", 1)]}, "fitted": {}}, "item 0 item 1 is int"),
        ({"params": {"steps": [], "memory": "folder"}, "fitted": {}}, "has not just steps"),
        ({"params": {}, "fitted": {}}, "steps is no list"),
    ],
)
def test_a_pipeline_has_steps_and_nothing_else(state: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ModelFormatError, match=wrong):
        kinds()["pipeline"].make(state)
