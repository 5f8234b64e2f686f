"""Fitted models for other programs: ONNX graphs, and pipelines of scikit-learn."""

from venire.export.exporting import save_onnx, to_onnx
from venire.export.sklearn_pipeline import to_sklearn

__all__ = ["save_onnx", "to_onnx", "to_sklearn"]
