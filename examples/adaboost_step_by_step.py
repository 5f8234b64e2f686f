"""AdaBoost step by step: ten points, three stumps, and the weights between them."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.adaboost.rounds import alpha_of, multipliers, reweighted

X, Y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 1])


def main() -> None:
    six = reweighted(np.full(6, 1 / 6), np.array([0, 1, 0, 0, 0, 1], dtype=bool), float(alpha_of(1 / 3)))
    eighths = " ".join(f"{8 * weight:.0f}" for weight in six)
    print(f"Six points, two wrong: ε = 1/3, α = {float(alpha_of(1 / 3)):.4f} = ½ ln 2, w = [{eighths}]/8")
    print(f"ε = 0.14 → α = {float(alpha_of(0.14)):.2f}\n")

    boost = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    for number, (step, stump) in enumerate(zip(boost.rounds_, boost.estimators_, strict=True), start=1):
        wrong = np.flatnonzero(stump.predict(X) != Y)
        question = stump.export_text(feature_names=["x"], decimals=1).splitlines()[0].removeprefix("|--- ")
        print(f"round {number}: w = {' '.join(f'{weight:.3f}' for weight in step.weights)}")
        print(f"         {question}? wrong at {wrong.tolist()}, ε = {step.error:.3f}, α = {step.alpha:.3f}")
    errors = [f"{np.mean(said != Y):.0%}" for said in boost.staged_predict(X)]
    print(f"errors of the first one, two and three together: {', '.join(errors)}")
    drawing.save(alt.vconcat(rounds(boost), curves()).resolve_scale(color="independent"), __file__)


def rounds(boost: AdaBoostClassifier) -> alt.Chart:
    """The points of every round, as large as they weigh."""
    steps = list(boost.rounds_)
    chart = alt.Chart(
        drawing.data(
            x=np.tile(X[:, 0], len(steps)),
            round=np.repeat(np.arange(1, len(steps) + 1), len(Y)),
            weight=np.concatenate([step.weights for step in steps]),
            **{"class": np.tile(np.where(Y == 1, "+", "−"), len(steps))},
        )
    )
    return (
        chart.mark_circle(opacity=0.9)
        .encode(
            alt.X("x:Q", scale=alt.Scale(padding=20)),
            alt.Y("round:O"),
            alt.Size("weight:Q", scale=alt.Scale(range=[20, 500])),
            alt.Color("class:N", scale=alt.Scale(range=drawing.COLOURS)),
        )
        .properties(width=380, height=140)
    )


def curves() -> alt.Chart:
    """α and the multipliers of the weights, as functions of ε."""
    error = np.linspace(0.02, 0.98, 97)
    right, wrong = multipliers(error)
    named = {"α": alpha_of(error), "weights of the right": right, "weights of the wrong": wrong}
    return drawing.lines(error, named, "ε", "α, and weights × this", y_scale=alt.Scale(domain=[-2, 6]))


if __name__ == "__main__":
    main()
