"""Bagging against boosting when some training labels are wrong: who suffers, and whose probabilities can be used."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

from venire.data.generators import banana
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.bagging.estimators import BaggingClassifier
from venire.models.tree.estimators import DecisionTreeClassifier

NOISE = np.array([0.0, 0.1, 0.2, 0.3])
REPEATS = 2


def main() -> None:
    learners = {
        "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=4), 50, random_state=0),
        "boosting": AdaBoostClassifier(DecisionTreeClassifier(max_depth=4), 50, random_state=0),
    }
    error = {name: np.zeros(len(NOISE)) for name in learners}
    brier = {name: np.zeros(len(NOISE)) for name in learners}
    for at, share in enumerate(NOISE):
        for seed in range(REPEATS):
            X, y, new_X, new_y = sample(np.random.default_rng(seed), share)
            for name, learner in learners.items():
                said = learner.fit(X, y).predict_proba(new_X)[:, 1]
                error[name][at] += np.mean((said > 0.5) != new_y) / REPEATS
                brier[name][at] += np.mean((said - new_y) ** 2) / REPEATS

    print("wrong labels   error: bagging  boosting   Brier score: bagging  boosting")
    for at, share in enumerate(NOISE):
        errors = f"{error['bagging'][at]:>15.1%}  {error['boosting'][at]:>8.1%}"
        print(f"{share:>12.0%}{errors}{brier['bagging'][at]:>23.3f}  {brier['boosting'][at]:>8.3f}")
    lost = {name: errors[-1] - errors[0] for name, errors in error.items()}
    print(f"boosting loses {lost['boosting']:.1%} to the noise, bagging {lost['bagging']:.1%}")
    drawing.save(
        alt.hconcat(
            drawing.lines(NOISE, error, "share of wrong training labels", "error on clean new rows"),
            drawing.lines(NOISE, brier, "share of wrong training labels", "Brier score on clean new rows"),
        ),
        __file__,
    )


def sample(rng: np.random.Generator, noise: float) -> tuple[np.ndarray, ...]:
    """Training rows of which a share has the other class's label, and new rows that are all labelled rightly."""
    (X, y), (new_X, new_y) = banana(400, rng), banana(2000, rng)
    wrong = rng.permutation(len(y))[: round(noise * len(y))]
    y[wrong] = 1 - y[wrong]
    return X, y, new_X, new_y


if __name__ == "__main__":
    main()
