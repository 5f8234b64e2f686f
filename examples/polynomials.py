"""Polynomials and over-fitting: training error falls for ever, the error on new rows does not."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures

from venire.data.generators import linear_sinusoid, linear_sinusoid_truth
from venire.inference.decomposition import bias_variance

ROWS, REPEATS = 20, 50
DEGREES = np.arange(1, 14)


def main() -> None:
    lines = bias_variance(
        LinearRegression(), linear_sinusoid, REPEATS, truth=lambda X: linear_sinusoid_truth(X[:, 0]), rows=ROWS
    )
    print(f"{REPEATS} straight lines, each fitted to {ROWS} rows of x + 2 sin(1.5 x) + N(0, 0.2):")
    print(f"bias² {lines.bias:.2f} + variance {lines.variance:.2f} + noise {lines.noise:.2f}, error {lines.error:.2f}")

    rng = np.random.default_rng(4)  # a sample with gaps, in which a high degree swings; a luckier one hides it longer
    (X, y), (new_X, new_y) = linear_sinusoid(ROWS, rng), linear_sinusoid(2000, rng)
    models = {int(degree): polynomial(degree).fit(X, y) for degree in DEGREES}
    inside = (new_X[:, 0] > X.min()) & (new_X[:, 0] < X.max())  # what lies outside is not a question of fitting
    new_X, new_y = new_X[inside], new_y[inside]
    training = [np.sqrt(np.mean((model.predict(X) - y) ** 2)) for model in models.values()]
    new = [np.sqrt(np.mean((model.predict(new_X) - new_y) ** 2)) for model in models.values()]
    print("\ndegree  training RMSE  RMSE on new rows")
    for degree, error, new_error in zip(DEGREES, training, new, strict=True):
        print(f"{degree:>6}{error:>15.3f}{new_error:>18.3f}")
    print(f"the best degree for new rows is {DEGREES[np.argmin(new)]}")
    scale = alt.Scale(type="log")
    curves = drawing.lines(
        DEGREES, {"training rows": training, "new rows": new}, "degree", "root mean squared error", y_scale=scale
    )
    drawing.save(alt.hconcat(fits(models, X, y), curves).resolve_scale(color="independent"), __file__)


def polynomial(degree: int) -> Pipeline:
    """Least squares on the powers of x, which is scaled to [−1, 1] so that they keep their digits."""
    return make_pipeline(MinMaxScaler((-1, 1)), PolynomialFeatures(int(degree)), LinearRegression())


def fits(models: dict[int, Pipeline], X: np.ndarray, y: np.ndarray) -> alt.LayerChart:
    """The rows, and the curves of a few degrees between them."""
    x = np.linspace(X.min(), X.max(), 200)
    named = {f"degree {degree}": models[degree].predict(x[:, None]) for degree in (1, 8, 13)}
    scale = alt.Scale(domain=[-2, 12])
    curves = drawing.lines(x, named, "x", "y", y_scale=scale)
    return alt.layer(curves, alt.Chart(drawing.data(x=X[:, 0], y=y)).mark_point(color="black").encode(x="x:Q", y="y:Q"))


if __name__ == "__main__":
    main()
