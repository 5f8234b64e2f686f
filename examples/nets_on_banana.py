"""Neural nets on the banana data: one small net, ten bagged, twenty boosted."""

from __future__ import annotations

import warnings

import altair as alt
import drawing
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from venire.data.generators import banana
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.bagging.estimators import BaggingClassifier


def main() -> None:
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = banana(300, rng), banana(5000, rng)
    net = MLPClassifier((2,), solver="lbfgs", alpha=0.01, max_iter=100, random_state=0)
    models = {
        "one net": net,
        "10 bagged nets": BaggingClassifier(net, 10, random_state=0),
        "20 boosted nets": AdaBoostClassifier(net, 20, resample=True, when_weak="reset", random_state=0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a hundred steps are enough for a member
        for model in models.values():
            model.fit(X, y)
    for name, model in models.items():
        training, new = 1 - model.score(X, y), 1 - model.score(new_X, new_y)
        print(f"{name}: {new:.1%} of new rows wrong ({training:.1%} of the training rows)")
    rounds = models["20 boosted nets"].rounds_
    print(f"ε of the boosted nets: from {rounds.errors.min():.2f} to {rounds.errors.max():.2f}")
    pictures = [
        alt.layer(drawing.regions(model.predict, X, y), drawing.points(X, y)).properties(
            width=230, height=230, title=name
        )
        for name, model in models.items()
    ]
    drawing.save(alt.hconcat(*pictures), __file__)


if __name__ == "__main__":
    main()
