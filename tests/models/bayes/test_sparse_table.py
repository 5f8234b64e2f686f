"""Naive Bayes of sparse tables: the model and the scores of the same table made dense."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import MultinomialNB

from venire import DataError, NaiveBayesClassifier

X = sparse.random(300, 20, 0.2, random_state=0, format="csr")
X.data -= 0.3
Y = np.arange(300) % 3
GAPS = X.copy()
GAPS.data[::6] = np.nan
WORDS = X.copy()
WORDS.data = np.ceil(5 * np.abs(WORDS.data))
SOME = np.arange(300.0) % 3


@pytest.mark.parametrize("x", [X, GAPS, X + 1e6 * sparse.csr_matrix(np.ones((300, 1)) @ np.eye(20)[:1])])
@pytest.mark.parametrize("weights", [None, SOME])
@pytest.mark.parametrize("counted", [None, [0, 3]])
def test_as_if_dense(x, weights, counted):
    if counted is not None:
        x = sparse.csr_matrix(abs(x))
    given = NaiveBayesClassifier(count_features=counted).fit(x, Y, weights)
    dense = NaiveBayesClassifier(count_features=counted).fit(x.toarray(), Y, weights)
    assert given.theta_ == pytest.approx(dense.theta_, rel=1e-9, abs=1e-12)
    assert given.var_ == pytest.approx(dense.var_, rel=1e-9)
    assert given.count_shares_ == pytest.approx(dense.count_shares_)
    scores = dense.predict_joint_log_proba(x.toarray())
    assert given.predict_joint_log_proba(x) == pytest.approx(scores, rel=1e-6, abs=1e-6)
    assert given.predict(x).tolist() == dense.predict(x.toarray()).tolist()
    assert dense.predict_proba(x) == pytest.approx(given.predict_proba(x.toarray()), abs=1e-6)


def test_words_are_those_of_scikit_learn():
    ours = NaiveBayesClassifier(count_features=list(range(20))).fit(WORDS, Y)
    peer = MultinomialNB().fit(WORDS, Y)
    assert ours.predict_proba(WORDS) == pytest.approx(peer.predict_proba(WORDS))


def test_parts_make_the_model_of_the_whole():
    whole = NaiveBayesClassifier().fit(X, Y)
    parts = NaiveBayesClassifier()
    for rows in (slice(0, 90), slice(90, 300)):
        parts.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
    assert parts.theta_ == pytest.approx(whole.theta_)
    assert parts.var_ == pytest.approx(whole.var_)


def test_a_row_is_explained_and_counts_are_not_negative():
    model = NaiveBayesClassifier().fit(X, Y)
    dense = model.explain(X[0].toarray())
    assert str(model.explain(X[0])) == str(dense)
    with pytest.raises(DataError, match="column 3 holds counts, and -0"):
        NaiveBayesClassifier(count_features=[3]).fit(X, Y)
