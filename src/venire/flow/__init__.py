"""The whole flow from a table to a verdict, and the verdict as a user holds it."""

from venire.flow.comparing import compare
from venire.flow.drawing.plot import Plot
from venire.flow.verdict import Verdict
from venire.report.charts.figure import Figure

__all__ = ["Figure", "Plot", "Verdict", "compare"]
