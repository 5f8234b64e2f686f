"""Verdicts and models in MLflow: what was compared as a run, and the model as a flavour that loads no pickle."""

from venire.mlflow.flavor import _load_pyfunc as _load_pyfunc
from venire.mlflow.flavor import load_model, log_model, save_model
from venire.mlflow.verdict_runs import log_verdict

__all__ = ["load_model", "log_model", "log_verdict", "save_model"]
