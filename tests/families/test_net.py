"""Neural nets, and which of their warnings are news."""

import warnings

import pytest
from sklearn.neural_network import MLPClassifier

from tests.families.cases import assert_identical, case, compared
from venire.errors import VenireWarning
from venire.families.net import NetFamily


class Grumbling(MLPClassifier):
    """Has something else to say, too."""

    def fit(self, X, y):
        warnings.warn("the rows are few", RuntimeWarning, stacklevel=1)
        return super().fit(X, y)


def test_that_it_stops_where_it_should_is_no_complaint():
    table, plan = case("mixed", 2)
    hasty = {"hidden_layer_sizes": (4,), "solver": "lbfgs", "max_iter": 2}
    family = NetFamily("net", classifier=Grumbling(**hasty))
    for ours, loop in compared(family, table, plan):
        assert_identical(ours, loop)
        assert ours.warnings == ("RuntimeWarning: the rows are few",)
        assert loop.warnings == ours.warnings


def test_a_fit_on_all_rows_warns_of_the_rest_alone():
    table, _ = case("mixed", 2)
    family = NetFamily("net", classifier=Grumbling(hidden_layer_sizes=(4,), solver="lbfgs", max_iter=2))
    with pytest.warns(VenireWarning, match="^RuntimeWarning: the rows are few$") as seen:
        family.refit(table, family.path(table)[0], 0)
    assert len(seen) == 1
