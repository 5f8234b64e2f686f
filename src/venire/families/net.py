"""Neural nets: scikit-learn's, for so many rounds at most."""

from __future__ import annotations

from dataclasses import replace

from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel, Outcome, never
from venire.validation.trials.generic import GenericFamily, Prepared


class NetFamily(GenericFamily):
    """When a net stops is part of what it is: that it has not come to rest by then is no news to anybody."""

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        """As of any family, but for that warning."""
        outcome = super().run(prepared, trial, cancel)
        heard = tuple(each for each in outcome.warnings if not each.startswith("ConvergenceWarning"))
        return replace(outcome, warnings=heard)
