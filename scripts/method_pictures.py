"""Draw the pictures of methods that no verdict has: where each parts the same two banana-shaped classes.

python scripts/method_pictures.py        writes docs/methods/pictures/*.svg
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import venire as vn
from scripts.gallery import DOCS, smaller
from venire import pictures
from venire.data.generators import banana

FOLDER = DOCS / "methods" / "pictures"
_ROWS = 120


def methods() -> dict[str, Any]:
    """The models, by the name of their page."""
    members = [
        ("line", LogisticRegression()),
        ("tree", vn.DecisionTreeClassifier(max_depth=3)),
        ("near", vn.KNeighborsClassifier(9)),
    ]
    return {
        "naive-bayes": vn.NaiveBayesClassifier(),
        "neural-net": vn.NetClassifier(hidden_layer_sizes=(16,), max_epochs=60, random_state=0),
        "rules": vn.RuleListClassifier(),
        "voting": vn.VotingClassifier(members, random_state=0),
        "stacking": vn.StackingClassifier(members, random_state=0),
    }


def draw(folder: Path) -> None:
    """Draw all of them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    X, y = banana(_ROWS, np.random.default_rng(0))
    for name, model in methods().items():
        figure = pictures.decision_boundary(model.fit(X, y), X, y)
        (folder / f"{name}.svg").write_text(smaller(figure.svg()), encoding="utf-8")


if __name__ == "__main__":
    draw(FOLDER)
    sys.stdout.write(f"{sum(path.stat().st_size for path in FOLDER.glob('*.svg')):,} bytes of pictures\n")
