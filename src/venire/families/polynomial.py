"""Least squares on powers and products of the attributes: every degree from one decomposition a trial.

Terms are ordered by degree, so the model of degree d uses the first columns of the design of the highest one. Its
triangle R (design = QR) has all there is to know: the first columns of R are the triangle of the smaller design. Not in
the default models: the number of terms grows as a power of the number of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, svd
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from venire.data.table import Table
from venire.errors import UsageError
from venire.families import fit_seconds as costs
from venire.families.ridge import decided, signs
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.lesson import Lesson
from venire.validation.trials.outcomes import Fit, Predicted
from venire.validation.trials.reasons import CannotTake, TooManyTerms

Floats = NDArray[np.float64]
_MOST_TERMS = 3000


class PolynomialFamily(GenericFamily):
    """The path is the degree. Attributes are scaled first; `alpha` is a ridge just strong enough to part equal terms.

    >>> from venire.data import read_table
    >>> table = read_table(([[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0]), task="regression")
    >>> [str(setting) for setting in PolynomialFamily(degrees=(1, 2, 3)).path(table)]
    ['degree 1', 'degree 2', 'degree 3']
    """

    def __init__(
        self, degrees: Sequence[int] = (1, 2, 3, 4, 5), *, name: str = "polynomial", alpha: float = 1e-6
    ) -> None:
        degrees = [int(degree) for degree in degrees]
        if not degrees or sorted(set(degrees)) != degrees or degrees[0] < 1:
            raise UsageError(
                f"degrees must rise from 1 or more, and are {degrees}", code="bad_degrees", hint="try degrees=(1, 2, 3)"
            )
        if not alpha > 0:
            raise UsageError(f"alpha must be above 0, and is {alpha:g}", code="bad_alpha", hint="try alpha=1e-6")
        super().__init__(
            name,
            classifier=RidgeClassifier(alpha=alpha, solver="svd"),
            regressor=Ridge(alpha=alpha, solver="svd"),
            path=tuple(Setting(f"degree {degree}", {"degree": degree}) for degree in degrees),
            path_label="degree",
            seconds=costs.linear,
        )
        self._highest, self._alpha = degrees[-1], alpha

    def unable(self, table: Table) -> CannotTake | None:
        """More terms than anyone could fit are refused."""
        columns = super()._encoded_columns(table)
        terms = self._encoded_columns(table)
        if terms > _MOST_TERMS:
            return TooManyTerms(self._highest, columns, terms)
        return super().unable(table)

    def pipeline(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """Encoding, terms and least squares: the plain definition."""
        powers = PolynomialFeatures(int(setting.params["degree"]), include_bias=False)
        return make_pipeline(self._encoder(table), powers, self._estimator(table, Setting("plain"), seed))

    def definition(self) -> str:
        """As of any family, and the highest degree."""
        return f"{super().definition()}\n{self._alpha} {self._highest}"

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """One triangle of the highest degree; each lower one is solved on its first columns."""
        lesson.cancel()
        powers = PolynomialFeatures(self._highest, include_bias=False).fit(lesson.X)
        degree_of = powers.powers_.sum(axis=1)
        classes = np.unique(lesson.y) if lesson.y.dtype.kind in "iu" else None
        targets = lesson.y[:, None].astype(np.float64) if classes is None else signs(lesson.y, classes)
        design = powers.transform(lesson.X)
        centre, level = (np.average(part, axis=0, weights=lesson.weights) for part in (design, targets))
        heavy = 1.0 if lesson.weights is None else np.sqrt(lesson.weights)[:, None]
        lesson.cancel()
        orthogonal, triangle = qr(heavy * (design - centre), mode="economic", check_finite=False)
        projected = orthogonal.T @ (heavy * (targets - level))
        parts = [powers.transform(part) - centre for part in lesson.parts]
        for setting in lesson.settings:
            lesson.cancel()
            terms = int((degree_of <= int(setting.params["degree"])).sum())
            weights = _ridge(triangle[:, :terms], projected, self._alpha)
            predicted = [part[:, :terms] @ weights + level for part in parts]
            yield [_predicted(each, classes) for each in predicted]

    def _encoded_columns(self, table: Table) -> int:
        columns = super()._encoded_columns(table)
        return comb(columns + self._highest, self._highest) - 1

    def _fits(self, settings: int) -> float:
        return 3.0


def _ridge(triangle: Floats, projected: Floats, alpha: float) -> Floats:
    left, singular, right = svd(triangle, full_matrices=False, check_finite=False)
    shrunk = singular / (singular**2 + alpha)
    return np.asarray(right.T @ (shrunk[:, None] * (left.T @ projected)))


def _predicted(scores: Floats, classes: NDArray[Any] | None) -> tuple[NDArray[Any], Predicted]:
    if classes is None:
        return np.empty(0), Predicted(scores, None)
    return classes, decided(scores, classes)
