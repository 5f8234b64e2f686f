"""Forward and backward selection: which attributes of a noisy table matter, and what the chosen ones really err."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

import venire as vn
from venire.report.charts.selection import picture

ROWS, NOISE = 100, 16


def main() -> None:
    table = noisy_table()
    found = {way: vn.select(table, direction=way, whole_path=True) for way in ("forward", "backward")}
    for way, selected in found.items():
        print(f"{way}:")
        for at, step in enumerate(selected.path):
            mark = "  chosen" if step.chosen else ""
            print(f"{at:>3} {step.changed or '':<4}{step.training_error:>7.3f}{step.error:>7.3f}{mark}")
        count = len(selected.path) - 1
        print(f"{way} looked at {selected.subsets} of 2^{count} = {2**count:,} subsets")
        print(f"{way} chose {', '.join(selected.attributes)}")
        print(
            f"{way}: cross-validated {selected.one_layer_error:.3f} for the chosen subset, "
            f"{selected.error:.3f} for the selection on rows that had no part in it\n"
        )
    print("Of M attributes there are 2^M subsets; either way looks at no more than 1 + M(M+1)/2 of them.")
    drawing.save(alt.hconcat(*(picture(selected.to_dict()) for selected in found.values())), __file__)


def noisy_table() -> tuple[np.ndarray, np.ndarray]:
    """Four attributes that matter, less and less, among many that are noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, 4 + NOISE))
    return X, X[:, :4] @ [2.0, 1.5, 1.0, 0.5] + rng.standard_normal(ROWS)


if __name__ == "__main__":
    main()
