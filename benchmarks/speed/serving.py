"""One row over HTTP: `venire serve` beside MLflow's scoring server and a BentoML service with the same model file.

Each server is a process of its own, and so are the clients; they share the machine's cores, on loopback. Measured are a
client that asks one request after the other (p50, p99), many connections at once (requests a second, and the processor
seconds that a request costs the server), ten times as many connections as may wait (what is accepted, how long that
takes, and memory), and memory in the course of `--requests` requests. Nothing leaves this machine.

The models are gradient boosting, a forest, and what `compare` hands over, all of the banknotes that ship with venire;
`--models` keeps their files for the next run. MLflow and BentoML are asked in environments of their own, folders
`.venv-mlflow` and `.venv-bentoml` in `--environments`, each with venire in it; what is not there is not measured, and
the output says so. Each of them has one process and then one for every core, as their manuals advise.

    python -m benchmarks.speed.serving [--seconds 5] [--requests 1000000] [--only peers] [--environments .]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.results import Run
from venire.data.datasets import load

CONNECTIONS = 32
WAITING = 128
FAMILIES = ("boosting", "forest", "compare")
LONG = ("boosting", "compare")  # models of the run at length: a quick one, and one with many members


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
    return port


def one_row() -> dict[str, float]:
    table = load("banknotes")
    return {column.name: float(table.X[0, j]) for j, column in enumerate(table.columns)}


def write_model(path: Path, home: Path, family: str) -> None:
    """A model file of the banknotes; "compare" is what a comparison of the default families hands over."""
    import venire

    if not path.exists():
        chosen: dict[str, Any] = {} if family == "compare" else {"models": [family]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rows in the file: they are no secret
            venire.compare(load("banknotes"), folds=5, home=home, progress=False, **chosen).save(path)


def write_mlflow(model: Path, folder: Path) -> None:
    import venire
    from venire.mlflow import save_model

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save_model(venire.load(model), folder)


def request_bytes(path: str, document: Any, port: int) -> bytes:
    body = json.dumps(document).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def server(command: list[str], port: int, log: Path, ready: str = "/ping", **further: str) -> Iterator[int]:
    """The process of a server that answers; it is stopped in the end. `further` goes into its environment."""
    with log.open("w") as stream:
        found = f"{Path(command[0]).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # MLflow asks for uvicorn
        process = subprocess.Popen(
            command,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
            env={**os.environ, "PATH": found, **further},
        )
    try:
        for _ in range(1200):
            if process.poll() is not None:
                raise RuntimeError(f"the server has ended: {log.read_text()[-3000:]}")
            try:
                line = HTTPConnection("127.0.0.1", port, timeout=5)
                line.request("GET", ready)
                if line.getresponse().status == 200:
                    break
            except OSError:
                time.sleep(0.25)
        else:
            raise RuntimeError(f"the server does not answer: {log.read_text()[-3000:]}")
        yield process.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def family_of(pid: int) -> list[int]:
    """A process and its children, and theirs."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += family_of(int(child))
    return found


def processor_seconds(pid: int) -> float:
    """Spent so far by a server, all its processes together."""
    ticks = 0
    for each in family_of(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def megabytes(pid: int) -> float:
    """Resident memory of a server, all its processes together."""
    page = os.sysconf("SC_PAGE_SIZE") / 1e6
    return sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) * page for each in family_of(pid))


def loaded(port: int, request: Path, connections: int, seconds: float, most: int = 1 << 60) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.serving_load"]
    asked = [str(port), str(request), str(connections), str(seconds), str(most)]
    done = subprocess.run([*command, *asked], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def one_and_many(run: Run, job: str, subject: str, pid: int, port: int, request: Path) -> None:
    """The figures that all servers have."""
    seconds = run.asked.seconds
    loaded(port, request, 8, 2.0)  # warm
    alone = loaded(port, request, 1, seconds)
    before = processor_seconds(pid)
    many = loaded(port, request, CONNECTIONS, seconds)
    spent = processor_seconds(pid) - before
    answers = many["statuses"].get("200", 0)
    other = sum(many["statuses"].values()) - answers + sum(alone["statuses"].values()) - alone["statuses"].get("200", 0)
    print(
        f"{job:<9} {subject:<19} one client: p50 {1e3 * alone['p50']:.2f} ms, p99 {1e3 * alone['p99']:.2f} ms; "
        f"{CONNECTIONS} clients: {answers / many['seconds']:,.0f} requests/s, p99 {1e3 * many['p99']:.1f} ms, "
        f"{1e6 * spent / max(1, answers):.0f} µs of processor time each; {other} not answered with 200",
        flush=True,
    )
    run.results.add(f"{job}, one client", subject, p50_ms=1e3 * alone["p50"], p99_ms=1e3 * alone["p99"])
    run.results.add(
        f"{job}, {CONNECTIONS} clients",
        subject,
        requests_per_second=answers / many["seconds"],
        processor_us_per_request=1e6 * spent / max(1, answers),
        p99_ms=1e3 * many["p99"],
        others=other,
    )


def overload(run: Run, job: str, pid: int, port: int, request: Path) -> None:
    """Ten times as many connections as may wait, each of which comes again at once."""
    loaded(port, request, CONNECTIONS, 2.0)  # warm
    before = megabytes(pid)
    found = loaded(port, request, 10 * WAITING, run.asked.seconds)
    refused = {status: found["statuses"].get(status, 0) for status in ("429", "503")}
    accepted, count = found["statuses"].get("200", 0), sum(found["statuses"].values())
    others = count - accepted - sum(refused.values())
    after_first = megabytes(pid)
    again = loaded(port, request, 10 * WAITING, run.asked.seconds)
    after = megabytes(pid)
    print(
        f"{job:<9} overload, {10 * WAITING} connections: {accepted:,} answered "
        f"(p99 {1e3 * (found['p99'] or 0):.0f} ms), "
        f"{sum(refused.values()):,} told to come again, {others} others, {found['lost']} connections lost; "
        f"memory {before:.1f}, {after_first:.1f}, after as much again {after:.1f} MB",
        flush=True,
    )
    run.results.add(
        f"{job}, overload",
        answered=accepted,
        refused=sum(refused.values()),
        others=others,
        lost_connections=found["lost"] + again["lost"],
        p99_ms=1e3 * (found["p99"] or 0),
        MB_before=before,
        MB_after=after_first,
        MB_after_as_much_again=after,
    )


def length(run: Run, job: str, pid: int, port: int, request: Path) -> None:
    """Many requests; memory at the start, after a tenth, in the middle and in the end."""
    total = run.asked.requests
    loaded(port, request, CONNECTIONS, 2.0)  # warm
    memory, count, others, seconds = {"at the start": megabytes(pid)}, 0, 0, 0.0
    for name, part in (("after a tenth", total // 10), ("in the middle", total // 2), ("in the end", total)):
        found = loaded(port, request, CONNECTIONS, 3600, part - count)
        count += sum(found["statuses"].values())
        others += sum(found["statuses"].values()) - found["statuses"].get("200", 0)
        seconds += found["seconds"]
        memory[name] = megabytes(pid)
    said = ", ".join(f"{name} {value:.1f}" for name, value in memory.items())
    print(f"{job:<9} {count:,} requests in {seconds:.0f} s, {others} not answered with 200; memory (MB) {said}")
    figures = {f"MB_{name.replace(' ', '_')}": value for name, value in memory.items()}
    run.results.add(f"{job}, at length", "venire", requests=count, others=others, seconds=seconds, **figures)


def measure_venire(run: Run, job: str, model: Path, folder: Path) -> None:
    port, request = free_port(), folder / "request"
    command = [sys.executable, "-m", "venire", "serve", str(model), "--port", str(port), "--quiet"]
    with server([*command, "--max-waiting", str(WAITING)], port, folder / "venire.log") as pid:
        request.write_bytes(request_bytes("/predict", one_row(), port))
        if run.asked.only in ("", "peers"):
            one_and_many(run, job, "venire", pid, port, request)
        if run.asked.only in ("", "overload"):
            overload(run, job, pid, port, request)
        if run.asked.only in ("", "length") and run.asked.requests and job in LONG:
            length(run, job, pid, port, request)


def measure_mlflow(run: Run, job: str, model: Path, folder: Path, workers: int) -> None:
    python = run.asked.environments / ".venv-mlflow/bin/python"
    kept, port, request = folder / f"mlflow-{job}", free_port(), folder / "request"
    if not kept.exists():
        write_mlflow(model, kept)
    request.write_bytes(request_bytes("/invocations", {"dataframe_records": [one_row()]}, port))
    command = [str(python), "-m", "mlflow", "models", "serve", "--model-uri", str(kept), "--env-manager", "local"]
    with server([*command, "--port", str(port), "--workers", str(workers)], port, folder / "mlflow.log") as pid:
        one_and_many(run, job, named("mlflow", workers), pid, port, request)


def measure_bentoml(run: Run, job: str, model: Path, folder: Path, workers: int) -> None:
    python = run.asked.environments / ".venv-bentoml/bin/python"
    port, request, place = free_port(), folder / "request", Path(__file__).parent
    request.write_bytes(request_bytes("/predict", {"rows": [one_row()]}, port))
    command = [str(python), "-m", "bentoml", "serve", "serving_bento:Predictions", "--working-dir", str(place)]
    asked = {"MODEL_FILE": str(model.resolve()), "WORKERS": str(workers), "BENTOML_DO_NOT_TRACK": "true"}
    command += ["--port", str(port), "--host", "127.0.0.1"]
    with server(command, port, folder / "bentoml.log", "/readyz", BENTOML_HOME=str(folder), **asked) as pid:
        one_and_many(run, job, named("bentoml", workers), pid, port, request)


def named(tool: str, workers: int) -> str:
    return tool if workers == 1 else f"{tool}, {workers} processes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--requests", type=int, default=1_000_000, help="of the run at length; 0 leaves it out")
    parser.add_argument("--families", nargs="*", default=list(FAMILIES), help="models; compare is what it hands over")
    parser.add_argument("--only", choices=["", "peers", "overload", "length"], default="", help="one part of it")
    parser.add_argument("--models", type=Path, help="a folder for the model files, which are kept there")
    parser.add_argument("--environments", type=Path, default=Path(), help="with .venv-mlflow and .venv-bentoml")
    run = Run.of("speed-serving", parser, free=("environments", "models"))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        models = run.asked.models or folder
        models.mkdir(parents=True, exist_ok=True)
        for family in run.asked.families:
            model = models / f"{family}.venire"
            write_model(model, folder / "home", family)
            measure_venire(run, family, model, folder)
            for measure, tool in ((measure_mlflow, "mlflow"), (measure_bentoml, "bentoml")):
                there = (run.asked.environments / f".venv-{tool}").exists()
                if not there:
                    print(f"{tool}: not measured: there is no .venv-{tool}")
                for workers in (1, os.cpu_count() or 1) if there and run.asked.only in ("", "peers") else ():
                    measure(run, family, model, folder, workers)
    run.finish()


if __name__ == "__main__":
    main()
