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


HEAVY = ("numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn", "duckdb", "narwhals", "altair", "rich", "typer")


@pytest.mark.parametrize(
    ("what", "words"),
    [("import venire", []), ("import venire; dir(venire)", []), ("from venire.cli.main import run", ["--version"])],
)
def test_an_import_or_the_version_loads_nothing_heavy(what, words):
    """What makes `import venire` and `venire --version` immediate: no library of the field, and no command."""
    code = f"""
import atexit, sys
atexit.register(lambda: print([name for name in {HEAVY} if name in sys.modules]))
{what}
if sys.argv[1:]:
    run()
"""
    said = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "[]"


def test_the_version_is_that_of_the_package():
    assert venire.__version__ == version("venire")
