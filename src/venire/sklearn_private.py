"""What venire takes from scikit-learn's private modules, all of it, so that a change there is mended here.

None of these has a public counterpart. Beside the names below, our estimators state their `_parameter_constraints` and
call `_validate_params`, as those of scikit-learn do. `tests/test_sklearn_private.py` says what we rely on, and CI runs
it with the oldest and the newest scikit-learn that is allowed.
"""

from collections.abc import Mapping

from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, RealNotInt, StrOptions
from sklearn.utils.metaestimators import _BaseComposition as Composition
from sklearn.utils.multiclass import _check_partial_fit_first_call as check_partial_fit_first_call
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _num_samples as num_samples

# What model files keep of estimators of scikit-learn beside their public attributes: predicting reads these.
STORED: Mapping[str, tuple[str, ...]] = {
    "DummyClassifier": ("_strategy",),
    "MLPClassifier": ("_label_binarizer",),
    "RidgeClassifier": ("_label_binarizer",),
    "SVC": ("_n_support", "_dual_coef_", "_intercept_", "_probA", "_probB", "_gamma", "_num_iter"),
    "SVR": ("_n_support", "_dual_coef_", "_intercept_", "_probA", "_probB", "_gamma", "_num_iter"),
    "TransformedTargetRegressor": ("_training_dim",),
}

__all__ = [
    "STORED",
    "Composition",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "RealNotInt",
    "StrOptions",
    "check_partial_fit_first_call",
    "check_sample_weight",
    "num_samples",
]
