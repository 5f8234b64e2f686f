"""Stacking: a second level learns from what the members say of rows they have not seen."""

from __future__ import annotations

import drawing
import numpy as np
from sklearn.linear_model import LogisticRegression

from venire.data.generators import chi_square
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.estimators import RandomForestClassifier
from venire.ensembles.stacking.estimators import StackingClassifier
from venire.models.neighbors.estimators import KNeighborsClassifier
from venire.models.tree.estimators import DecisionTreeClassifier


def main() -> None:
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(500, rng), chi_square(3000, rng)
    members = [
        ("logistic", LogisticRegression()),
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("neighbours", KNeighborsClassifier(9)),
        ("forest", RandomForestClassifier(random_state=0)),
        ("boosting", AdaBoostClassifier(n_estimators=50, random_state=0)),
    ]
    stacks = {
        "stack, 5-fold, logistic": StackingClassifier(members),
        "stack, 5-fold, weights": StackingClassifier(members, "weights"),
        "stack, hold-out of a third": StackingClassifier(members, cv=1 / 3),
        "stack, rounds of the boosting": StackingClassifier(members, LogisticRegression(C=0.1), rounds_of=["boosting"]),
    }
    errors = {name: np.mean(model.fit(X, y).predict(new_X) != new_y) for name, model in members}
    errors |= {name: np.mean(stack.fit(X, y).predict(new_X) != new_y) for name, stack in stacks.items()}
    for name, error in errors.items():
        print(f"{name:<30} errs on {error:.1%}")
    weights = zip((name for name, _ in members), stacks["stack, 5-fold, weights"].weights_, strict=True)
    print("weights:", ", ".join(f"{name} {weight:.2f}" for name, weight in weights))
    seen = stacks["stack, rounds of the boosting"].second_level(new_X).shape[1]
    print(f"with the single rounds of the boosting the second level sees {seen} attributes")
    drawing.save(drawing.bars(errors, "error on new rows"), __file__)


if __name__ == "__main__":
    main()
