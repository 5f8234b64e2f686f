"""Our nets beside scikit-learn's best of a grid and RealMLP, on real tables.

    python -m benchmarks.accuracy.nets [--rows 1000] [--seeds 1] [--tables yeast …] [--systems venire …]
        [--environments FOLDER]

Needs the real tables in the folder `shared/data` beside the checkout, or in VENIRE_BENCH_DATA. Each system gets the
same training rows (`--rows` at most, else 70 % of the table) and is judged on up to 3,000 others: log loss of classes,
root mean squared error over the standard deviation of numbers. Settings of ours were chosen on the first group of
tables; the second group was held back from every choice.

venire          the estimator as it comes
venire path     the best setting of the bucket's path by the last fifth of the training rows, fitted again on all
scikit-learn    the best of twelve `MLPClassifier` or `MLPRegressor` (one or two layers, three penalties, with and
                without early stopping) in the same way
RealMLP         `RealMLP_TD` of pytabkit, of classes without label smoothing and stopped by the log loss, as its authors
                advise for it; in an environment of its own, left out, and said so, where it cannot be installed

Seconds are processor time on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline

from benchmarks.results import Run
from venire.data import read_table
from venire.data.encode import OneHotScaled
from venire.data.table import Table, Task
from venire.families.bucket import default_bucket
from venire.models.net.base import NetBase, fit_together
from venire.models.net.estimators import NetClassifier, NetRegressor

ROOT = Path(__file__).parents[2]
CHOSEN_ON = ("abalone", "credit_g", "yeast", "california_housing", "adult", "titanic", "ames", "letter")
HELD_BACK = ("auto_mpg", "bank_marketing", "bike_sharing", "diamonds", "mammography", "soybean", "telco_churn", "vote")
MOST_JUDGED = 3000
SMALLEST = 1e-7  # of a probability: one certain mistake should not be all there is to see
GRID = [
    {"hidden_layer_sizes": hidden, "alpha": alpha, "early_stopping": stopping}
    for stopping in (True, False)
    for hidden in ((100,), (100, 100))
    for alpha in (1e-4, 1e-2, 1.0)
]
Fitted = Any
Rows = NDArray[np.intp]


def folder() -> Path:
    """Where the real tables are."""
    named = os.environ.get("VENIRE_BENCH_DATA")
    return (Path(named) if named else Path(__file__).resolve().parents[2].parent / "shared") / "data"


def split_of(name: str, rows: int, seed: int) -> tuple[Table, Rows, Rows]:
    """A table, the rows to learn from and those to be judged on."""
    entry = next(each for each in json.loads((folder() / "manifest.json").read_text()) if each["name"] == name)
    table = read_table(folder() / entry["file"], entry["target"], drop=list(entry["drop"]))
    order = np.random.default_rng(seed).permutation(table.rows)
    train = min(rows, int(0.7 * table.rows))
    return table, order[:train], order[train : train + MOST_JUDGED]


def numbers(table: Table) -> bool:
    assert table.target is not None
    return table.target.task is Task.REGRESSION


def loss(table: Table, rows: Rows, said: NDArray[np.float64], classes: NDArray[Any]) -> float:
    """What is lost on these rows by numbers, or by probabilities of these classes."""
    y = table.y[rows]
    if numbers(table):
        return float(np.sqrt(np.mean((said - y) ** 2)) / np.std(y))
    assert table.target is not None
    shares = np.full((len(rows), len(table.target.classes)), SMALLEST)
    shares[:, np.asarray(classes, dtype=np.intp)] = said.clip(SMALLEST)
    shares /= shares.sum(axis=1, keepdims=True)
    return float(-np.log(shares[np.arange(len(rows)), y]).mean())


def judged(table: Table, model: Fitted, rows: Rows) -> float:
    X = table.X[rows]
    if numbers(table):
        return loss(table, rows, model.predict(X), np.array([]))
    return loss(table, rows, model.predict_proba(X), model.classes_)


def our_net(table: Table, **params: Any) -> NetBase:
    kind = NetRegressor if numbers(table) else NetClassifier
    net: NetBase = kind(categorical_features=table.categorical, random_state=0, n_jobs=1)
    net.set_params(**params)
    return net


def venire_net(table: Table, train: Rows) -> Fitted:
    return our_net(table).fit(table.X[train], table.y[train])


def venire_path(table: Table, train: Rows) -> Fitted:
    family = next(each for each in default_bucket() if each.name == "neural_net")
    nets = [our_net(table, **setting.params) for setting in family.path(table)]
    inner, last = _parted(train)
    fit_together(nets, table.X[inner], table.y[inner])
    best = nets[int(np.argmin([judged(table, net, last) for net in nets]))]
    return our_net(table, **best.get_params()).fit(table.X[train], table.y[train])


def sklearn_grid(table: Table, train: Rows) -> Fitted:
    def fitted(given: dict[str, Any], rows: Rows) -> Fitted:
        kind = MLPRegressor if numbers(table) else MLPClassifier
        net = kind(random_state=0, **given)
        model = make_pipeline(OneHotScaled(categorical=table.categorical), net)
        if not numbers(table):
            return model.fit(table.X[rows], table.y[rows])
        return _Scaled(model, table.y[rows]).fit(table.X[rows])

    inner, last = _parted(train)
    losses = [judged(table, fitted(given, inner), last) for given in GRID]
    return fitted(GRID[int(np.argmin(losses))], train)


class _Scaled:
    """A regressor of a target in units of its spread."""

    def __init__(self, model: Fitted, y: NDArray[np.float64]) -> None:
        self._model, self._y = model, y

    def fit(self, X: NDArray[Any]) -> _Scaled:
        self._model.fit(X, (self._y - self._y.mean()) / self._y.std())
        return self

    def predict(self, X: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(self._model.predict(X) * self._y.std() + self._y.mean())


def _parted(train: Rows) -> tuple[Rows, Rows]:
    return train[: len(train) * 4 // 5], train[len(train) * 4 // 5 :]


SYSTEMS: dict[str, Callable[[Table, Rows], Fitted]] = {
    "venire": venire_net,
    "venire path": venire_path,
    "scikit-learn": sklearn_grid,
}


REALMLP = "RealMLP"


def realmlp(python: Path, table: Table, train: Rows, test: Rows) -> tuple[float, float]:
    """Loss and seconds of RealMLP in its own environment."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "rows.npz"
        categorical = np.flatnonzero(table.categorical)
        np.savez(data, X=table.X[train], y=table.y[train], test=table.X[test], categorical=categorical)
        command = [str(python), str(ROOT / "benchmarks/accuracy/nets_child.py"), str(data), str(int(numbers(table)))]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"RealMLP failed: {ran.stderr[-2000:]}")
        found = np.load(data.with_suffix(".out.npz"))
        return loss(table, test, found["said"], found["classes"]), float(found["seconds"])


def peer(environments: Path) -> Path | None:
    """The Python that has pytabkit; None when it cannot be installed."""
    python = environments / "pytabkit/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environments / "pytabkit")], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pytabkit"], check=False)
    there = subprocess.run([python, "-c", "import pytabkit"], capture_output=True, check=False)
    return python if there.returncode == 0 else None


def compare(
    name: str, rows: int, seed: int, systems: Sequence[str], python: Path | None
) -> dict[str, tuple[float, float]]:
    """Loss and seconds of every system on one split of a table."""
    table, train, test = split_of(name, rows, seed)
    found: dict[str, tuple[float, float]] = {}
    for system, fit in SYSTEMS.items():
        if system not in systems:
            continue
        began = time.process_time()
        model = fit(table, train)
        found[system] = (judged(table, model, test), time.process_time() - began)
    if python is not None:
        found[REALMLP] = realmlp(python, table, train, test)
    return found


def show_group(title: str, found: dict[str, dict[str, tuple[float, float]]]) -> None:
    """Losses by table, then the mean of losses over the smallest of the table."""
    systems = list(next(iter(found.values())))
    print(f"\n{title}\n{'table':20s}" + "".join(f"{system:>24s}" for system in systems))
    for name, figures in found.items():
        print(f"{name:20s}" + "".join(f"{figures[s][0]:15.4f}{figures[s][1]:8.1f}s" for s in systems), flush=True)
    ratios = [[figures[s][0] / min(f[0] for f in figures.values()) for s in systems] for figures in found.values()]
    print(f"{'mean over the best':20s}" + "".join(f"{mean:15.3f}{'':9s}" for mean in np.mean(ratios, axis=0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--tables", nargs="*", default=[*CHOSEN_ON, *HELD_BACK])
    parser.add_argument("--systems", nargs="*", default=[*SYSTEMS, REALMLP])
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers/nets")
    run = Run.of("accuracy-nets", parser, free=("environments",))
    if not (folder() / "manifest.json").exists():
        sys.exit(f"no tables in {folder()}: set VENIRE_BENCH_DATA")
    warnings.simplefilter("ignore")  # of scikit-learn's nets, which say when they stop
    wanted = REALMLP in run.asked.systems
    python = peer(run.asked.environments) if wanted else None
    if wanted and python is None:
        print("pytabkit cannot be installed here: RealMLP is left out")
    for title, group in (("chosen on", CHOSEN_ON), ("held back", HELD_BACK)):
        _run_group(run, title, [name for name in group if name in run.asked.tables], python)
    run.finish()


def _run_group(run: Run, title: str, names: Sequence[str], python: Path | None) -> None:
    found = {}
    for name in names:
        for seed in range(run.asked.seeds):
            job = name if run.asked.seeds == 1 else f"{name}, split {seed}"
            found[job] = compare(name, run.asked.rows, seed, run.asked.systems, python)
            for system, (lost, seconds) in found[job].items():
                run.results.add(f"{title}: {job}", system, loss=lost, seconds=seconds)
            print(job, {system: round(figures[0], 4) for system, figures in found[job].items()}, flush=True)
    if found:
        show_group(title, found)


if __name__ == "__main__":
    main()
