"""Which families may be called simpler than another: easier to explain and to use, not earlier in a list."""

from __future__ import annotations

from collections.abc import Sequence

BASELINE = "baseline"

# One line a step: what a person can follow, what has its neighbours as a reason, what cannot be read (many models, or a
# surface in a space of kernels: a support vector machine is fast, not easier to explain), and combinations of these.
_STEPS = (
    (BASELINE,),
    ("naive_bayes", "tree", "linear", "logistic", "perceptron"),
    ("knn",),
    (
        "svm", "neural_net", "bagging", "forest", "extra_trees", "forest_rc", "adaboost", "boosting", "boosting_small",
        "boosting_slow", "boosting_large", "boosting_log", "boosting_searched",
    ),
    ("vote", "stack", "blend"),
)  # fmt: skip
_STEP_OF = {name: step for step, names in enumerate(_STEPS) for name in names}


def simpler_than(chosen: str, names: Sequence[str]) -> list[str]:
    """Those of the names that are simpler than the chosen one, the simplest first; the baseline is no model.

    Own families have no step: they count as simpler than what comes after them in `names`.

    >>> simpler_than("boosting", ["baseline", "knn", "tree", "forest", "boosting", "stack"])
    ['tree', 'knn']
    >>> simpler_than("mine", ["tree", "mine", "yours"])
    ['tree']
    """
    place = names.index(chosen)
    found = [
        name
        for at, name in enumerate(names)
        if name != BASELINE
        and (_STEP_OF[name] < _STEP_OF[chosen] if name in _STEP_OF and chosen in _STEP_OF else at < place)
    ]
    return sorted(found, key=lambda name: _STEP_OF.get(name, len(_STEPS)))
