"""The whole flow from a table to a verdict, and the verdict as a user holds it."""

from venire.flow.comparing import compare
from venire.flow.verdict import Plot, Verdict

__all__ = ["Plot", "Verdict", "compare"]
