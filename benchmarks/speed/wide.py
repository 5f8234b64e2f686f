"""Wide tables: seconds of every family where there are far more columns than rows, beside scikit-learn's nearest kin.

Each shape comes three times: all columns numbers, all categories, half of each with gaps. For every family the page has
the seconds of one trial (the whole path on four of five folds, shared work included), what the family's formula says
of it, and the seconds of one fit of its last setting with scikit-learn's estimator on the same encoded rows. Seconds
are those of the processor, on one thread; what takes longer than the limit is stopped.

Then the growth: the same trial at 500, 1,000, 2,000 and 4,000 columns, and the exponent of the columns that fits best.
One is as good as it gets, two would be a cost in columns².

    python benchmarks/speed/wide.py [--shapes 60x10000 1000x5000] [--kinds numeric categorical mixed]
                                    [--families tree …] [--limit 60] [--growth-rows 200] [--json FILE]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks.results import Results, Run
from venire.data.encode import OneHotScaled
from venire.data.table import Column, Kind, Table, Target, Task
from venire.families.bucket import default_bucket
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Family, Gregarious

WIDTHS = (500, 1000, 2000, 4000)
KINDS = ("numeric", "categorical", "mixed")
PEERS: dict[str, Any] = {
    "baseline": DummyClassifier(),
    "naive_bayes": GaussianNB(),
    "knn": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(random_state=0),
    "linear": RidgeClassifier(),
    "logistic": LogisticRegression(C=1e4, max_iter=1000),
    "perceptron": Perceptron(penalty="l2", alpha=1e-5, random_state=0),
    "svm": SVC(C=100.0),
    "neural_net": MLPClassifier((128,), solver="lbfgs", alpha=1.0, max_iter=200, tol=1e-3, random_state=0),
    "bagging": BaggingClassifier(n_estimators=200, random_state=0),
    "forest": RandomForestClassifier(random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=200, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=200, early_stopping=False, random_state=0),
}


def wide(rows: int, columns: int, kind: str, seed: int = 0) -> Table:
    """Two classes; five of the columns know something about them."""
    rng = np.random.default_rng(seed)
    y = (np.arange(rows) % 2).astype(np.int32)
    X = np.asfortranarray(rng.normal(size=(rows, columns)))
    X[:, :5] += y[:, None]
    described = []
    for j in range(columns):
        if kind == "categorical" or (kind == "mixed" and j % 2):
            X[:, j] = np.digitize(X[:, j], (-0.7, 0.0, 0.7))
            described.append(Column(f"x{j}", Kind.CATEGORICAL, tuple("abcd")))
            continue
        if kind == "mixed" and j % 4 == 0:
            X[rng.random(rows) < 0.1, j] = np.nan
        described.append(Column(f"x{j}", Kind.NUMERIC, missing=int(np.isnan(X[:, j]).sum())))
    return Table(X, tuple(described), Target("y", Task.CLASSIFICATION, y, ("a", "b"), positive=1))


def one_trial(family: Family, table: Table) -> None:
    """The whole path on one training part, with all that has to be prepared for it."""
    plan = make_plan(table, folds=5)
    prepared = family.prepare(table, plan)
    run = family.run_alone if isinstance(family, Gregarious) else family.run
    run(prepared, plan.trials[-1])


def one_fit(peer: Any, table: Table) -> None:
    """Encoding, one fit and its predictions, as scikit-learn would do them."""
    X = OneHotScaled(categorical=table.categorical).fit_transform(table.X)
    clone(peer).fit(X, table.y).predict(X)


def by_formula(family: Family, table: Table) -> float:
    """What the family says a trial costs."""
    plan = make_plan(table, folds=5)
    return family.cost(table, plan).seconds / len(plan.trials)


def seconds(work: Callable[[], None], limit: float) -> float | None:
    """Processor time in a process of its own, which the system ends at the limit: None."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_timed, args=(work, there, limit))
    child.start()
    there.close()
    try:
        return float(here.recv())
    except EOFError:
        return None
    finally:
        child.join()


def _timed(work: Callable[[], None], there: Any, limit: float) -> None:
    warnings.simplefilter("ignore")  # what learners complain of on noise is no news here
    began = time.process_time()
    most = int(began + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    with threadpool_limits(1):
        work()
    there.send(time.process_time() - began)


def shown(found: float | None, limit: float) -> str:
    return f"> {limit:g}" if found is None else f"{found:.3f}"


def at_shape(
    families: Sequence[Family], rows: int, columns: int, kinds: Sequence[str], limit: float, results: Results
) -> None:
    print(f"\n{rows:,} rows × {columns:,} columns: processor seconds")
    print(f"{'':12} {'family':12} {'settings':>8} {'trial':>9} {'formula':>9} {'scikit-learn, one fit':>22}")
    for kind in kinds:
        table = wide(rows, columns, kind)
        for family in families:
            ours = seconds(partial(one_trial, family, table), limit)
            peer, formula = PEERS.get(family.name), by_formula(family, table)
            theirs = None if peer is None else seconds(partial(one_fit, peer, table), limit)
            print(
                f"{kind:12} {family.name:12} {len(family.path(table)):8} {shown(ours, limit):>9} "
                f"{formula:9.3f} {'-' if peer is None else shown(theirs, limit):>22}",
                flush=True,
            )
            job = f"{rows} x {columns}, {kind}"
            results.add(job, family.name, seconds_of_a_trial=ours, by_formula=formula, scikit_learn_one_fit=theirs)


def growth(families: Sequence[Family], rows: int, kinds: Sequence[str], limit: float, results: Results) -> None:
    print(f"\nGrowth at {rows:,} rows: processor seconds of a trial, and the exponent of the columns")
    print(f"{'':12} {'family':12} " + " ".join(f"{width:>9,}" for width in WIDTHS) + f" {'exponent':>9}")
    for kind in kinds:
        tables = [wide(rows, width, kind) for width in WIDTHS]
        for family in families:
            found = [seconds(partial(one_trial, family, table), limit) for table in tables]
            known = [(width, s) for width, s in zip(WIDTHS, found, strict=True) if s is not None]
            slope = None
            if len(known) > 1:
                widths, times = np.log(np.array(known, dtype=np.float64)).T
                slope = float(np.polyfit(widths, times, 1)[0])
            row = " ".join(f"{shown(one, limit):>9}" for one in found)
            print(f"{kind:12} {family.name:12} {row} {'-' if slope is None else f'{slope:.2f}':>9}", flush=True)
            results.add(f"growth at {rows} rows, {kind}", family.name, exponent_of_the_columns=slope)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="*", default=["60x10000", "1000x5000"])
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("--families", nargs="*")
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--growth-rows", type=int, default=200)
    run = Run.of("speed-wide", parser)
    options = run.asked
    families = [family for family in default_bucket() if not options.families or family.name in options.families]
    for shape in options.shapes:
        rows, columns = map(int, shape.split("x"))
        at_shape(families, rows, columns, options.kinds, options.limit, run.results)
    if options.growth_rows:
        growth(families, options.growth_rows, options.kinds, options.limit, run.results)
    run.finish()


if __name__ == "__main__":
    main()
