"""Rare classes: 37 fraudulent notes among 380, by reweighting, under-sampling, over-sampling and a threshold."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np
from sklearn.model_selection import cross_val_predict

from venire.data.datasets import load
from venire.metrics import confusion_matrix
from venire.models.baseline import BaselineClassifier
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.reductions import CostThreshold, Resampled
from venire.reductions.resampling import resampled_rows

COSTS = [[0, 9], [1, 0]]  # [actual][predicted], fraud before normal: a missed fraud costs nine false alarms


def main() -> None:
    ten = np.isin(np.arange(1, 11), [6, 8])  # of ten rows, 6 and 8 are rare
    for name, ratio in {"over-sampling": 1.0, "under-sampling": 0.0, "in between": 3 / 6}.items():
        common, rare = np.bincount(ten[resampled_rows(ten, ratio, np.random.default_rng(0))].astype(int))
        print(f"ten rows, {name}: {common + rare} rows, {common} common and {rare} rare")

    notes = load("banknotes")
    fraud = notes.target.positive
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    models = {
        "always normal": BaselineClassifier(),
        "tree as it is": tree,
        "reweighted": DecisionTreeClassifier(min_samples_leaf=5, class_weight="balanced", random_state=0),
        "under-sampled": Resampled(tree, "under", random_state=0),
        "over-sampled": Resampled(tree, "over", random_state=0),
        "halfway": Resampled(tree, 0.5, random_state=0),
        "threshold for costs 9 : 1": CostThreshold(tree, COSTS),
    }
    print(f"\n{'':<26} accuracy  balanced  recall  precision")
    figures = {}
    for name, model in models.items():
        said = cross_val_predict(model, notes.X, notes.y, cv=10)
        found = confusion_matrix(notes.y, said, notes.target.labels, positive=fraud)
        figures[name] = {
            "accuracy": found.accuracy,
            "balanced accuracy": found.balanced_accuracy,
            "recall": found.recall(),
        }
        precision = "–" if np.isnan(found.precision()) else f"{found.precision():.0%}"
        print(f"{name:<26}{found.accuracy:>9.1%}{found.balanced_accuracy:>10.3f}{found.recall():>8.0%}{precision:>11}")
    drawing.save(picture_of(figures), __file__)


def picture_of(figures: dict[str, dict[str, float]]) -> alt.Chart:
    """Three dots a model: the accuracy hides what the other two show."""
    rows = [(model, what, value) for model, found in figures.items() for what, value in found.items()]
    model, what, value = zip(*rows, strict=True)
    return (
        alt.Chart(drawing.data(model=model, what=what, value=value))
        .mark_circle(size=90, opacity=1)
        .encode(
            alt.X("value:Q", title="ten-fold cross-validation", scale=alt.Scale(domain=[0, 1])),
            alt.Y("model:N", sort=list(figures), title=None, axis=alt.Axis(grid=True, labelLimit=200)),
            alt.Color("what:N", title=None, scale=alt.Scale(range=drawing.COLOURS)),
        )
        .properties(width=380, height=220)
    )


if __name__ == "__main__":
    main()
