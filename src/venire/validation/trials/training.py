"""Errors on the very rows a model was trained on, kept beside the held-out predictions for every metric at once.

What costs and combinations make of those rows is not known when a trial is run. For them the predictions themselves are
kept, too: where blocks are shared between the layers, of one block an outer trial (`Plan.seen_blocks`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Target
from venire.metrics.predictions import Output
from venire.metrics.scores import every_loss


def training_losses(
    target: Target, y: NDArray[Any], labels: NDArray[Any], outputs: NDArray[Any], output: Output
) -> dict[str, NDArray[np.float64]]:
    """Every metric but cost, [setting] each: costs are the user's, and evidence must not depend on them."""
    return every_loss(target.task, target.positive, y, labels, outputs, output)
