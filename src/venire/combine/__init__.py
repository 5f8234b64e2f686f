"""Held-out predictions into one prediction; arrays only."""

from venire.combine.stack import residual_gram, stack_weights
from venire.combine.vote import average

__all__ = ["average", "residual_gram", "stack_weights"]
