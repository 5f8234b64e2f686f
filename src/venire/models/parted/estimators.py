"""Naive Bayes, linear and logistic regression on a cluster, for rows that no machine holds together."""

from __future__ import annotations

from typing import Any

from sklearn import linear_model

from venire.models.bayes import classifier
from venire.models.parted.bayes_over_parts import fit_bayes
from venire.models.parted.in_parts import Classified, InParts
from venire.models.parted.linear_over_parts import fit_logistic, fit_ridge
from venire.models.parted.team import Team


class NaiveBayesClassifier(Classified):
    """Naive Bayes on the workers of a Dask cluster.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.NaiveBayesClassifier`; counts and weights are whole numbers.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     bayes = NaiveBayesClassifier(client=client)
    ...     bayes = bayes.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> bayes.score(X, y) > 0.9
    True
    """

    _kind = classifier.NaiveBayesClassifier
    _numeric = False

    @classmethod
    def _fit(cls, model: Any, team: Team) -> None:
        fit_bayes(model, team)


class Ridge(InParts):
    """Least squares with a ridge on the workers of a Dask cluster; with `alpha=0`, without one.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of scikit-learn's `Ridge` that matter to what is found: `alpha`. `model_` is one of that class.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     line = Ridge(client=client, alpha=0.1)
    ...     line = line.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> line.score(X, y) > 0.4
    True
    """

    _kind = linear_model.Ridge
    _numeric = True
    _categories = False

    @classmethod
    def _fit(cls, model: Any, team: Team) -> None:
        fit_ridge(model, team)


class LogisticRegression(Classified):
    """Logistic regression with an L2 penalty on the workers of a Dask cluster.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of scikit-learn's `LogisticRegression` that matter to what is found: `C`. `model_` is one of that class,
        at the optimum to the last digits.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     model = LogisticRegression(client=client, C=10.0)
    ...     model = model.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> model.score(X, y) > 0.9
    True
    """

    _kind = linear_model.LogisticRegression
    _numeric = False
    _categories = False

    @classmethod
    def _fit(cls, model: Any, team: Team) -> None:
        fit_logistic(model, team)
