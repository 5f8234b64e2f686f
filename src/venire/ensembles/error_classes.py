"""Errors of ours that are also of the class which scikit-learn raises there: handlers of either see them."""

from __future__ import annotations

from sklearn.exceptions import NotFittedError

from venire.errors import DataError, UsageError


class NoWeights(UsageError, TypeError):
    """A member takes no example weights."""


class NotFittedMember(UsageError, NotFittedError):  # type: ignore[misc]  # scikit-learn has no types
    """A member that should have come fitted is not."""


class SeveralTargets(DataError, NotImplementedError):
    """A target of several columns, where one is needed."""
