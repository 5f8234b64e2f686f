"""The public names: all there, all from where the package says, nothing heavy loaded by the import alone."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import venire


def test_every_public_name_can_be_had():
    assert [name for name in venire.__all__ if getattr(venire, name).__name__ != name] == []
    assert set(venire.__all__) == set(venire._HOME)
    assert set(venire.__all__) <= set(dir(venire))


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'jury'"):
        venire.jury  # noqa: B018  # asking is the point


def test_the_import_alone_loads_no_learner():
    code = "import sys, venire; print([m for m in ('sklearn', 'scipy', 'duckdb', 'altair') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_the_version_is_that_of_the_package():
    assert venire.__version__ == version("venire")
