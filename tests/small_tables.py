"""Small tables that tests of several rooms train their models on."""

from __future__ import annotations

import numpy as np
import pandas as pd


def coloured_rows(rows: int, seed: int, *, truths: bool = False) -> pd.DataFrame:
    """Two numbers and a colour, with `truths` a truth value too; `kind` has three classes, `amount` is a number.

    One of the classes a spreadsheet would take for a formula.
    """
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=rows).round(4),
            "weight": rng.normal(size=rows).round(4),
            "colour": rng.choice(["red", "green", "blue"], rows),
        }
    )
    if truths:
        frame["sold"] = rng.choice(["yes", "no"], rows)
    noise = rng.normal(size=rows)
    pull = frame["size"] + (frame["colour"] == "red") + 0.5 * noise
    frame["kind"] = np.array(["=low", "middle", "high"])[np.digitize(pull, [-0.5, 0.8])]
    frame["amount"] = (2 * frame["size"] - frame["weight"] + 0.5 * noise).round(4)
    return frame
