"""Options that nobody takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from venire import compare, select
from venire.errors import UsageError
from venire.validation import bootstrap, complexity_curve, holdout, learning_curve, one_layer, two_layer

DATA = np.arange(20.0).reshape(10, 2), np.arange(10) % 2


@pytest.mark.parametrize(
    ("function", "slip", "meant"),
    [
        (one_layer, "grups", "groups"),
        (one_layer, "fold", "folds"),
        (two_layer, "iner_folds", "inner_folds"),
        (two_layer, "metrik", "metric"),
        (holdout, "validate", "validation"),
        (bootstrap, "sample", "samples"),
        (learning_curve, "size", "sizes"),
        (complexity_curve, "repeat", "repeats"),
        (lambda _, *data, **how: compare(*data, **how), "modles", "models"),
        (lambda _, *data, **how: compare(*data, **how), "postive", "positive"),
        (lambda _, *data, **how: select(*data, **how), "modle", "model"),
    ],
)
def test_a_slip_is_told_with_the_option_that_was_meant(function: Any, slip: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"there is no option '{slip}'; did you mean '{meant}'") as caught:
        function(GaussianNB(), DATA, **{slip: None})
    assert caught.value.code == "unknown_option"
    assert "; and for reading " in str(caught.value.hint)
    assert meant in str(caught.value.hint)


def test_an_option_unlike_any_lists_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"there is no option 'zzz'$") as caught:
        one_layer(GaussianNB(), DATA, zzz=1)
    assert str(caught.value.hint).startswith("there are split, folds, repeats")
