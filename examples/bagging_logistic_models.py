"""Bagging logistic models: every member parts the plane by a straight line, and their average by a curve."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np
from sklearn.linear_model import LogisticRegression

from venire.data.generators import banana
from venire.ensembles.bagging.estimators import BaggingClassifier

MEMBERS, SAMPLE = 100, 10


def main() -> None:
    rng = np.random.default_rng(1)
    (X, y), (new_X, new_y) = banana(300, rng), banana(10_000, rng)
    single = LogisticRegression().fit(X, y)
    bag = BaggingClassifier(
        LogisticRegression(C=100, max_iter=1000), MEMBERS, max_samples=SAMPLE, oob_score=True, random_state=1
    ).fit(X, y)
    said = bag.round_outputs(new_X).argmax(axis=2)  # [member, row]
    print(f"one logistic model on all {len(y)} rows errs on {1 - single.score(new_X, new_y):.1%} of new rows")
    print(f"a member, fitted to {SAMPLE} rows, errs on {(said != new_y).mean():.1%} on average")
    print(f"the average of {MEMBERS} members errs on {1 - bag.score(new_X, new_y):.1%}")
    print(f"out of the bag it seemed to err on {1 - bag.oob_score_:.1%}")
    print(f"the first member left out {len(bag.left_out_[0])} of {len(y)} rows")

    drawing.save(
        alt.layer(drawing.regions(bag.predict, X, y), drawing.points(X, y), boundaries(bag, X)).properties(
            width=420, height=380, title="Straight members (lines), and what their average says (colours)"
        ),
        __file__,
    )


def boundaries(bag: BaggingClassifier, X: np.ndarray, shown: int = 25) -> alt.Chart:
    """The line on which each of the first members is undecided: intercept + a x + b y = 0."""
    ends = np.array([X[:, 0].min(), X[:, 0].max()])
    fitted = [member for member in bag.estimators_ if hasattr(member, "coef_")][:shown]
    heights = [-(m.intercept_[0] + m.coef_[0, 0] * ends) / m.coef_[0, 1] for m in fitted]
    line = drawing.data(
        x=np.tile(ends, len(fitted)), y=np.concatenate(heights), member=np.repeat(np.arange(len(fitted)), 2)
    )
    chart = alt.Chart(line).mark_line(color=drawing.GREY, strokeWidth=1, opacity=0.7, clip=True)
    return chart.encode(x="x:Q", y="y:Q", detail="member:N")


if __name__ == "__main__":
    main()
