"""Fitted models for other programs: ONNX graphs, pipelines of scikit-learn, and trees in scikit-learn's classes."""

from venire.export.exporting import save_onnx, to_onnx
from venire.export.sklearn_pipeline import to_sklearn
from venire.export.sklearn_trees import to_sklearn_trees

__all__ = ["save_onnx", "to_onnx", "to_sklearn", "to_sklearn_trees"]
