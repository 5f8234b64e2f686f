"""Trials on a cluster of real processes: the same bytes as here, whatever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.reliability.clusters import Processes
from benchmarks.reliability.marking import Marking, said
from venire import compare, select
from venire.errors import UsageError, VenireError
from venire.validation import two_layer

pytest.importorskip("distributed")

# Processes that are killed, held up or missing take minutes of waiting.
LONG = pytest.mark.skipif("VENIRE_LONG_TESTS" not in os.environ, reason="takes minutes: make cluster")

MODELS = ["baseline", "tree", "knn", "forest", "svm"]  # in threads, in one piece, and apart


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with Processes(tmp_path_factory.mktemp("cluster")) as processes:
        processes.wait(2)
        yield processes


def table(rows: int = 160) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=rows) > 0).astype(int)


def facts(verdict: Any) -> dict[str, Any]:
    return {key: value for key, value in verdict.to_dict().items() if key != "timing"}


def trials(home: Path) -> dict[str, bytes]:
    """The trial files below a home, without the seconds each took and the checksum over them."""
    found = {}
    for path in sorted(home.rglob("*.trial")):
        magic, _, header, arrays = path.read_bytes().split(b"\n", 3)
        kept = {key: value for key, value in json.loads(header).items() if key != "seconds"}
        found[f"{path.parent.name}/{path.name}"] = magic + json.dumps(kept).encode() + arrays
    return found


def marked(folder: Path, seconds: float = 0.1, **options: Any) -> Marking:
    folder.mkdir(exist_ok=True)
    return Marking(str(folder), seconds, **options)


def test_a_verdict_has_the_same_bytes_as_on_one_machine(cluster: Processes, tmp_path: Path) -> None:
    ticks = []
    asked = {"models": MODELS, "folds": 3, "budget": None, "jobs": 2}
    here = compare(*table(), home=tmp_path / "here", **asked)
    afar = compare(*table(), home=tmp_path / "afar", cluster=cluster.address, tick=ticks.append, **asked)
    assert facts(afar) == facts(here)
    assert trials(tmp_path / "afar") == trials(tmp_path / "here")
    assert (afar.to_dict()["timing"]["workers"], here.to_dict()["timing"]["workers"]) == (2, None)
    assert ticks[-1].workers == 2
    assert ticks[-1].dashboard.startswith("http://127.0.0.1:")
    again = compare(*table(), home=tmp_path / "afar", cluster=cluster.address, **asked)
    assert again.to_dict()["timing"]["reused"] == len(trials(tmp_path / "here"))


def test_validation_and_selection_run_there_too(cluster: Processes, tmp_path: Path) -> None:
    from distributed import Client
    from sklearn.tree import DecisionTreeClassifier

    with Client(cluster.address, set_as_default=False) as client:
        here = two_layer(DecisionTreeClassifier(max_depth=3, random_state=0), *table(), folds=3)
        afar = two_layer(DecisionTreeClassifier(max_depth=3, random_state=0), *table(), folds=3, cluster=client)
        assert afar.error == here.error
        assert client.status == "running"  # it is not ours to close
    shared = tmp_path / "shared"
    shared.mkdir()
    chosen = select(*table(), folds=3, cluster=cluster.address, shared=shared)
    assert chosen.attributes == select(*table(), folds=3).attributes
    assert list(shared.iterdir()) == []


def test_an_estimator_that_leaves_its_process_fails_alone(cluster: Processes, tmp_path: Path) -> None:
    leaving = marked(tmp_path / "log", ends=True)
    verdict = compare(*table(), models=["tree", leaving], folds=3, home=tmp_path, cluster=cluster.address)
    assert verdict.chosen["family"] == "tree"
    (failed,) = verdict.ran.failed.values()
    assert str(failed).endswith("the worker process died (exit code 7)")


@LONG
def test_workers_that_are_killed_held_up_or_added_change_nothing(cluster: Processes, tmp_path: Path) -> None:
    model = marked(tmp_path / "log", 0.3)
    before = len(cluster.workers)

    def disturb() -> None:
        while not list((tmp_path / "log").iterdir()):
            time.sleep(0.05)
        process = cluster.process_of(0)
        assert process is not None
        process.kill()
        cluster.hold_up(2.0)
        cluster.add_worker()

    disturbing = threading.Thread(target=disturb)
    disturbing.start()
    afar = compare(*table(), models=[model], folds=4, home=tmp_path / "afar", cluster=cluster.address)
    disturbing.join()
    assert len(cluster.workers) == before + 1
    here = compare(*table(), models=[model], folds=4, home=tmp_path / "here")
    assert facts(afar) == facts(here)


@LONG
def test_nothing_runs_five_seconds_after_the_budget_or_ctrl_c(cluster: Processes, tmp_path: Path) -> None:
    logs = [tmp_path / "budget", tmp_path / "ctrl-c"]
    for budget in (5, 20, 80):  # seconds: a busy machine takes longer to begin
        with pytest.raises(VenireError, match="the budget of"):
            two_layer(marked(logs[0], 300.0), *table(), folds=3, budget=budget, cluster=cluster.address)
        if said(logs[0]):
            break
    ended = [time.time()]
    marked(logs[1])
    program = (
        "import numpy as np\nfrom benchmarks.reliability.marking import Marking\n"
        "from venire.validation import two_layer\n"
        f"X = np.random.default_rng(0).normal(size=(60, 2))\n"
        f"two_layer(Marking({str(logs[1])!r}, 300.0), X, X[:, 0] > 0, folds=3, cluster={cluster.address!r})\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    while not said(logs[1]):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) != 0
    ended.append(time.time())
    time.sleep(6.0)  # a fit that goes on says so ten times a second
    for log, end in zip(logs, ended, strict=True):
        assert any(what.startswith("begin") for _, what in said(log))
        assert [what for when, what in said(log) if when > end + 5.0] == []


@LONG
def test_a_scheduler_that_does_not_answer_holds_nobody_up(cluster: Processes, tmp_path: Path) -> None:
    log, over = tmp_path / "log", threading.Event()

    def freeze() -> None:
        while not said(log) and not over.wait(0.05):
            pass
        cluster.scheduler.send_signal(signal.SIGSTOP)
        over.wait()
        cluster.scheduler.send_signal(signal.SIGCONT)

    for budget in (8, 30, 120):  # seconds: a busy machine takes longer to begin
        model, freezing = marked(log, 300.0), threading.Thread(target=freeze)
        over.clear()
        freezing.start()
        began = time.monotonic()
        try:
            with pytest.raises(VenireError, match="the budget of"):
                two_layer(model, *table(), folds=3, budget=budget, cluster=cluster.address)
        finally:
            over.set()
            freezing.join()
        assert time.monotonic() - began < budget + 15
        if said(log):
            break
    assert said(log)
    time.sleep(1.0)
    ended = time.time()
    time.sleep(1.0)
    assert [what for when, what in said(log) if when > ended] == []  # its seconds travelled with the task


@LONG
def test_a_scheduler_that_was_killed_costs_no_finished_trial(tmp_path: Path) -> None:
    log = tmp_path / "log"
    model = marked(log, 0.3)
    with Processes(tmp_path / "cluster") as processes:
        processes.wait(2)

        def disturb() -> None:
            while not any((tmp_path / "afar").rglob("*.trial")):
                time.sleep(0.02)
            processes.kill_scheduler()
            finished.update(path.name for path in (tmp_path / "afar").rglob("*.trial"))
            killed.append(time.time())
            processes.restart(2)

        finished: set[str] = set()
        killed: list[float] = []
        times: dict[str, int] = {}
        disturbing = threading.Thread(target=disturb)
        disturbing.start()
        afar = compare(*table(), models=[model], folds=4, home=tmp_path / "afar", cluster=processes.address)
        disturbing.join()
    assert finished
    for path in (tmp_path / "afar").rglob("*.trial"):
        times[path.name] = path.stat().st_mtime_ns
    assert all(times[name] / 1e9 <= killed[0] for name in finished)
    fits = [what for when, what in said(log) if what.startswith("begin") and when > killed[0]]
    assert len(set(fits)) <= len(times) - len(finished) + 3  # and the check for leaks has fits of its own
    here = compare(*table(), models=[model], folds=4, home=tmp_path / "here")
    assert facts(afar) == facts(here)


def test_who_cannot_be_reached_or_would_give_other_bytes_is_named(tmp_path: Path) -> None:
    other = tmp_path / "other" / "venire-9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: venire\nVersion: 9.9\n")
    without = tmp_path / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text(
        "import sys\nclass No:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'venire':\n            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, No())\n"
    )

    def asked(address: str, **more: Any) -> float:
        began = time.monotonic()
        with pytest.raises(VenireError, match=more["match"]):
            compare(*table(), models=["tree"], folds=3, home=tmp_path, cluster=address)
        return time.monotonic() - began

    with Processes(tmp_path / "cluster", workers=0) as processes:
        processes.add_worker(PYTHONPATH=str(other.parent))
        processes.wait(1)
        assert asked(processes.address, match=r"worker w0 .* has venire 9\.9, and this process has") < 10
        processes.workers[0].kill()
        processes.add_worker(PYTHONPATH=str(without))
        _only(processes, "w1")
        assert asked(processes.address, match="worker w1 .* has no venire") < 10
        processes.workers[1].kill()
        address = processes.address
    assert asked(address, match="nobody answers at") < 10
    with pytest.raises(UsageError, match="there is no cluster 'somewhere'"):
        compare(*table(), cluster="somewhere")


def _only(processes: Processes, name: str) -> None:
    """Until a worker is there, and no other."""
    from distributed import Client

    with Client(processes.address, set_as_default=False) as client:
        while [worker["name"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()] != [name]:
            time.sleep(0.1)


def test_the_command_line_takes_it_from_the_environment(cluster: Processes, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    X, y = table(60)
    path.write_text("a,b,y\n" + "".join(f"{a},{b},{'pn'[c]}\n" for (a, b), c in zip(X[:, :2], y, strict=True)))
    venire = [
        sys.executable,
        "-m",
        "venire",
        "compare",
        str(path),
        "--target",
        "y",
        "--models",
        "tree",
        "--folds",
        "3",
        "--json",
    ]
    said_by = []
    for more in ({}, {"VENIRE_CLUSTER": cluster.address}):
        home = str(tmp_path / f"home{len(more)}")
        done = subprocess.run(venire, env={**os.environ, "VENIRE_HOME": home, **more}, capture_output=True, check=True)
        said_by.append(json.loads(done.stdout))
        if more:
            assert "trials run on" in done.stderr.decode()
    timings = [document.pop("timing") for document in said_by]
    assert said_by[0] == said_by[1]
    assert [bool(timing["workers"]) for timing in timings] == [False, True]
