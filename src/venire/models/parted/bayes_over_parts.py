"""Naive Bayes over parts: counts add up, and moments are those of blocks of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from venire.errors import DataError
from venire.models.bayes.input import columns_by_kind
from venire.models.bayes.sums import Moments
from venire.models.input import column_mask
from venire.models.parted.block_sums import ClassMoments, summed
from venire.models.parted.team import Team, describe, refuse_unless, with_all_parts

_PLAIN = {"class_weight": None, "weights_in": "all"}


def fit_bayes(model: Any, team: Team) -> None:
    """The model that `fit` would make of all rows in one place."""
    model._validate_params()
    refuse_unless(model, _PLAIN)
    with_all_parts(team, lambda facts: _fit(model, team, facts))


def _fit(model: Any, team: Team, facts: list[Any]) -> None:
    if not all(team.ask("whole_weights")):
        raise DataError(
            "the weights are not whole numbers, and of these sums over parts are not exact",
            code="not_in_parts",
            hint="round them, or fit without weights",
        )
    parts, sizes = len(facts), [one.rows for one in facts]
    model._layout = layout = describe(model, facts[0], model.categorical_features)
    model.classes_ = classes = np.unique(np.concatenate([one.classes for one in facts]))
    team.ask("classes_counted", [classes] * parts)
    shown = np.sum(team.ask("classes_weighed", [len(classes)] * parts), axis=0)
    counted = column_mask(model, model.count_features, model.n_features_in_, "count_features")
    columns = columns_by_kind(layout.categorical, counted)
    model._begin()
    least = [model.min_categories] * parts
    categories = np.max(team.ask("highest_codes", [layout] * parts, [columns] * parts, least), axis=0)
    sums = model._sums.with_categories(categories)
    told = team.ask("tables", [columns] * parts, [len(classes)] * parts, [categories] * parts)
    if not all(whole for _, _, whole in told):
        raise DataError(
            "count_features hold numbers that are not whole, and of these sums over parts are not exact",
            code="not_in_parts",
            hint="leave those columns out of count_features",
        )
    table, of_counts = (np.sum([each[k] for each in told], axis=0) for k in (0, 1))
    origin = np.full(len(columns.numeric), np.nan)
    for first in team.ask("first_values", [columns] * parts):
        origin = np.where(np.isnan(origin), first, origin)
    moments = sums.moments
    if len(columns.numeric):
        kind = ClassMoments(columns.numeric, np.nan_to_num(origin), len(classes))
        moments = moments.merge(Moments(*summed(team, kind, sizes)))
    tables = np.split(table, np.cumsum(categories)[:-1]) if len(categories) else []
    model._sums = replace(
        sums,
        class_weight=sums.class_weight + shown,
        origin=origin,
        moments=moments,
        tables=tuple(old + new for old, new in zip(sums.tables, tables, strict=True)),
        counted=sums.counted + of_counts,
    )
    model._sums.refuse_no_weight()
    model._learn()
