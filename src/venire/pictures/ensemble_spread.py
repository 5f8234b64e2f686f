"""Why ensembles work, in two pictures: bias and variance of many fits, and κ against error of pairs of members."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from venire.errors import UsageError
from venire.inference.decomposition import Decomposition
from venire.inference.diversity import diversity
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import ACCENT, QUIET, SECOND, finish, number, plot
from venire.wording import count

_MOST_FITS, _MOST_PLACES, _MOST_PAIRS = 50, 80, 2000


def bias_and_variance(parts: Decomposition, *, name: str = "x") -> Figure:
    """Many fits of one learner to fresh samples, their mean, and the truth, over the one column there is.

    Parameters
    ----------
    parts
        What `venire.inference.bias_variance` found, with a `truth` given, for rows of one column.
    name
        Of the column.

    Returns
    -------
    Figure
        The picture: how far the mean is from the truth is the bias, how far the fits are from their mean the variance.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from venire.data.generators import linear_sinusoid, linear_sinusoid_truth
    >>> from venire.inference.decomposition import bias_variance
    >>> parts = bias_variance(LinearRegression(), linear_sinusoid, truth=lambda X: linear_sinusoid_truth(X[:, 0]))
    >>> bias_and_variance(parts).numbers.rows
    (('bias²', '1.97'), ('variance', '0.246'), ('noise', '0.0411'), ('error', '2.29'))
    """
    X = np.asarray(parts.X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 1 or parts.loss != "squared":
        raise UsageError(
            "this picture is of numbers over one column",
            hint="give a decomposition of squared loss whose rows have one column",
        )
    order = np.argsort(X[:, 0], kind="stable")
    order = order[np.unique(np.linspace(0, len(order) - 1, _MOST_PLACES).round().astype(int))]
    fits = [
        {"x": _few(X[at, 0]), "y": _few(fit[at]), "fit": which}
        for which, fit in enumerate(parts.predictions[:_MOST_FITS])
        for at in order
    ]
    known = bool((parts.noise_at > 0).any())  # without a truth the targets stand for it, and there is no noise
    names = ("truth" if known else "target of a row", "mean of the fits")
    two = [
        {"x": _few(X[at, 0]), "y": _few(line[at]), "what": what}
        for what, line in zip(names, (parts.truth, parts.main), strict=True)
        for at in order
    ]
    x = alt.X("x:Q", title=name, scale=alt.Scale(zero=False))
    y = alt.Y("y:Q", title="prediction", scale=alt.Scale(zero=False))
    each = plot(fits).mark_line(color=QUIET, opacity=0.25, strokeWidth=1).encode(x, y, detail="fit:N")
    colour = alt.Color("what:N", title=None, scale=alt.Scale(domain=list(names), range=[SECOND, ACCENT]))
    drawn = [two] if known else [two[len(order) :]]
    layers = [each, *(plot(some).mark_line(strokeWidth=2.6).encode(x, y, colour) for some in drawn)]
    if not known:
        layers.insert(0, plot(two[: len(order)]).mark_circle(size=22, opacity=0.7).encode(x, y, colour))
    chart = finish(alt.LayerChart(layer=layers), "Fits, their mean, and the truth.")
    figures = [("bias²", parts.bias), ("variance", parts.variance), ("noise", parts.noise), ("error", parts.error)]
    caption = f"{_some(len(parts.predictions))}, each on a sample of its own, at rows none of them saw. "
    if known:
        caption += "Bias: the gap between the two thick lines; variance: how far the thin ones lie from their mean."
    else:
        figures = [("bias² and noise", parts.bias), ("variance", parts.variance), ("error", parts.error)]
        caption += (
            "Variance: how far the thin lines lie from the thick one. How far the rows lie from it is bias and noise "
            "together: what the truth is, nobody says."
        )
    numbers = Numbers(("part", "mean over rows"), tuple((what, f"{value:.3g}") for what, value in figures))
    return Figure("bias_and_variance", "Bias and variance", caption, chart, numbers)


def kappa_error(ensemble: Any, X: Any, y: ArrayLike, *, name: str | None = None) -> Figure:
    """Every pair of members of an ensemble: how much they agree beyond chance (κ) against their mean error.

    Parameters
    ----------
    ensemble
        A fitted ensemble of classifiers, a list of fitted classifiers, or what members predict: labels `[member, row]`.
    X
        Rows that the members were not fitted to.
    y
        Their classes.
    name
        Of the ensemble, for the title.

    Returns
    -------
    Figure
        The picture: low and left is a good ensemble, of members that are right and differ.

    Examples
    --------
    >>> votes = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]])
    >>> kappa_error(votes, None, [0, 0, 1, 1]).numbers.rows
    (('pairs', '3'), ('mean κ', '0.400'), ('mean error of a member', '0.167'))
    """
    found = diversity(ensemble, X, y)
    pairs = found.kappa_error
    first, second = np.triu_indices(len(found.error), k=1)
    kept = np.unique(np.linspace(0, len(pairs) - 1, min(len(pairs), _MOST_PAIRS)).round().astype(int))
    values = [
        {"kappa": _few(pairs[at, 0]), "error": _few(pairs[at, 1]), "pair": f"{first[at] + 1} and {second[at] + 1}"}
        for at in kept
    ]
    x = alt.X("kappa:Q", title="κ: agreement beyond chance", scale=alt.Scale(zero=False, nice=True))
    y_ = alt.Y("error:Q", title="mean error of the two", scale=alt.Scale(zero=False, nice=True))
    tips = [alt.Tooltip("pair:N", title="members"), number("kappa:Q", "κ"), number("error:Q", "mean error")]
    dots = plot(values).mark_circle(size=26, opacity=0.45, color=ACCENT).encode(x, y_, tooltip=tips)
    middle = {"kappa": _few(found.mean_kappa), "error": _few(float(found.error.mean()))}
    mean = plot([middle]).mark_point(shape="cross", size=160, color=SECOND, filled=True, opacity=1).encode(x, y_)
    kind = name or ("members" if isinstance(ensemble, np.ndarray | list | tuple) else type(ensemble).__name__)
    drawn = "" if len(kept) == len(pairs) else f" {count(len(kept))} of them are drawn."
    caption = (
        f"{count(len(pairs), 'pair')} of {count(len(found.error), 'member')} on {count(len(np.asarray(y)), 'row')}."
        f"{drawn} The orange cross is the mean. Further left, members differ more; further down, they are right more "
        f"often."
    )
    numbers = Numbers(
        ("figure", "value"),
        (
            ("pairs", count(len(pairs))),
            ("mean κ", f"{found.mean_kappa:.3f}"),
            ("mean error of a member", f"{found.error.mean():.3f}"),
        ),
    )
    chart = finish(alt.LayerChart(layer=[dots, mean]), "κ against error of pairs of members.")
    return Figure("kappa_error", f"κ and error of {kind}", caption, chart, numbers)


def _some(fits: int) -> str:
    return count(fits, "fit") if fits <= _MOST_FITS else f"{_MOST_FITS} of {count(fits, 'fit')}"


def _few(value: float) -> float:
    return float(f"{value:.5g}")
