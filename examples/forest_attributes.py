"""Random forests: q, the number of attributes a split may look at, against correlation and error."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

from venire.data.generators import chi_square
from venire.ensembles.forest.estimators import RandomForestClassifier
from venire.inference.diversity import member_correlation, member_labels

TREES = 100


def main() -> None:
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(1000, rng), chi_square(3000, rng)
    tried = np.arange(1, X.shape[1] + 1)
    rho, tree_error, forest_error = np.zeros((3, len(tried)))
    print(" q    ρ     σ²    ρσ² + (1 − ρ)σ²/ℓ   a tree's error   the forest's")
    for at, q in enumerate(tried):
        forest = RandomForestClassifier(n_estimators=TREES, max_features=int(q), random_state=0).fit(X, y)
        found = member_correlation(forest, new_X, new_y)
        rho[at] = found.rho
        tree_error[at] = np.mean(member_labels(forest, new_X) != new_y)
        forest_error[at] = 1 - forest.score(new_X, new_y)
        formula = f"{found.rho:.3f}  {found.variance:.3f}  {found.average_variance:>14.3f}"
        print(f"{q:>2}  {formula}{tree_error[at]:>20.1%}{forest_error[at]:>15.1%}")
    default = int(np.log2(len(tried))) + 1
    print(f"the default is q = ⌊log₂ {len(tried)}⌋ + 1 = {default}; q = {len(tried)} is bagging")
    named = {"a tree": tree_error, "the forest": forest_error}
    drawing.save(
        alt.hconcat(
            drawing.lines(tried, {"ρ": rho}, "q", "correlation of two trees", y_scale=alt.Scale(zero=False)),
            drawing.lines(tried, named, "q", "error on new rows"),
        ).resolve_scale(color="independent"),
        __file__,
    )


if __name__ == "__main__":
    main()
