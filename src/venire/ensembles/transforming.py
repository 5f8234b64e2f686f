"""Ensembles as transformers: what their members say of rows, as columns for another learner."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.named import NamedMembers
from venire.errors import UsageError
from venire.models.input import column_names


class MemberColumns(TransformerMixin, NamedMembers):  # type: ignore[misc]  # scikit-learn has no types
    """An ensemble whose `transform` has a column, or one a class, for each member."""

    _takes_documents: ClassVar[bool] = True

    def _member_widths(self) -> list[int]:
        """How many columns each member has in `transform`."""
        raise NotImplementedError

    def _keeps_columns(self) -> bool:
        """Whether the rows themselves follow behind what the members say."""
        return False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # class numbers and probabilities have types of their own
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns of `transform`: the class of the ensemble, the member, and a number."""
        check_is_fitted(self)
        stem = type(self).__name__.lower()
        found: list[str] = []
        for (name, _), width in zip(self._members(), self._member_widths(), strict=True):
            found += [f"{stem}_{name}"] if width == 1 else [f"{stem}_{name}{j}" for j in range(width)]
        if self._keeps_columns():
            found += self._names_of_rows(input_features)
        return np.asarray(found, dtype=object)

    def _names_of_rows(self, given: Any) -> list[str]:
        known = column_names(self)
        if given is None:
            return known
        names = [str(name) for name in given]
        if len(names) != len(known) or (hasattr(self, "feature_names_in_") and names != known):
            raise UsageError(f"input_features is not equal to feature_names_in_: {names[:5]} … for {known[:5]} …")
        return names


def columns_before(features: NDArray[np.float64], X: Any) -> Any:
    """What members say, then the rows as they came; sparse rows stay sparse, in their format."""
    if sparse.issparse(X):
        side_by_side: list[Any] = [sparse.csr_matrix(features), X]
        layout: Any = getattr(X, "format")  # noqa: B009 - the stubs of scipy's base class do not know it
        return sparse.hstack(side_by_side, format=layout)
    return np.hstack([features, np.asarray(X)])
