"""Metadata given to the methods of a fitted bag, on its way to the members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.dummy import DummyClassifier
from sklearn.utils.metadata_routing import MethodMapping, process_routing

from venire.ensembles.members import Named


def answering(caller: str, member: Any, *, crisp: bool) -> str:
    """The method of a member that answers when the bag is asked by `caller`.

    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> answering("predict", GaussianNB(), crisp=False), answering("predict_proba", RidgeClassifier(), crisp=False)
    ('predict_proba', 'predict')
    """
    if caller == "decision_function":
        return caller
    if crisp or not hasattr(member, "predict_proba"):
        return "predict"
    return caller if caller == "predict_log_proba" and hasattr(member, caller) else "predict_proba"


def mapping(callers: Sequence[str], member: Any, *, crisp: bool) -> MethodMapping:
    """Which methods of a member get what is given to `fit` and to these methods of the bag."""
    found = MethodMapping().add(caller="fit", callee="fit")
    for caller in callers:
        found.add(caller=caller, callee=answering(caller, member, crisp=crisp))
    return found


def handed_on(
    bag: Any, fitted: Sequence[Any], members: Named, caller: str, params: dict[str, Any], *, crisp: bool
) -> list[dict[str, Any]]:
    """What each fitted member is given beside the rows; they are copies of `members`, in turn.

    What stands in for a member whose sample had one class takes nothing.
    """
    if not params:
        return [{}] * len(fitted)
    routed = process_routing(bag, caller, **params)
    of_each = [dict(routed[name][answering(caller, member, crisp=crisp)]) for name, member in members]
    return [{} if isinstance(one, DummyClassifier) else of_each[t % len(members)] for t, one in enumerate(fitted)]
