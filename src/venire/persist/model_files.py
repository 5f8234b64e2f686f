"""Saving a fitted model to a file and loading it again: the same predictions to the bit, and no code from the file."""

from __future__ import annotations

import errno
import os
import stat
import warnings
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from venire.errors import SCHEMA_VERSION, ModelFormatError, UsageError, VenireError, VenireWarning
from venire.persist.container import VERSION, Content, packed, unpacked
from venire.persist.figures import checked_figures
from venire.persist.probe import answers, checked_answers, same
from venire.persist.registry import kinds, kinds_by_class
from venire.persist.training_data import kept_of, parts_of
from venire.persist.values import Reader, Writer
from venire.report.document.shapes.model_file import ModelFacts, ModelFileDocument
from venire.validation.evidence.atomic_writes import SHARED, write_atomically

_LONGEST_VERSION = 100
_PLACE = "choose a folder that is there and may be written"
_LIBRARIES = ("venire", "scikit-learn", "numpy")


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Write a fitted model to a file that is data only and safe to load.

    The file holds everything that predicting needs and, where the model comes from a verdict, its figures. Before it
    gets its name it is read back, and the copy has to predict the same. A `VenireWarning` says if whole training rows
    are kept in it, as nearest neighbours and kernel machines do.

    Parameters
    ----------
    model
        What `Verdict.fit` gives, or a fitted estimator of venire.
    path
        The file; by custom its name ends in `.venire`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from venire import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(save(tree, f"{folder}/tree.venire")).predict([[1.5], [3.5]])
    array(['a', 'b'], dtype='<U1')
    """
    _refuse_unfitted(model)
    data = to_bytes(model)
    goal = write_whole(path, data, what="model")
    rows = [kept["what"] for kept in kept_of(model) if kept["rows"]]
    if rows:
        warnings.warn(
            f"{goal.name} keeps {' and '.join(rows)}: whoever has the file can read them", VenireWarning, stacklevel=2
        )
    return goal


def write_whole(path: str | os.PathLike[str], data: bytes, *, what: str) -> Path:
    """Write a file whole or not at all; where it cannot be written, an error that says what `what` is."""
    goal = Path(path)
    try:
        write_atomically(goal, data, mode=SHARED)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        fault = VenireError if full else UsageError  # a full disk is nobody's misuse
        raise fault(
            f"the {what} cannot be written: {error.strerror or error}",
            code="cannot_write",
            file=str(goal),
            hint="make room, or give a file on another disk" if full else _PLACE,
        ) from error
    return goal


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote: it predicts what the saved one did, to the bit.

    Nothing in the file is run or imported by name, and everything is checked before it is used: sizes, shapes, trees,
    that numbers are finite. What does not hold is a `ModelFormatError` that says what and where.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    estimator
        The model: a `KeptModel` for what `Verdict.fit` gave, whose `about_` has the figures of the verdict.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nothing = Path(folder, "m.venire")
    ...     size = nothing.write_bytes(b"no model")
    ...     try:
    ...         load(nothing)
    ...     except ModelFormatError as error:
    ...         print(error.message)
    it ends after 8 bytes, and is no model file
    """
    return read_file(Path(path))[0]


def describe_model(path: str | os.PathLike[str]) -> ModelFileDocument:
    """What is in a model file, as the document that `venire model --json` prints. The file is checked as by `load`.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        What the model is made of, the columns it reads, what it keeps of the training data, and the figures of its
        verdict.

    Examples
    --------
    >>> import tempfile
    >>> from venire import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     describe_model(save(tree, f"{folder}/tree.venire"))["model"]
    'DecisionTreeRegressor'
    """
    model, content = read_file(Path(path))
    return {
        "schema_version": SCHEMA_VERSION,
        "file": str(path),
        "bytes": content.size,
        "checksum": content.checksum,
        "format": VERSION,
        "written_by": content.header["versions"],
        **facts_of(model),
    }


def facts_of(model: Any) -> ModelFacts:
    """What is to be said of a fitted model, whether it is in a file or not."""
    members = [type(part).__name__ for part in parts_of(model) if part is not model]
    return {
        "model": type(model).__name__,
        "members": list(dict.fromkeys(members)),
        "columns": [str(name) for name in getattr(model, "feature_names_in_", ())],
        "classes": [str(name) for name in getattr(model, "classes_", ())],
        "keeps": kept_of(model),
        "figures": getattr(model, "about_", None),
    }


def versions_here() -> dict[str, str]:
    """The versions of what a model is fitted with here."""
    return {"python": python_version(), **{name: version(name) for name in _LIBRARIES}}


def to_bytes(model: Any) -> bytes:
    """The file of a model; an error if what would be loaded from it is not the same model."""
    writer = Writer(kinds_by_class())
    tree = writer.plain(model)
    data = packed({"versions": versions_here(), "model": tree}, writer.arrays)
    try:
        copy, _ = from_bytes(data)
    except ModelFormatError as error:
        raise UsageError(
            f"{type(model).__name__} cannot be written to a model file: {error.message}",
            code="cannot_save",
            hint=_WAY_OUT,
        ) from error
    said = answers(model)
    if not same(said, answers(copy)) and same(said, answers(model)):  # a model that guesses never says the same
        raise UsageError(
            f"{type(model).__name__} cannot be written to a model file: a copy predicts something else",
            code="cannot_save",
            hint=_WAY_OUT,
        )
    return data


def from_bytes(data: bytes) -> tuple[Any, Content]:
    """The model in these bytes, checked, and the rest of the file."""
    content = unpacked(data)
    versions, tree = content.header.get("versions"), content.header.get("model")
    if set(content.header) != {"versions", "model"} or not isinstance(versions, dict):
        raise ModelFormatError("its header has other parts")
    if not all(isinstance(each, str) and len(each) < _LONGEST_VERSION for each in (*versions, *versions.values())):
        raise ModelFormatError("its header names versions that are none")
    try:
        model = Reader(kinds(), content.arrays).value(tree)
        if not isinstance(model, BaseEstimator):
            raise ModelFormatError(f"it holds a {type(model).__name__}, and no model")
        checked_figures(model)
        checked_answers(model)
    except ModelFormatError as error:
        if error.hint is None:
            error.hint = _versions_hint(versions)
        raise
    return model, content


def read_file(path: Path) -> tuple[Any, Content]:
    """The model of a file, checked, with what the file says of itself; errors name the file."""
    try:
        with open(path, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ModelFormatError("this is no file", code="no_file", file=str(path), hint="give a model file")
            data = file.read()
    except OSError as error:
        raise ModelFormatError(
            f"the model cannot be read: {error.strerror or error}",
            code="no_file",
            file=str(path),
            hint="is the name right?",
        ) from error
    try:
        return from_bytes(data)
    except ModelFormatError as error:
        error.file = str(path)
        raise


def _refuse_unfitted(model: Any) -> None:
    if not isinstance(model, BaseEstimator):
        raise UsageError(
            f"a model file holds a fitted model, and this is {type(model).__name__}",
            code="cannot_save",
            hint="save what verdict.fit() gives, or call verdict.save",
        )
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise UsageError(
            f"{type(model).__name__} is not fitted yet", code="cannot_save", hint="fit it first"
        ) from error


def _versions_hint(versions: dict[str, str]) -> str:
    """Where the model was written by another scikit-learn, that may be why it cannot be read."""
    written = versions.get("scikit-learn", sklearn.__version__)
    if written != sklearn.__version__:
        return f"it was written with scikit-learn {written}: load it with that"
    return "take another copy of the file, or save the model again"


_WAY_OUT = "pickle it if you trust every place it will be loaded in, or save a model without it"
