"""A fitted model as an ONNX graph."""
