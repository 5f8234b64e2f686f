"""One named model or setting, judged as in a comparison: what `venire fit` does."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from venire.data import Table
from venire.errors import UsageError, did_you_mean
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.families.requested import asked_families
from venire.flow.comparing import compare
from venire.flow.verdict import Verdict
from venire.validation.subject import as_table
from venire.validation.trials.family import Family, Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.unknown_options import refuse_unknown

_OF_COMPARING = (
    "metric", "folds", "repeats", "stratified", "seed", "jobs", "budget", "costs", "rule", "began", "tick", "home",
)  # fmt: skip


def fit_one(
    source: Any,
    target: str | ArrayLike | None = None,
    *,
    model: str | None,
    setting: str | None = None,
    **options: Any,
) -> Verdict:
    """The verdict on one model alone, with all its settings or a single one; options are those of `compare`."""
    refuse_unknown(options, compare)
    family = _family(model)
    comparing = {name: options.pop(name) for name in _OF_COMPARING if name in options}
    table = as_table(source, target, **options)
    if setting is not None:
        family = _at(family, setting, table)
    return compare(table, models=[family], **comparing)


def _family(name: str | None) -> Family:
    known = ", ".join(family.name for family in default_bucket())
    if name is None:
        raise UsageError(
            "which model is to be fitted?", code="no_models", hint=f"name it with --model; there are {known}"
        )
    if name in COMBINATIONS:
        raise UsageError(
            f"{name!r} combines several models, and here is only one",
            code="unknown_model",
            hint=f"compare it with its members: venire compare --models tree,forest,{name} --save m.venire",
        )
    (family,), _ = asked_families([name])
    return family


def _at(family: Family, wanted: str, table: Table) -> Family:
    """The family with that one setting, named as people read it."""
    path = family.path(table)
    by_label: dict[str, Setting] = {_bare(each.label): each for each in path}
    found = by_label.get(_bare(wanted))
    if found is None or not isinstance(family, GenericFamily):
        raise UsageError(
            f"{family.name} has no setting {wanted!r}{did_you_mean(wanted, [each.label for each in path])}",
            code="unknown_setting",
            hint=f"on this table there are: {'; '.join(each.label for each in path)}",
        )
    return family.with_path((found,))


def _bare(label: str) -> str:
    """Spaces do not count, nor does the case of letters."""
    return "".join(label.split()).casefold()
