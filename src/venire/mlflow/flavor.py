"""The flavour `venire` of MLflow: a folder with a `.venire` file, which MLflow serves like any other model."""

from __future__ import annotations

import os
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.persist import load, save

FLAVOR: Final = "venire"
_FILE: Final = "model.venire"
_REQUIREMENTS: Final = "requirements.txt"
_METHODS: Final = ("predict", "predict_proba", "decision_function")


def the_mlflow() -> Any:
    """MLflow, or the way to get it."""
    try:
        with warnings.catch_warnings():  # its import warns of its own code
            warnings.simplefilter("ignore")
            import mlflow
            import mlflow.models
            import mlflow.pyfunc
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "mlflow":
            raise
        raise UsageError(
            "this needs the package mlflow, which is not installed",
            code="missing_package",
            hint="install it with pip install 'venire[mlflow]'",
        ) from None
    return mlflow


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    mlflow_model: Any = None,
    signature: Any = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Save a fitted model as an MLflow model: a folder with the model file and its description.

    Parameters
    ----------
    model
        What `Verdict.fit` gives, or a fitted estimator of venire.
    path
        The folder; it must not be there yet, or be empty.
    mlflow_model
        The `mlflow.models.Model` that this flavour is added to; a new one by default.
    signature
        The `ModelSignature`. By default, that of the columns the model reads.
    metadata
        Kept in the description.

    Examples
    --------
    >>> import tempfile
    >>> from venire import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(tree, f"{folder}/tree")
    ...     load_model(f"{folder}/tree").predict([[1.5], [3.5]])
    array(['a', 'b'], dtype='<U1')
    """
    mlflow = the_mlflow()
    folder = Path(path)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(
            "there is something already", code="cannot_write", file=str(folder), hint="give a folder that is new"
        )
    folder.mkdir(parents=True, exist_ok=True)
    save(model, folder / _FILE)
    described = mlflow.models.Model() if mlflow_model is None else mlflow_model
    found = signature if signature is not None else _signature(model)
    if found is not None:
        described.signature = found
    if metadata is not None:
        described.metadata = metadata
    mlflow.pyfunc.add_to_model(described, loader_module="venire.mlflow", data=_FILE)
    described.add_flavor(FLAVOR, venire_version=version("venire"), data=_FILE, model_class=type(model).__name__)
    needed = (f"{name}=={version(name)}" for name in ("venire", "scikit-learn", "numpy"))
    (folder / _REQUIREMENTS).write_text("\n".join(["mlflow", *needed, ""]))
    described.save(str(folder / "MLmodel"))


def log_model(model: Any, name: str = "model", **wishes: Any) -> Any:
    """Log a fitted model to the active run of MLflow (a new one where there is none).

    Parameters
    ----------
    model
        What `Verdict.fit` gives, or a fitted estimator of venire.
    name
        What it is called in the run.
    **wishes
        Handed on to `mlflow.models.Model.log`, such as `registered_model_name`, or to `save_model`, such as
        `signature`.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Where it is, among other things: `model_uri` is what `load_model` takes.

    Examples
    --------
    >>> log_model(None)  # doctest: +SKIP
    """
    return the_mlflow().models.Model.log(
        artifact_path=None, name=name, flavor=sys.modules["venire.mlflow"], model=model, **wishes
    )


def load_model(model_uri: str) -> Any:
    """Load a model that `save_model` or `log_model` wrote. The file is checked as by `venire.load`: no code in it runs.

    Parameters
    ----------
    model_uri
        A folder, or a place such as `runs:/<run>/model` or `models:/<name>/<version>`.

    Returns
    -------
    estimator
        The model itself, with its own methods; `mlflow.pyfunc.load_model` gives MLflow's wrapper instead.

    Examples
    --------
    >>> load_model("models:/bank/1")  # doctest: +SKIP
    """
    mlflow = the_mlflow()
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=str(model_uri)))
    described = mlflow.models.Model.load(str(folder))
    if FLAVOR not in described.flavors:
        raise UsageError(
            f"the model at {model_uri} is of another flavour: {', '.join(described.flavors)}",
            code="other_flavor",
            hint="load it with mlflow.pyfunc.load_model",
        )
    return load(folder / _FILE)  # the name is ours: no path from the description is followed


class Served:
    """What MLflow asks for predictions: rows in, and by default labels or numbers out."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """What the model says of rows; `params={"predict_method": "predict_proba"}` asks for probabilities."""
        method = (params or {}).get("predict_method", "predict")
        if method not in _METHODS or not hasattr(self.model, method):
            known = ", ".join(name for name in _METHODS if hasattr(self.model, name))
            raise UsageError(f"the model has no {method!r}", code="no_method", hint=f"it has {known}")
        return getattr(self.model, method)(model_input)


def _load_pyfunc(path: str) -> Served:
    """Called by `mlflow.pyfunc.load_model` with the model file."""
    return Served(load(path))


def _signature(model: Any) -> Any:
    """The names of the columns, with values as they come: MLflow would refuse whole numbers where a double is named."""
    if not isinstance(model, TableModel):
        return None
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import AnyType

    anything = AnyType()  # type: ignore[no-untyped-call]  # MLflow's
    names = dict.fromkeys(column.source for column in model.columns_)  # a date has several columns of one source
    listed: list[Any] = [ColSpec(anything, name, required=True) for name in names]
    asked = ParamSchema([ParamSpec("predict_method", "string", "predict")])
    return ModelSignature(inputs=Schema(listed), params=asked)
