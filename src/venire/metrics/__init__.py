"""Numbers from predictions."""

from venire.metrics.predictions import Output, Predictions, decide
from venire.metrics.scores import Metric, default_metric, metric, metric_names

__all__ = ["Metric", "Output", "Predictions", "decide", "default_metric", "metric", "metric_names"]
