"""Neural nets: all settings of the path are trained side by side in one pass, as each would be trained alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from venire.data.table import Table
from venire.models.net.base import NetBase, fit_together
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Cost
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.lesson import Lesson
from venire.validation.trials.outcomes import Fit, predictions_of


class NetFamily(GenericFamily):
    """The path varies what a net is like; the rows are encoded and shuffled once for all of them."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """One pack of all nets of all settings."""
        nets = [self._estimator(lesson.table, setting, lesson.seed) for setting in lesson.settings]
        if not all(isinstance(net, NetBase) for net in nets):
            yield from super().fit_path(lesson)
            return
        fit_together(nets, lesson.X, lesson.y, lesson.weights, lesson.cancel)
        for net in nets:
            lesson.cancel()
            yield predictions_of(net, lesson)

    def in_brief(self, table: Table) -> NetFamily:
        """The first size: a net depends on no other, and all are trained alike."""
        return self.with_path(self.path(table)[:1])

    def cost(self, table: Table, plan: Plan) -> Cost:
        """The formula is that of one net; a setting has several."""
        plain = super().cost(table, plan)
        estimators = [self._estimator(table, setting, 0) for setting in self.path(table)]
        nets = sum(getattr(estimator, "n_nets", 1) for estimator in estimators) / len(estimators)
        return replace(plain, seconds=nets * plain.seconds)

    def in_threads(self, table: Table) -> bool:
        """Training is the core's, epoch by epoch; scikit-learn's nets are not."""
        return all(each is None or isinstance(each, NetBase) for each in self._estimators.values())
