"""Errors on the very rows a model was trained on, kept beside the held-out predictions for every metric at once.

Training predictions themselves are not kept: they are as large as the table for every trial and setting.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Target
from venire.metrics.predictions import Output
from venire.metrics.scores import metric, metric_names


def training_losses(
    target: Target, y: NDArray[Any], labels: NDArray[Any], outputs: NDArray[Any], output: Output
) -> dict[str, NDArray[np.float64]]:
    """Every metric that needs nothing but the predictions, [setting] each."""
    found = {}
    for name in metric_names(target.task):
        if name != "cost":  # needs the user's costs, which evidence must not depend on
            measure = metric(name, target.task, positive=target.positive)
            found[name] = measure.losses(y, labels, outputs, output)
    return found
