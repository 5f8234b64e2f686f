"""Gradient boosting on a cluster, for rows that no machine holds together."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from venire.cluster.session import reached
from venire.cluster.where import Where
from venire.ensembles.gradient import estimators as here
from venire.ensembles.parted.on_dask import DaskTeam
from venire.ensembles.parted.over_parts import fit_parts
from venire.errors import UsageError
from venire.models.few_rows import require_fitted


class _InParts:
    """Fitted on the workers of a cluster; what comes of it is the plain model of one machine, `model_`."""

    _kind: ClassVar[Any]
    _numeric: ClassVar[bool]
    model_: Any

    def __init__(self, *, client: Any, **settings: Any) -> None:
        self.client, self.settings = client, settings
        self._kind(**settings)  # which knows its parameters

    def fit(self, partitions: Any, target: Any = None) -> Self:
        """Boost on partitions.

        They are paths of Parquet files that every worker sees, a Dask frame, or Delayed objects or futures of Dask,
        each a frame with the column `target`, or a pair of arrays (X, y). Their order is that of the rows. Columns
        hold numbers. The model is the one that `venire` fits to all rows in one place, whatever the number of workers.
        """
        where = Where.of(self.client)
        if where is None:
            raise UsageError("client: a cluster is needed", hint="give an address, a Client or a Cluster of Dask")
        model = self._kind(**self.settings)
        with reached(where, {}) as session:
            assert session is not None
            with session.client.as_current():
                team = DaskTeam(session, partitions, target, numeric=self._numeric)
                try:
                    fit_parts(model, team, numeric=self._numeric)
                finally:
                    team.close()
        self.model_ = model
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """What the model predicts for rows that are here."""
        require_fitted(self, "model_")
        return np.asarray(self.model_.predict(X))

    def score(self, X: Any, y: Any) -> float:
        """As that of the model."""
        require_fitted(self, "model_")
        return float(self.model_.score(X, y))


class GradientBoostingClassifier(_InParts):
    """Gradient boosting for classes on the workers of a Dask cluster.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.GradientBoostingClassifier`, but for what needs all rows in one place: rows drawn, early
        stopping, weights, categories.

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

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes for rows that are here."""
        require_fitted(self, "model_")
        return np.asarray(self.model_.predict_proba(X))


class GradientBoostingRegressor(_InParts):
    """Gradient boosting for numbers on the workers of a Dask cluster.

    Parameters
    ----------
    client
        An address, a scheduler file, or a `Client` or `Cluster` of Dask.
    settings
        Those of `venire.GradientBoostingRegressor`, but for what needs all rows in one place: rows drawn, early
        stopping, and the losses that look for a middle value (`"absolute"`, `"quantile"`, `"huber"`).

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
