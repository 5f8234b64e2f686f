import numpy as np
import pytest

from tests.models.tables import MIXED, mixed
from venire.errors import DataError, UsageError
from venire.models.bayes.classifier import NaiveBayesClassifier


def test_later_batches_bring_new_categories(golf):
    X, y = golf
    X = X.replace("hot", np.nan)
    once = NaiveBayesClassifier().fit(X, y)
    often = NaiveBayesClassifier()
    for i in range(len(X)):
        often.partial_fit(X[i : i + 1], y[i : i + 1], classes=["no", "yes"])
    assert often.category_shares("outlook") == once.category_shares("outlook")
    np.testing.assert_allclose(often.predict_proba(X), once.predict_proba(X), atol=1e-14)


def test_given_priors():
    X, y = mixed()
    np.testing.assert_allclose(
        NaiveBayesClassifier(**MIXED, priors=[0.2, 0.3, 0.5]).fit(X, y).class_prior_, [0.2, 0.3, 0.5]
    )


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"alpha": -1}, ValueError, "'alpha' parameter"),
        ({"weights_in": "some"}, ValueError, "'weights_in' parameter"),
        ({"priors": [0.5, 0.5]}, UsageError, "2 priors and 3 classes"),
        ({"priors": [0.5, 0.9, -0.4]}, UsageError, "one is -0.4"),
        ({"priors": [0.5, 0.5, 0.5]}, UsageError, r"sum to 1\.5"),
        ({"categorical_features": [0]}, DataError, "column 0 is categorical, so it must hold codes"),
        ({"categorical_features": [2], "count_features": [2]}, UsageError, "column 2 is both categorical and a count"),
        ({"count_features": [0]}, DataError, "column 0 holds counts, and .* is negative"),
        ({"count_features": ["word"]}, UsageError, "count_features names 'word', which is no column"),
        ({"categorical_features": [9]}, UsageError, "column numbers below 6"),
        ({"min_categories": [3, 3]}, UsageError, r"min_categories has shape \(2,\), and there are 6 columns"),
    ],
)
def test_bad_parameters(params, error, message):
    X, y = mixed()
    with pytest.raises(error, match=message):
        NaiveBayesClassifier(**params).fit(X, y)


def test_a_batch_may_weigh_nothing_but_not_all_of_them():
    X, y = mixed()
    model = NaiveBayesClassifier(**MIXED).fit(X, y)
    quiet = NaiveBayesClassifier(**MIXED).partial_fit(X, y).partial_fit(X[:9], y[:9], sample_weight=np.zeros(9))
    np.testing.assert_array_equal(quiet.theta_, model.theta_)
    with pytest.raises(DataError, match="no row has a positive weight"):
        NaiveBayesClassifier(**MIXED).fit(X, y, sample_weight=np.zeros(len(y)))
