"""A BentoML service of a model file, as its manual writes one; `benchmarks.speed.serving` starts it.

It takes a list of rows and gives their probabilities, by the model's own `predict_proba` of a frame.
"""

from __future__ import annotations

import os
from typing import Any

import bentoml
import pandas as pd

import venire


@bentoml.service(workers=int(os.environ.get("WORKERS", "1")), traffic={"timeout": 60})
class Predictions:
    """The model in MODEL_FILE."""

    def __init__(self) -> None:
        self.model = venire.load(os.environ["MODEL_FILE"])

    @bentoml.api  # type: ignore[untyped-decorator]  # not installed where types are checked
    def predict(self, rows: list[dict[str, Any]]) -> list[list[float]]:
        """Probabilities of the classes, row by row."""
        found: list[list[float]] = self.model.predict_proba(pd.DataFrame(rows)).tolist()
        return found
