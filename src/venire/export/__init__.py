"""Fitted models for other programs: ONNX graphs."""

from venire.export.exporting import save_onnx, to_onnx

__all__ = ["save_onnx", "to_onnx"]
