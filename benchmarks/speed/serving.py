"""One row over HTTP: `venire serve` beside MLflow's scoring server with the same model file, on loopback.

Each server is a process of its own, and so are the clients; they share the machine's cores. Measured are a client that
asks one request after the other (p50, p99), many connections at once (requests a second, and the processor seconds that
a request costs the server), ten times as many connections as may wait (what is accepted, and how long that takes), and
memory at the beginning and in the end of `--requests` requests. Nothing leaves this machine.

MLflow's server comes with `mlflow-skinny`. BentoML's is measured where `--environments` has a folder `.venv-bentoml`
with it and venire; else the output says that it is not there.

    python -m benchmarks.speed.serving [--seconds 5] [--requests 1000000] [--environments .]
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


def free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
    return port


def write_model(path: Path, home: Path, family: str) -> dict[str, Any]:
    """A model file of the banknotes that ship with venire, and one row for it."""
    import venire

    table = load("banknotes")
    verdict = venire.compare(table, models=[family], folds=5, home=home, progress=False)
    verdict.save(path)
    return {column.name: float(table.X[0, j]) for j, column in enumerate(table.columns)}


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
def server(command: list[str], port: int, log: Path) -> Iterator[int]:
    """The process of a server that answers; it is stopped in the end."""
    with log.open("w") as stream:
        found = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"  # MLflow asks for uvicorn
        process = subprocess.Popen(
            command, stdout=stream, stderr=stream, start_new_session=True, env={**os.environ, "PATH": found}
        )
    try:
        for _ in range(1200):
            if process.poll() is not None:
                raise RuntimeError(f"the server has ended: {log.read_text()[-500:]}")
            try:
                line = HTTPConnection("127.0.0.1", port, timeout=5)
                line.request("GET", "/ping")
                if line.getresponse().status == 200:
                    break
            except OSError:
                time.sleep(0.25)
        else:
            raise RuntimeError(f"the server does not answer: {log.read_text()[-500:]}")
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


def one_and_many(run: Run, subject: str, pid: int, port: int, request: Path) -> None:
    """The figures that both servers have."""
    seconds = run.asked.seconds
    loaded(port, request, 4, 1.0)  # warm
    alone = loaded(port, request, 1, seconds)
    before = processor_seconds(pid)
    many = loaded(port, request, CONNECTIONS, seconds)
    spent = processor_seconds(pid) - before
    answers = many["statuses"].get("200", 0)
    print(
        f"{subject:<8} one client: p50 {1e3 * alone['p50']:.2f} ms, p99 {1e3 * alone['p99']:.2f} ms; "
        f"{CONNECTIONS} clients: {answers / many['seconds']:,.0f} requests/s, "
        f"{1e6 * spent / max(1, answers):.0f} µs of processor time each"
    )
    run.results.add("one client", subject, p50_ms=1e3 * alone["p50"], p99_ms=1e3 * alone["p99"])
    run.results.add(
        f"{CONNECTIONS} clients",
        subject,
        requests_per_second=answers / many["seconds"],
        processor_us_per_request=1e6 * spent / max(1, answers),
        p99_ms=1e3 * many["p99"],
    )


def overload(run: Run, pid: int, port: int, request: Path) -> None:
    before = megabytes(pid)
    found = loaded(port, request, 10 * WAITING - 300, run.asked.seconds)
    other = {status: count for status, count in found["statuses"].items() if status not in ("200", "429", "503")}
    accepted, refused = found["statuses"].get("200", 0), found["statuses"].get("503", 0)
    print(
        f"overload: {accepted:,} answered (p99 {1e3 * (found['p99'] or 0):.0f} ms), {refused:,} told to come again, "
        f"{sum(other.values())} others; memory {before:.0f} → {megabytes(pid):.0f} MB"
    )
    run.results.add(
        "overload",
        answered=accepted,
        refused=refused,
        others=sum(other.values()),
        p99_ms=1e3 * (found["p99"] or 0),
        growth_MB=megabytes(pid) - before,
    )


def length(run: Run, pid: int, port: int, request: Path) -> None:
    first = loaded(port, request, CONNECTIONS, 3600, max(1, run.asked.requests // 10))
    before = megabytes(pid)
    rest = loaded(port, request, CONNECTIONS, 36000, run.asked.requests - run.asked.requests // 10)
    after = megabytes(pid)
    count = sum(first["statuses"].values()) + sum(rest["statuses"].values())
    print(f"{count:,} requests: memory {before:.1f} → {after:.1f} MB")
    run.results.add("at length", requests=count, MB_after_a_tenth=before, MB_in_the_end=after)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--requests", type=int, default=1_000_000, help="of the run at length; 0 leaves it out")
    parser.add_argument("--family", default="boosting", help="of the model")
    parser.add_argument("--environments", type=Path, default=Path(), help="the folder with .venv-bentoml")
    run = Run.of("speed-serving", parser, free=("environments",))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        model, request = folder / "m.venire", folder / "request"
        row = write_model(model, folder / "home", run.asked.family)
        port = free_port()
        command = [sys.executable, "-m", "venire", "serve", str(model), "--port", str(port), "--quiet"]
        command += ["--max-waiting", str(WAITING)]
        with server(command, port, folder / "venire.log") as pid:
            request.write_bytes(request_bytes("/predict", row, port))
            one_and_many(run, "venire", pid, port, request)
            overload(run, pid, port, request)
            if run.asked.requests:
                length(run, pid, port, request)
        write_mlflow(model, folder / "mlflow")
        port = free_port()
        command = [sys.executable, "-m", "mlflow", "models", "serve", "--model-uri", str(folder / "mlflow")]
        command += ["--env-manager", "local", "--port", str(port), "--workers", "1"]
        try:
            with server(command, port, folder / "mlflow.log") as pid:
                request.write_bytes(request_bytes("/invocations", {"dataframe_records": [row]}, port))
                one_and_many(run, "mlflow", pid, port, request)
        except RuntimeError as error:
            print(f"mlflow: not measured: {error}")
        if not (run.asked.environments / ".venv-bentoml").exists():
            print("bentoml: not measured: there is no .venv-bentoml")
    run.finish()


if __name__ == "__main__":
    main()
