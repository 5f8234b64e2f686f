"""What all models have in common that are fitted on the workers of a cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from venire.cluster.session import reached
from venire.cluster.where import Where
from venire.errors import UsageError
from venire.models.few_rows import require_fitted
from venire.models.parted.on_dask import DaskTeam
from venire.models.parted.part_rows import PartRows
from venire.models.parted.partitions import Wanted
from venire.models.parted.team import Team


class InParts(ABC):
    """Fitted on the workers of a cluster; what comes of it is the plain model of one machine, `model_`."""

    _kind: ClassVar[Any]
    _numeric: ClassVar[bool]
    _part: ClassVar[type] = PartRows
    _categories: ClassVar[bool] = True  # may columns hold texts or categories?
    model_: Any

    def __init__(self, *, client: Any, **settings: Any) -> None:
        self.client, self.settings = client, settings
        self._kind(**settings)  # which knows its parameters

    @classmethod
    @abstractmethod
    def _fit(cls, model: Any, team: Team) -> None:
        """Fit the plain model to the rows of all parts."""

    def fit(self, partitions: Any, target: Any = None, weight: Any = None) -> Self:
        """Fit to partitions.

        They are a folder of Parquet files that every worker sees, or their paths, a data set of Arrow's, a Dask frame,
        or Delayed objects or futures of Dask, each a frame with the column `target`, and perhaps a column of weights,
        or arrays (X, y) or (X, y, weights). Their order is that of the rows. The model has the same bytes for any
        number of workers and any partitions.
        """
        where = Where.of(self.client)
        if where is None:
            raise UsageError("client: a cluster is needed", hint="give an address, a Client or a Cluster of Dask")
        model = self._kind(**self.settings)
        wanted = Wanted(target, weight, self._numeric, self._categories)
        with reached(where, {}) as session:
            assert session is not None
            with session.client.as_current():
                team = DaskTeam(session, self._part, partitions, wanted)
                try:
                    self._fit(model, team)
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


class Classified(InParts):
    """A model of classes."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the classes for rows that are here."""
        require_fitted(self, "model_")
        return np.asarray(self.model_.predict_proba(X))
