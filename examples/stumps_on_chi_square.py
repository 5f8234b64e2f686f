"""Boosted stumps on the chi-square problem of *The Elements of Statistical Learning*, §10.1."""

from __future__ import annotations

import drawing
import numpy as np

from venire.data.generators import chi_square
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.models.tree.estimators import DecisionTreeClassifier

ROUNDS = 400


def main() -> None:
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(2000, rng), chi_square(10_000, rng)
    boost = AdaBoostClassifier(n_estimators=ROUNDS, random_state=0).fit(X, y)
    staged = [np.split(said, [len(y)]) for said in boost.staged_predict(np.vstack([X, new_X]))]
    training = [np.mean(old != y) for old, _ in staged]
    test = [np.mean(new != new_y) for _, new in staged]
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree_error = 1 - tree.score(new_X, new_y)

    print(f"one stump errs on {test[0]:.1%}")
    print(f"a large tree ({tree.get_n_leaves()} leaves) errs on {tree_error:.1%}")
    for count in (10, 100, ROUNDS):
        print(f"{count} rounds err on {test[count - 1]:.1%} (on the training rows {training[count - 1]:.1%})")
    named = {
        "new rows": test,
        "training rows": training,
        "one stump": np.full(ROUNDS, test[0]),
        "a large tree": np.full(ROUNDS, tree_error),
    }
    drawing.save(drawing.lines(np.arange(1, ROUNDS + 1), named, "rounds of boosting", "error"), __file__)


if __name__ == "__main__":
    main()
