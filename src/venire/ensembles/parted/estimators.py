"""Gradient boosting and forests on a cluster, for rows that no machine holds together."""

from __future__ import annotations

from typing import Any

from venire.ensembles.forest import estimators as forests
from venire.ensembles.gradient import estimators as here
from venire.ensembles.parted.forest_over_parts import fit_forest
from venire.ensembles.parted.forest_part import ForestPart
from venire.ensembles.parted.over_parts import fit_parts
from venire.ensembles.parted.part import Part
from venire.models.parted.in_parts import Classified, InParts
from venire.models.parted.team import Team


class _Boosted(InParts):
    """A boosting, class by class of those that are grown here."""

    _part = Part

    @classmethod
    def _fit(cls, model: Any, team: Team) -> None:
        fit_parts(model, team, numeric=cls._numeric)


class _Grown(InParts):
    """A forest."""

    _part = ForestPart

    @classmethod
    def _fit(cls, model: Any, team: Team) -> None:
        fit_forest(model, team, numeric=cls._numeric)


class GradientBoostingClassifier(Classified, _Boosted):
    """Gradient boosting for classes on the workers of a Dask cluster.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.GradientBoostingClassifier`, but for what needs all rows in one place: rows drawn by their
        gradients, early stopping, class weights.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     boost = GradientBoostingClassifier(client=client, n_estimators=3, random_state=0)
    ...     boost = boost.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> boost.score(X, y) > 0.9
    True
    """

    _kind = here.GradientBoostingClassifier
    _numeric = False


class GradientBoostingRegressor(_Boosted):
    """Gradient boosting for numbers on the workers of a Dask cluster.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.GradientBoostingRegressor`, but for what needs all rows in one place: rows drawn by their
        gradients, early stopping, and the losses that look for a middle value (`"absolute"`, `"quantile"`, `"huber"`).

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     boost = GradientBoostingRegressor(client=client, n_estimators=3, random_state=0)
    ...     boost = boost.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> boost.score(X, y) > 0.2
    True
    """

    _kind = here.GradientBoostingRegressor
    _numeric = True


class RandomForestClassifier(Classified, _Grown):
    """A random forest for classes on the workers of a Dask cluster.

    The workers share the codes of all rows, a byte a value, and each grows some of the trees.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.RandomForestClassifier`, but for `oob_score`, `warm_start` and `combinations`.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     forest = RandomForestClassifier(client=client, n_estimators=10, random_state=0)
    ...     forest = forest.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> forest.score(X, y) > 0.9
    True
    """

    _kind = forests.RandomForestClassifier
    _numeric = False


class RandomForestRegressor(_Grown):
    """A random forest for numbers on the workers of a Dask cluster.

    The workers share the codes of all rows, a byte a value, and each grows some of the trees.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.RandomForestRegressor`, but for `oob_score`, `warm_start` and `combinations`.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     forest = RandomForestRegressor(client=client, n_estimators=10, random_state=0)
    ...     forest = forest.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> forest.score(X, y) > 0.4
    True
    """

    _kind = forests.RandomForestRegressor
    _numeric = True


class ExtraTreesClassifier(Classified, _Grown):
    """Extremely randomised trees for classes on the workers of a Dask cluster.

    The workers share the codes of all rows, a byte a value, and each grows some of the trees.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.ExtraTreesClassifier`, but for `oob_score`, `warm_start` and `combinations`.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     forest = ExtraTreesClassifier(client=client, n_estimators=10, random_state=0)
    ...     forest = forest.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> forest.score(X, y) > 0.9
    True
    """

    _kind = forests.ExtraTreesClassifier
    _numeric = False


class ExtraTreesRegressor(_Grown):
    """Extremely randomised trees for numbers on the workers of a Dask cluster.

    The workers share the codes of all rows, a byte a value, and each grows some of the trees.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.ExtraTreesRegressor`, but for `oob_score`, `warm_start` and `combinations`.

    Examples
    --------
    >>> from dask import delayed
    >>> from distributed import Client
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> local = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "host": "127.0.0.1"}
    >>> local |= {"protocol": "tcp://", "dashboard_address": None}
    >>> with Client(**local, set_as_default=False) as client:
    ...     forest = ExtraTreesRegressor(client=client, n_estimators=10, random_state=0)
    ...     forest = forest.fit([delayed((X[:70], y[:70])), delayed((X[70:], y[70:]))])
    >>> forest.score(X, y) > 0.4
    True
    """

    _kind = forests.ExtraTreesRegressor
    _numeric = True
