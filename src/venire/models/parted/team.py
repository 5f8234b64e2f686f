"""The parts of the rows as one: who is asked, and what all have to agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from venire.errors import DataError, UsageError
from venire.models.input import CategoricalFeatures, Layout, column_mask
from venire.models.parted.partitions import together

Result = TypeVar("Result")


class LostPart(Exception):
    """The process that held a part is gone."""


class Team(Protocol):
    """The parts, wherever they are, in the order of their rows."""

    def ask(self, method: str, *given: Sequence[Any]) -> list[Any]:
        """What a method says for each part, asked of all at once; `given` has its arguments, one a part.

        `LostPart` where one of them is gone.
        """

    def keep(self, which: Sequence[int]) -> None:
        """Go on with these parts alone."""

    def renew(self) -> None:
        """Make all parts, again after one was lost."""


def with_all_parts(team: Team, work: Callable[[list[Any]], Result]) -> Result:
    """What work on all parts comes to, given their facts; done again where a part is lost meanwhile."""
    while True:
        team.renew()
        try:
            return work(agreed(team))
        except LostPart:
            continue


def agreed(team: Team) -> list[Any]:
    """What is known of the parts that have rows; an error where they do not go together."""
    facts = team.ask("facts")
    for one in facts:
        if one.troubles:
            raise DataError(one.troubles[0], code="bad_partition", hint="look at that partition")
    with_rows = [i for i, one in enumerate(facts) if one.rows]
    if not with_rows:
        raise DataError("the partitions have no rows", code="no_rows", hint="look at what they are made of")
    team.keep(with_rows)
    facts = [facts[i] for i in with_rows]
    for number, one in zip(with_rows, facts, strict=True):
        if (one.names, one.columns) != (facts[0].names, facts[0].columns):
            raise DataError(
                f"part {number} has other columns than part {with_rows[0]}: {_columns(one)}, not {_columns(facts[0])}",
                code="other_columns",
                hint="partitions have the same columns in the same order",
            )
        if not one.finite:
            raise DataError(f"part {number}: the target has missing or infinite values", code="bad_partition")
        if one.weighed != facts[0].weighed:
            raise DataError(f"part {number}: some partitions have weights, and some have none", code="bad_partition")
    if not any(one.heavy_rows for one in facts):
        raise DataError("every row has weight 0", code="no_weight", hint="give at least one row a weight above 0")
    union = together([one.categories for one in facts])
    if not union:
        return list(facts)
    for number, odd in zip(with_rows, team.ask("recode", [union] * len(facts)), strict=True):
        if odd is not None:
            raise DataError(
                f"part {number}: column {_name(facts[0], odd)} holds numbers, and categories in other parts",
                code="other_kinds",
                hint="columns hold the same kind of values in all partitions",
            )
    return [replace(one, categories=union) for one in facts]


def _columns(facts: Any) -> str:
    return f"{facts.columns} columns" if facts.names is None else ", ".join(facts.names[:10])


def _name(facts: Any, column: int) -> str:
    return f"{column}" if facts.names is None else f"{facts.names[column]!r}"


def describe(model: Any, facts: Any, categorical: CategoricalFeatures = None) -> Layout:
    """Names and number of columns on the model, as one on one machine has them; which of them are categories."""
    if facts.names is not None:
        model.feature_names_in_ = np.array(facts.names, dtype=object)
    model.n_features_in_ = facts.columns
    mask = column_mask(model, categorical, facts.columns)
    mask[list(facts.categories)] = True
    return Layout(mask, dict(facts.categories))


def classes_of(facts: Sequence[Any]) -> NDArray[Any]:
    """All classes, in order; at least two."""
    classes = np.unique(np.concatenate([one.classes for one in facts]))
    if len(classes) < 2:
        raise DataError(
            f"the target has one class alone: {classes.tolist()[0]!r}", code="one_class", hint="there have to be two"
        )
    return classes


def refuse_gaps(facts: Sequence[Any]) -> None:
    """An error where a value is missing, for models that take none."""
    for number, one in enumerate(facts):
        for j, count in enumerate(one.gaps):
            if count:
                raise DataError(
                    f"part {number}: column {_name(one, j)} has {count} missing values, and a linear model takes none",
                    code="missing_values",
                    hint="fill them, leave the column out, or fit trees, boosting or naive Bayes, which take them",
                )


def refuse_unless(model: Any, plain: dict[str, Any]) -> None:
    """An error where a parameter is not what it has to be for parts."""
    for name, value in plain.items():
        found = getattr(model, name, value)
        if found is not value and found != value:
            raise UsageError(
                f"{name}={found!r} is for rows in one place, and these are in parts",
                code="not_in_parts",
                hint=f"leave {name} out",
            )
