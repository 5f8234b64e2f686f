"""The estimators of scikit-learn that a verdict hands over, or that our ensembles use by default, as kinds.

Their attributes are set on a new object after the checks below; those that are private are named in `sklearn_private`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier, RidgeCV
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from sklearn.svm import SVC, SVR

from venire.errors import ModelFormatError
from venire.persist.estimators import foreign
from venire.persist.values import Kind
from venire.states.checked import FEATURES, Fitted
from venire.states.constraints import (
    Refused,
    Sizes,
    array,
    count,
    either,
    flag,
    labels,
    learner,
    maybe,
    number,
    of_type,
    optional,
    require,
    row,
    sequence,
    text,
    whole,
    within,
)

_ITERATIONS = optional(maybe(either(whole(), array("i4 i8", None))))
_CLASSES: Fitted = {**FEATURES, "classes_": labels("classes")}


def _lines(sizes: Sizes) -> int:
    """How many planes part the classes: one for two."""
    return 1 if sizes["classes"] == 2 else sizes["classes"]


_PLANES: Fitted = {
    **_CLASSES,
    "coef_": array("f8", _lines, "features"),
    "intercept_": array("f8", _lines),
    "n_iter_": _ITERATIONS,
}
_PLANE: Fitted = {
    **FEATURES,
    "coef_": array("f8", "features"),
    "intercept_": number(),
    "n_iter_": _ITERATIONS,
    "solver_": optional(text()),
}
_NET: Fitted = {
    **FEATURES,
    "coefs_": sequence(array("f8", None, None), "steps"),
    "intercepts_": sequence(array("f8", None), "steps"),
    "n_layers_": whole(),
    "n_outputs_": whole(low=1),
    "out_activation_": text("identity", "logistic", "softmax"),
    "n_iter_": _ITERATIONS,
    "t_": optional(whole()),
    "loss_": optional(number(finite=False)),
}
# What libsvm reads without looking: sizes that do not go together would be read beyond.
_MACHINE: Fitted = {
    **FEATURES,
    "support_": array("i4", "vectors", low=0),
    "support_vectors_": array("f8", "vectors", "features"),
    "_n_support": array("i4", "sides", low=0),
    "dual_coef_": array("f8", lambda sizes: sizes["sides"] - 1, "vectors"),
    "_dual_coef_": array("f8", lambda sizes: sizes["sides"] - 1, "vectors"),
    "intercept_": array("f8", lambda sizes: comb(sizes["sides"], 2)),
    "_intercept_": array("f8", lambda sizes: comb(sizes["sides"], 2)),
    "_probA": array("f8", 0),
    "_probB": array("f8", 0),
    "_gamma": number(0),
    "shape_fit_": row(whole(), whole()),
    "fit_status_": whole(),
    "n_iter_": _ITERATIONS,
    "_num_iter": _ITERATIONS,
    "class_weight_": optional(array("f8", None)),
}
_NO_PROBABILITIES: Mapping[str, Any] = {"_sparse": False, "_effective_probability": False}


def sklearn_kinds() -> tuple[Kind, ...]:
    """All of them."""
    return (*_around_others(), *_guesses_and_planes(), *_nets_and_machines())


def _around_others() -> tuple[Kind, ...]:
    """What stands before or around a model."""
    return (
        foreign("pipeline", Pipeline, {}, always=("steps",))._replace(make=_pipeline),
        foreign(
            "scaled_target",
            TransformedTargetRegressor,
            {
                "regressor_": learner,
                "transformer_": of_type(BaseEstimator),
                "_training_dim": whole(low=1, high=1),
                **{name: optional(check) for name, check in FEATURES.items()},
            },
        ),
        foreign(
            "standard_scaler",
            StandardScaler,
            {
                **FEATURES,
                "mean_": maybe(array("f8", "features")),
                "var_": maybe(array("f8", "features", low=0)),
                "scale_": maybe(array("f8", "features", low=0)),
                "n_samples_seen_": either(number(0), array("i8 f8", "features", low=0)),
            },
        ),
        foreign(
            "label_binarizer",
            LabelBinarizer,
            {"classes_": labels("classes"), "y_type_": text("binary", "multiclass"), "sparse_input_": flag},
        ),
    )


def _guesses_and_planes() -> tuple[Kind, ...]:
    return (
        foreign(
            "dummy_classifier",
            DummyClassifier,
            {
                "n_features_in_": optional(count("features")),
                "feature_names_in_": optional(FEATURES["feature_names_in_"]),
                "_strategy": text("most_frequent", "prior"),
                "sparse_output_": flag,
                "n_outputs_": whole(low=1, high=1),
                "classes_": labels("classes"),
                "n_classes_": count("classes"),
                "class_prior_": array("f8", "classes", low=0),
            },
            always=("strategy",),
        ),
        foreign(
            "dummy_regressor",
            DummyRegressor,
            {
                "n_features_in_": optional(count("features")),
                "feature_names_in_": optional(FEATURES["feature_names_in_"]),
                "n_outputs_": whole(low=1, high=1),
                "constant_": array("f8", 1, 1),
            },
        ),
        foreign(
            "linear_regression",
            LinearRegression,
            {**_PLANE, "rank_": optional(whole()), "singular_": optional(array("f8", None))},
        ),
        foreign("ridge", Ridge, _PLANE),
        foreign("ridge_cv", RidgeCV, {**_PLANE, "alpha_": number(0), "best_score_": number(finite=False)}),
        foreign(
            "ridge_classifier",
            RidgeClassifier,
            {
                **_PLANES,
                "coef_": either(array("f8", _lines, "features"), array("f8", "features")),
                "_label_binarizer": of_type(LabelBinarizer),
                "solver_": optional(text()),
            },
            relations=_same_classes,
        ),
        foreign("logistic", LogisticRegression, _PLANES),
        foreign("perceptron", Perceptron, {**_PLANES, "t_": number(0)}),
    )


def _nets_and_machines() -> tuple[Kind, ...]:
    return (
        foreign(
            "neural_net_classifier",
            MLPClassifier,
            {**_NET, "classes_": labels("classes"), "_label_binarizer": of_type(LabelBinarizer)},
            always=("activation",),
            relations=_layers_fit,
        ),
        foreign("neural_net_regressor", MLPRegressor, _NET, always=("activation",), relations=_layers_fit),
        foreign(
            "svc",
            SVC,
            {"classes_": labels("classes"), **_MACHINE},
            always=("kernel", "degree", "coef0", "decision_function_shape", "break_ties"),
            constants=_NO_PROBABILITIES,
            relations=_machine_fits,
        ),
        foreign(
            "svr",
            SVR,
            _MACHINE,
            always=("kernel", "degree", "coef0"),
            constants=_NO_PROBABILITIES,
            relations=_machine_fits,
        ),
    )


def _pipeline(state: dict[str, Any]) -> Pipeline:
    """Its steps are fitted, it keeps nothing itself."""
    parameters = state.get("params")
    if not isinstance(parameters, dict) or state.get("fitted") != {}:
        raise ModelFormatError("has not just steps")
    try:
        within("steps", sequence(row(text(), of_type(BaseEstimator))), parameters.get("steps"), {})
    except Refused as refused:
        raise ModelFormatError(str(refused)) from None
    if not set(parameters) <= {"steps", "verbose"} or not parameters["steps"]:
        raise ModelFormatError("has not just steps")
    pipeline = Pipeline(**parameters)
    pipeline._validate_steps()
    return pipeline


def _same_classes(state: Mapping[str, Any], sizes: Sizes) -> None:
    """The classes by which labels are made are those that the model names."""
    binarizer = state["_label_binarizer"]
    known = getattr(binarizer, "classes_", None)
    require(known is not None and known.tolist() == state["classes_"].tolist(), "_label_binarizer has other classes")
    wanted = "binary" if sizes["classes"] <= 2 else "multiclass"
    require(binarizer.y_type_ == wanted, "_label_binarizer is for another number of classes")


def _layers_fit(state: Mapping[str, Any], sizes: Sizes) -> None:
    """Each layer takes what the one before gives, from the features to the outputs."""
    width = sizes["features"]
    require(state["n_layers_"] == sizes["steps"] + 1 and sizes["steps"] > 0, "n_layers_ is another number")
    for place, (weights, shifts) in enumerate(zip(state["coefs_"], state["intercepts_"], strict=True)):
        fits = weights.shape == (width, len(shifts))
        require(fits, f"layer {place} takes {weights.shape[0]} values where {width} arrive")
        width = len(shifts)
    require(width == state["n_outputs_"], f"the last layer gives {width} values for {state['n_outputs_']} outputs")
    if "_label_binarizer" in state:
        _same_classes(state, sizes)
        require(width == _lines(sizes), f"the last layer gives {width} values for {sizes['classes']} classes")


def _machine_fits(state: Mapping[str, Any], sizes: Sizes) -> None:
    """The support vectors of all classes are those there are, and the kernel is one that is computed from rows."""
    kernel = state["kernel"]
    require(kernel in ("linear", "rbf", "poly", "sigmoid"), f"the kernel {str(kernel)[:20]!r} is not known")
    require(sizes["sides"] == sizes.get("classes", 2), "_n_support is for another number of classes")
    held = int(state["_n_support"].sum(dtype="i8")) if "classes_" in state else int(state["_n_support"][0])
    require(held == sizes["vectors"], "_n_support is not the number of support vectors")
    require(state["support_vectors_"].flags.c_contiguous, "support_vectors_ do not lie row by row")
