"""Numbers from predictions."""

from venire.metrics.confusion import ConfusionMatrix, confusion_matrix
from venire.metrics.predictions import Output, Predictions, decide
from venire.metrics.scores import Metric, default_metric, metric, metric_names
from venire.metrics.threshold_curves import (
    CalibrationCurve,
    CostCurve,
    PrecisionRecallCurve,
    RocCurve,
    calibration_curve,
    cost_curve,
    precision_recall_curve,
    roc_curve,
)

__all__ = [
    "CalibrationCurve",
    "ConfusionMatrix",
    "CostCurve",
    "Metric",
    "Output",
    "PrecisionRecallCurve",
    "Predictions",
    "RocCurve",
    "calibration_curve",
    "confusion_matrix",
    "cost_curve",
    "decide",
    "default_metric",
    "metric",
    "metric_names",
    "precision_recall_curve",
    "roc_curve",
]
