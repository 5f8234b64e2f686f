"""Neural nets on the banana data: one small net, ten bagged, twenty boosted."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

from venire.data.generators import banana
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.bagging.estimators import BaggingClassifier
from venire.models.net.estimators import NetClassifier


def main() -> None:
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = banana(300, rng), banana(5000, rng)
    # One net, of numbers as they are, trained to its last epoch: what is to be seen is the work of the ensembles.
    small = {"n_nets": 1, "numeric_bins": 0, "early_stopping": None}
    net = NetClassifier((2,), learning_rate=0.05, max_epochs=40, random_state=0, **small)
    models = {
        "one net": net,
        "10 bagged nets": BaggingClassifier(net, 10, random_state=0),
        "20 boosted nets": AdaBoostClassifier(net, 20, resample=True, when_weak="reset", random_state=0),
    }
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
