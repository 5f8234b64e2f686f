"""Ways of splitting as the command line asks for them: which options each knows, and which function it calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from venire.advice import Advice, Option
from venire.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from venire.data.table import Table
    from venire.validation import Bootstrap, OneLayer, TwoLayer
    from venire.validation.trials.family import Family

_CHOOSING = ("layers", "inner_folds", "rule")
_KEEPING_BACK = ("share", "inner_share", "stratified", "rule")
# The options of each way, beyond those that say what is validated, by what, and how the table is read.
WAYS = {
    "folds": ("folds", "repeats", *_CHOOSING, "stratified", "groups", "time"),
    "leave_one_out": _CHOOSING,
    "leave_one_group_out": (*_CHOOSING, "groups"),
    "holdout": (*_KEEPING_BACK, "groups", "time"),
    "subsampling": ("repeats", *_KEEPING_BACK, "groups"),
    "bootstrap": ("samples", "estimate", "groups"),
}
_REPEATS = {"subsampling": 20}


@dataclass(frozen=True, slots=True)
class Way:
    """A way of splitting with all that it needs; what it does not know has its default, and says nothing."""

    by: str = "folds"
    layers: int = 2
    folds: int | None = None
    repeats: int = 1
    inner_folds: int | None = None
    share: float = 1 / 3
    inner_share: float = 1 / 3
    samples: int = 100
    estimate: str = "632+"
    stratified: bool = False
    rule: str = "best"

    @classmethod
    def of(cls, by: str, given: Mapping[str, Any]) -> Way:
        """The way of that name, with the options that were given; those it does not know are refused.

        >>> Way.of("leave-one-out", {"layers": 1, "folds": None})
        Way(by='leave_one_out', layers=1, ...)
        """
        name = _known(by)
        # By identity: `--folds 0` was said, and is refused by whoever splits the rows.
        predicted = {
            option: given[option] for option in _OPTIONS if not any(given.get(option) is no for no in (None, False))
        }
        for option in predicted:
            if option not in WAYS[name]:
                raise _out_of_place(option, name)
        if name == "leave_one_group_out" and "groups" not in predicted:
            raise UsageError(
                "leave_one_group_out needs to know the groups",
                code="bad_split",
                hint=Advice("name the column that says which rows belong together with ", Option("groups")),
            )
        own = {option: value for option, value in predicted.items() if option not in ("groups", "time")}
        way = cls(name, **{"repeats": _REPEATS.get(name, 1), **own})
        way._check()
        return way

    def _check(self) -> None:
        if self.layers not in (1, 2):
            raise UsageError(
                f"there are 1 and 2 layers, not {self.layers}",
                code="bad_layers",
                hint="1 chooses and judges on the same folds, 2 judges the choice, too",
            )
        if self.layers == 1 and self.inner_folds is not None:
            raise UsageError(
                "in one layer nothing is chosen inside the training parts, so there are no inner folds",
                code="bad_split",
                hint=Advice("leave out ", Option("inner_folds"), ", or ", Option("layers", 1)),
            )

    @property
    def keeps_back(self) -> bool:
        """Whether a share of the rows is kept back, once or again and again."""
        return self.by in ("holdout", "subsampling")

    def validate(self, family: Family, table: Table, **common: Any) -> OneLayer | TwoLayer | Bootstrap:
        """Validate a family on a table; `common` is what every way takes: metric, costs, seed, jobs."""
        from venire.validation import bootstrap, holdout, one_layer, two_layer

        if self.by == "bootstrap":
            return bootstrap(family, table, samples=self.samples, estimate=self.estimate, **common)
        if self.keeps_back:
            return holdout(
                family,
                table,
                test=self.share,
                validation=self.inner_share,
                repeats=self.repeats,
                stratified=self.stratified,
                rule=self.rule,
                **common,
            )
        split = "stratified" if self.stratified else self.by
        asked = {"split": split, "folds": self.folds, "repeats": self.repeats, "rule": self.rule, **common}
        if self.layers == 1:
            return one_layer(family, table, **asked)
        return two_layer(family, table, inner_folds=self.inner_folds, **asked)


_OPTIONS = tuple(dict.fromkeys(option for options in WAYS.values() for option in options))


def _known(by: str) -> str:
    name = by.strip().replace("-", "_")
    if name not in WAYS:
        raise UsageError(
            f"there is no way of splitting called {by!r}{did_you_mean(name, WAYS)}",
            code="bad_split",
            hint=f"there are {', '.join(WAYS)}",
        )
    return name


def _out_of_place(option: str, by: str) -> UsageError:
    able = [name for name, options in WAYS.items() if option in options]
    others = f"{', ' if able[2:] else ''}{', '.join(able[1:-1])} or {able[-1]}" if able[1:] else ""
    return UsageError(
        f"--{option.replace('_', '-')} says nothing with --by {by}",
        code="bad_split",
        hint=Advice("leave it out, or use it with ", Option("by", able[0]), others),
    )
