import numpy as np
import pytest

from tests.models.tables import MIXED, mixed
from venire.errors import UsageError
from venire.models.bayes.classifier import NaiveBayesClassifier


def test_explanation_adds_up(golf):
    X, y = mixed()
    model = NaiveBayesClassifier(**MIXED).fit(X, y)
    for row in X[:20]:
        joint = np.sort(model.predict_joint_log_proba(row[None])[0])
        assert model.explain(row).log_odds == pytest.approx(joint[-1] - joint[-2], abs=1e-9)
    X, y = golf
    told = NaiveBayesClassifier(alpha=0.0).fit(X, y).explain(X[:1])
    terms = {term.attribute: (term.value, term.log_odds) for term in told.terms}
    assert (told.favoured, told.against) == ("no", "yes")
    assert terms["humidity"] == ("high", pytest.approx(np.log((4 / 5) / (3 / 9))))
    assert told.prior == pytest.approx(np.log(5 / 9))
    assert "humidity = high" in str(told)


def test_explaining_one_class_against_another():
    X, y = mixed()
    model = NaiveBayesClassifier(**MIXED).fit(X, y)
    told = model.explain(X[0], favoured=2, against=0)
    joint = model.predict_joint_log_proba(X[:1])[0]
    assert told.log_odds == pytest.approx(joint[2] - joint[0])
    assert model.explain(X[0], against=int(joint.argmax())).favoured == np.argsort(joint)[-2]
    with pytest.raises(UsageError, match="there is no class 9"):
        model.explain(X[0], favoured=9)
    with pytest.raises(UsageError, match="class 1 is compared with itself"):
        model.explain(X[0], favoured=1, against=1)
    with pytest.raises(UsageError, match="takes one row, and got 2"):
        model.explain(X[:2])
    with pytest.raises(UsageError, match="only one class"):
        NaiveBayesClassifier().fit(X, ["same"] * len(X)).explain(X[0])
