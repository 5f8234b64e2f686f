"""The ROC curve of a score with three values: do cars with more gears go further on a gallon?"""

from __future__ import annotations

from fractions import Fraction

import altair as alt
import drawing
import numpy as np

from venire.metrics import roc_curve

GEARS = np.array([3, 4, 5])
LOW, HIGH = np.array([13, 2, 2]), np.array([2, 10, 3])  # cars of low and of high mileage, by gears


def main() -> None:
    score = np.concatenate([np.repeat(GEARS, LOW), np.repeat(GEARS, HIGH)])
    high = np.repeat([False, True], [LOW.sum(), HIGH.sum()])
    curve = roc_curve(high, score)
    for least, fpr, tpr in zip(curve.thresholds, curve.fpr, curve.tpr, strict=True):
        said = "nobody" if np.isinf(least) else f"{least:.0f} gears or more"
        rates = f"FPR {fpr * LOW.sum():2.0f}/{LOW.sum()}, TPR {tpr * HIGH.sum():2.0f}/{HIGH.sum()}"
        print(f"say 'high' of {said:<15}: {rates}")
    # The area is the chance that a car of high mileage has more gears than one of low, ties as half.
    pairs = [(h > low) + Fraction(h == low, 2) for h in score[high].tolist() for low in score[~high].tolist()]
    print(f"AUC = {curve.auc:.3f}; counted over all {len(pairs)} pairs {float(sum(pairs) / len(pairs)):.3f}")

    line = alt.Chart(drawing.data(fpr=curve.fpr, tpr=curve.tpr, order=np.arange(len(curve.fpr))))
    chance = alt.Chart(drawing.data(fpr=[0, 1], tpr=[0, 1])).mark_line(strokeDash=[3, 3], color=drawing.GREY)
    axes = {"x": alt.X("fpr:Q", title="false positive rate"), "y": alt.Y("tpr:Q", title="true positive rate")}
    chart = line.mark_line(point=True, color=drawing.BLUE).encode(**axes, order="order:Q")
    title = f"AUC {curve.auc:.3f}"
    drawing.save(alt.layer(chance.encode(**axes), chart).properties(width=300, height=300, title=title), __file__)


if __name__ == "__main__":
    main()
