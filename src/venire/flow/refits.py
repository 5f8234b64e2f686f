"""Models of the leaderboard fitted again with the settings that were chosen: on all rows, or on some."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from venire.data import Table
from venire.data.spaced_rows import spaced_rows
from venire.ensembles.table_model import fitted_quietly
from venire.errors import UsageError, VenireError
from venire.persist.kept_model import KeptModel
from venire.validation.trials.family import Leaving, Refitting
from venire.validation.trials.learner_warnings import caught_warnings
from venire.validation.trials.workers.bench import words_of
from venire.verdict.candidates import Part, Parts
from venire.verdict.judgement import Judgement

_TIMED_ROWS = 1000
_LONGEST = 200  # letters of an error


def in_one_line(error: BaseException) -> str:
    """The beginning of what an error says; of one that is not ours its kind, too."""
    kind, said = words_of(error)
    return said[:_LONGEST] if isinstance(error, VenireError) else f"{kind}: {said[:_LONGEST]}"


def refit(
    judgement: Judgement,
    name: str,
    table: Table | None = None,
    threads: int = 1,
    left: Mapping[str, Sequence[Any]] | None = None,
) -> KeptModel:
    """A line of the leaderboard fitted on all rows, or on a table of some; what it warned of is kept, and not said.

    Families whose trials `left` models are not fitted: these are averaged.
    """
    held_names = [candidate.name for candidate in judgement.candidates]
    if name not in held_names:
        raise UsageError(f"there is no candidate {name!r}", hint=f"there are: {', '.join(held_names)}")
    rows = judgement.docket.table if table is None else table
    heavy, bags = _parts(judgement, name), left or {}
    fits = {
        family: partial(_named_members, judgement, parts, rows, threads)
        for family, parts in _families(heavy).items()
        if family not in bags
    }
    by_family, caught = fitted_quietly(fits)
    fitted = {part: [model] for _, members in by_family for part, model in members.items()}
    fitted |= {part: _cut_back(judgement, part, bags[part.family]) for part in heavy if part.family in bags}
    members, weights = [], []
    for part, called in _names(judgement, heavy).items():
        several = fitted[part]
        numbers = [f", without fold {at}" for at in range(1, len(several) + 1)] if part.family in bags else [""]
        members += [(called + number, one) for number, one in zip(numbers, several, strict=True)]
        weights += [heavy[part] / len(several)] * len(several)
    model = KeptModel.of(rows, members, weights, judgement.candidate(name).finish)
    model.fit_warnings_ = dict(caught)
    return model


def refit_every(judgement: Judgement, threads: int = 1) -> dict[str, KeptModel | BaseException]:
    """Every line of the leaderboard fitted on all rows, each setting once; what it raised where it could not be."""
    table = judgement.docket.table
    parts_of = {candidate.name: _parts(judgement, candidate.name) for candidate in judgement.candidates}
    fitted: dict[Part, Any] = {}
    for family, wanted in _families(part for parts in parts_of.values() for part in parts).items():
        try:
            ((_, members),), _ = fitted_quietly({family: partial(_members, judgement, wanted, table, threads)})
            fitted.update(members)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # somebody's estimator may raise anything, or leave
            fitted.update(dict.fromkeys(wanted, error))
    found: dict[str, KeptModel | BaseException] = {}
    for candidate in judgement.candidates:
        parts = parts_of[candidate.name]
        failed = [fitted[part] for part in parts if isinstance(fitted[part], BaseException)]
        named = [(called, fitted[part]) for part, called in _names(judgement, parts).items()]
        found[candidate.name] = (
            failed[0] if failed else KeptModel.of(table, named, list(parts.values()), candidate.finish)
        )
    return found


@dataclass(frozen=True)
class Seconds:
    """What a model takes: to be fitted on all rows, and to predict one; not a number where it fails."""

    fit: float
    predict: float


def seconds(judgement: Judgement) -> dict[str, Seconds]:
    """Of every line of the leaderboard, measured: each setting is fitted once, a combination sums up its own."""
    parts_of = {candidate.name: _parts(judgement, candidate.name) for candidate in judgement.candidates}
    timed = {part: _timed(judgement, part) for part in dict.fromkeys(p for parts in parts_of.values() for p in parts)}
    return {
        name: Seconds(sum(timed[part].fit for part in parts), sum(timed[part].predict for part in parts))
        for name, parts in parts_of.items()
    }


def _timed(judgement: Judgement, part: Part) -> Seconds:
    table = judgement.docket.table
    try:
        with caught_warnings():
            began = time.perf_counter()
            members = _members(judgement, [part], table)
            fitted = time.perf_counter()
            model = KeptModel.of(table, [(part.family, members[part])], [1.0])
            rows = table.X[spaced_rows(table.rows, _TIMED_ROWS)]
            asked = time.perf_counter()
            model.outputs(rows)
            return Seconds(fitted - began, (time.perf_counter() - asked) / len(rows))
    except KeyboardInterrupt:
        raise
    except BaseException:  # somebody's estimator may raise anything; `fit` says what
        return Seconds(math.nan, math.nan)


def _parts(judgement: Judgement, name: str) -> Parts:
    """What is fitted for a line of the leaderboard, with the weight of each."""
    candidate = judgement.candidate(name)
    parts = candidate.parts or {Part(name, candidate.final_setting): 1.0}
    return {part: weight for part, weight in parts.items() if weight > 0}


def _names(judgement: Judgement, parts: Parts) -> dict[Part, str]:
    """A family's name, and with it the setting where several settings of one family take part."""
    often = Counter(part.family for part in parts)
    return {part: part.family if often[part.family] == 1 else _with_setting(judgement, part) for part in parts}


def _with_setting(judgement: Judgement, part: Part) -> str:
    return f"{part.family} ({judgement.ledgers[part.family].settings[part.setting].label})"


def _cut_back(judgement: Judgement, part: Part, left: Sequence[Any]) -> list[Any]:
    """What trials left, with the setting of a part."""
    family, setting = judgement.docket.families[part.family], judgement.ledgers[part.family].settings[part.setting]
    assert isinstance(family, Leaving)
    return [family.cut_back(model, setting) for model in left]


def _families(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """The parts by their family, each once."""
    found: dict[str, list[Part]] = {}
    for part in dict.fromkeys(parts):
        found.setdefault(part.family, []).append(part)
    return found


def _named_members(judgement: Judgement, parts: Sequence[Part], table: Table, threads: int) -> dict[Part, Any]:
    """`_members`; where other people's code fails in it, the error says whose it is, and what there is instead."""
    name = parts[0].family
    with _speaking_of(name, [candidate.name for candidate in judgement.candidates if candidate.name != name]):
        return _members(judgement, parts, table, threads)


@contextmanager
def _speaking_of(name: str, others: Sequence[str]) -> Iterator[None]:
    try:
        yield
    except (VenireError, KeyboardInterrupt):
        raise
    except BaseException as error:  # somebody's estimator may raise anything, or leave
        raise VenireError(
            f"{name} could not be fitted on all rows: {in_one_line(error)}",
            code="not_fitted",
            hint=f"another of the leaderboard can be handed over: fit(NAME), with {', '.join(others)}",
        ) from error


def _members(judgement: Judgement, parts: Sequence[Part], table: Table, threads: int = 1) -> dict[Part, Any]:
    """Settings of one family, fitted at once where it has a way for that."""
    name, seed = parts[0].family, judgement.docket.plan.seed
    family, path = judgement.docket.families[name], judgement.ledgers[name].settings
    settings = [path[part.setting] for part in parts]
    if isinstance(family, Refitting):
        return dict(zip(parts, family.refit_all(table, settings, seed, threads), strict=True))
    return {part: family.refit(table, setting, seed) for part, setting in zip(parts, settings, strict=True)}
