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
print("pandas" in sys.modules, "scipy.stats" in sys.modules)
import pandas
print(pandas.DataFrame({{"a": [1]}}).shape)
"""


def said(before: str = "") -> list[str]:
    words = [sys.executable, "-c", SCRIPT.format(before=before)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_comparison_does_not_import_pandas_and_others_still_can() -> None:
    assert said() == ["False False", "(1, 1)"]


def test_what_is_imported_stays() -> None:
    assert said("import pandas, scipy.stats") == ["True True", "(1, 1)"]


def test_scikit_learn_has_scipy_stats_when_it_calls_for_it() -> None:
    """Functions that were bound while there was a stand-in, and a distribution with methods of its own."""
    script = """
import sys
from venire.lean_imports import scikit_learn_alone
scikit_learn_alone()
import numpy as np
from sklearn.covariance import MinCovDet
from sklearn.metrics import label_ranking_average_precision_score
from sklearn.preprocessing import PowerTransformer
print(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.2, 0.5, 0.1], [0.1, 0.2, 0.9]]))
print(sys.modules["scipy.stats"].__file__ is not None)
print(PowerTransformer().fit_transform([[1.0], [2.0], [5.0]]).round(3).ravel().tolist())
print(MinCovDet(random_state=0).fit(np.random.default_rng(0).normal(size=(40, 2))).support_.sum() > 20)
import scipy.stats
print(scipy.stats.norm.cdf(0.0))
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == ["0.75", "True", "[-1.177, -0.091, 1.268]", "True", "0.5"]


def test_a_package_without_what_is_hidden_is_imported_as_ever() -> None:
    """Another version of scikit-learn may ask for parts of scipy.stats that a stand-in has not."""
    script = """
import sys
from venire import lean_imports
lean_imports._ON_STATS = ("inspection",)  # which imports scipy.stats.mstats
lean_imports.scikit_learn_alone()
import sklearn.inspection
print("scipy.stats" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == ["True"]


def test_a_new_process_begins_without_them() -> None:
    script = """
import pickle, sys
from venire.lean_imports import begin_alone
begin_alone(pickle.dumps((print, ("begun",))))
print("sklearn" in sys.modules, "pandas" in sys.modules, "scipy.stats" in sys.modules)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found.splitlines() == ["begun", "True False False"]
