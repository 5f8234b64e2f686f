"""Three species of iris by two-class learners: one against the rest, and one against one."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from venire.data.datasets import load
from venire.metrics import confusion_matrix
from venire.reductions import OneVsOneClassifier, OneVsRestClassifier


def main() -> None:
    iris = load("iris")
    columns = [j for j, column in enumerate(iris.columns) if "sepal" in column.name]  # the harder pair to part by
    species = np.array(iris.target.labels)
    X, y = iris.X, iris.y
    learner = LogisticRegression(max_iter=1000)
    pictures = []
    for name, model in {
        "one against the rest": OneVsRestClassifier(learner),
        "one against one, crisp votes": OneVsOneClassifier(learner),
        "one against one, weighted votes": OneVsOneClassifier(learner, voting="weighted"),
    }.items():
        found = confusion_matrix(y, cross_val_predict(model, X, y, cv=10), species)
        plane = model.fit(X[:, columns], species[y])
        print(f"{name}: {len(plane.estimators_)} models, {found.error:.1%} wrong in ten-fold cross-validation")
        print(found.with_totals(), "\n")
        layers = alt.layer(
            drawing.regions(plane.predict, X[:, columns], species), drawing.points(X[:, columns], species[y])
        )
        pictures.append(layers.properties(width=230, height=230, title=name))
    flower = X[[70]]
    votes = OneVsOneClassifier(learner).fit(X, species[y]).votes(flower)
    for kind, cast in {"crisp": votes.crisp, "weighted": votes.weighted}.items():
        print(
            f"{kind} votes for flower 71, a {species[y[70]]}:",
            ", ".join(f"{s} {v:.2f}" for s, v in zip(species, cast[0], strict=True)),
        )
    drawing.save(alt.hconcat(*pictures), __file__)


if __name__ == "__main__":
    main()
