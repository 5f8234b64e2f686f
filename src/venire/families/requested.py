"""The families a user asks for, by name or as an estimator of their own, and which of them can do the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from venire.data.table import Table, Task
from venire.errors import UsageError
from venire.families.boosters import boosters, refuse_missing_libraries
from venire.families.bucket import COMBINATIONS, default_bucket, pick
from venire.families.scores_as_shares import ScoreSharesFamily
from venire.metrics import Metric
from venire.metrics.predictions import Output
from venire.validation.subject import as_family
from venire.validation.trials.family import Family
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import CannotTake, WrongOutput


def asked_families(models: Sequence[Any] | str | None) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """The families of these names, and the combinations among them; own families and estimators as they are.

    Names may also come as one text with commas between, as on the command line. A `+` in front of a name adds it to the
    default models, which are then all there: `"+lightgbm"`. Other libraries' boosting is there by name alone.
    """
    if models is None:
        return pick(default_bucket(), None)
    if isinstance(models, str):
        models = [name.strip() for name in models.split(",")]
    asked = [model if isinstance(model, str) else as_family(model) for model in models]
    own = [model for model in asked if not isinstance(model, str)]
    names = [model if isinstance(model, str) else model.name for model in asked]
    bucket = [one for one in (*default_bucket(), *boosters()) if not any(_narrowed(each, one) for each in own)]
    families, combined = pick((*bucket, *own), _with_defaults(names, {one.name for one in own}))
    refuse_missing_libraries(families)
    return families, combined


def _narrowed(own: Family, default: Family) -> bool:
    """Whether a family is a default one with another path: it then takes that one's place."""
    return own.name == default.name and own.definition() == default.definition()


def _with_defaults(names: list[str], own: set[str]) -> list[str]:
    """The names without `+`; where they have one, after those of the default models."""
    added = [name for name in names if name.startswith("+")]
    if not added:
        return names
    bare = [name for name in names if name not in added and name not in own]
    if bare:
        raise UsageError(
            f"{added[0]} adds to all default models, and {bare[0]} without + asks for some of them",
            code="mixed_models",
            hint="put a + before every name, or before none",
        )
    default = [*(family.name for family in default_bucket()), *COMBINATIONS]
    return [*default, *(name.removeprefix("+").strip() for name in names)]


def able_families(
    families: Sequence[Family], table: Table, measure: Metric
) -> tuple[list[Family], dict[str, CannotTake]]:
    """The families that can do the task and be judged by the metric, and why the others cannot."""
    assert table.target is not None
    task = table.target.task
    able: list[Family] = []
    unable: dict[str, CannotTake] = {}
    for family in families:
        reason = family.unable(table)
        if reason is not None:
            unable[family.name] = reason
        elif _only_scores(family, task, measure):
            able.append(ScoreSharesFamily(family))
        elif not measure.accepts(family.output(task)):
            unable[family.name] = WrongOutput(str(family.output(task)), measure.name, str(measure.needs))
        else:
            able.append(family)
    if not able:
        raise UsageError(
            "none of the models asked for can do this: " + "; ".join(f"{n} {why}" for n, why in unable.items()),
            code="no_models",
            hint="see `venire models` for what each can do",
        )
    return able, unable


def _only_scores(family: Family, task: Task, measure: Metric) -> TypeGuard[GenericFamily]:
    """Whether a classifier has scores where the metric needs probabilities, which can then be made of them."""
    short = not measure.accepts(family.output(task)) and family.output(task) is Output.SCORES
    return short and isinstance(family, GenericFamily) and not family.others_code()
