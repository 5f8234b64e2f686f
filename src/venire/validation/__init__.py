"""What happened on unseen rows."""

from venire.validation.bootstrapping import Bootstrap, bootstrap
from venire.validation.curves import ComplexityCurve, LearningCurve, complexity_curve, learning_curve
from venire.validation.held_out import HeldOut
from venire.validation.layers import holdout, one_layer, two_layer
from venire.validation.results import OneLayer, TwoLayer
from venire.validation.row_losses import NestedLosses, nested_losses

__all__ = [
    "Bootstrap",
    "ComplexityCurve",
    "HeldOut",
    "LearningCurve",
    "NestedLosses",
    "OneLayer",
    "TwoLayer",
    "bootstrap",
    "complexity_curve",
    "holdout",
    "learning_curve",
    "nested_losses",
    "one_layer",
    "two_layer",
]
