"""Neural nets, and which of their warnings are news."""

import warnings

from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from tests.families.cases import assert_identical, case, compared
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
        assert any(each.startswith(ConvergenceWarning.__name__) for each in loop.warnings)
