"""Forest-RC: with few attributes there is little to choose from, and splits on random combinations help."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

from venire.data.generators import banana, circles, gaussian_clouds
from venire.ensembles.forest.estimators import RandomForestClassifier
from venire.inference.diversity import member_correlation

PROBLEMS = {"banana": banana, "circles": circles, "clouds": gaussian_clouds}
REPEATS = 5


def main() -> None:
    forests = {
        "attributes": RandomForestClassifier(max_features=1, random_state=0),
        "combinations": RandomForestClassifier(max_features=1, combinations=2, random_state=0),
    }
    print("two attributes, 100 trees, q = 1")
    for name, problem in PROBLEMS.items():
        error: dict[str, list[float]] = {kind: [] for kind in forests}
        rho: dict[str, list[float]] = {kind: [] for kind in forests}
        for seed in range(REPEATS):
            rng = np.random.default_rng(seed)
            (X, y), (new_X, new_y) = problem(200, rng), problem(3000, rng)
            for kind, forest in forests.items():
                error[kind].append(1 - forest.fit(X, y).score(new_X, new_y))
                rho[kind].append(member_correlation(forest, new_X, new_y).rho)
        for kind in forests:
            print(f"{name:>8}, splits on {kind:<12}: error {np.mean(error[kind]):.1%}, ρ {np.mean(rho[kind]):.2f}")

    X, y = circles(200, np.random.default_rng(0))
    pictures = []
    for kind, forest in forests.items():
        forest.fit(X, y)
        layers = alt.layer(drawing.regions(forest.predict, X, y), drawing.points(X, y))
        pictures.append(layers.properties(width=280, height=280, title=f"splits on {kind}"))
    drawing.save(alt.hconcat(*pictures), __file__)


if __name__ == "__main__":
    main()
