"""The command line has no use for pandas, and does not wait for it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
{before}
from venire.lean_imports import scikit_learn_alone
scikit_learn_alone()
import venire.flow
print("pandas" in sys.modules)
import pandas
print(pandas.DataFrame({{"a": [1]}}).shape)
"""


def said(before: str = "") -> list[str]:
    words = [sys.executable, "-c", SCRIPT.format(before=before)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_comparison_does_not_import_pandas_and_others_still_can() -> None:
    assert said() == ["False", "(1, 1)"]


def test_what_is_imported_stays() -> None:
    assert said("import pandas") == ["True", "(1, 1)"]
