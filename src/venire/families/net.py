"""Neural nets: scikit-learn's, for so many rounds at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sklearn.pipeline import Pipeline

from venire.data.table import Table
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel, Outcome, Setting, never
from venire.validation.trials.generic import GenericFamily, Prepared
from venire.validation.trials.learner_warnings import caught_warnings, pass_on


class NetFamily(GenericFamily):
    """When a net stops is part of what it is: that it has not come to rest by then is no news to anybody."""

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        """As of any family, but for that warning."""
        outcome = super().run(prepared, trial, cancel)
        return replace(outcome, warnings=_news(outcome.warnings))

    def refit(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """As of any family, but for that warning."""
        with caught_warnings() as caught:
            fitted = super().refit(table, setting, seed)
        pass_on(_news(caught))
        return fitted


def _news(caught: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in caught if not each.startswith("ConvergenceWarning"))
