"""What a server did so far, as figures that Prometheus collects: counts and times, and never a value of a row."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import time

_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Histogram:
    """How often values were at most so large.

    >>> sizes = Histogram((1, 10)); sizes.observe(3); list(sizes.lines("n", 'a="b"'))[1]
    'n_bucket{a="b",le="10"} 1'
    """

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """One more."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def lines(self, name: str, labels: str = "") -> Iterator[str]:
        """In the text format."""
        total, before = 0, f"{labels}," if labels else ""
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self._counts, strict=True):
            total += count
            yield f'{name}_bucket{{{before}le="{bound}"}} {total}'
        inside = f"{{{labels}}}" if labels else ""
        yield f"{name}_sum{inside} {self._sum!r}"
        yield f"{name}_count{inside} {total}"


class Counters:
    """Everything that is counted. One event loop counts; nothing here locks."""

    def __init__(self) -> None:
        self.began = time()
        self.requests: Counter[tuple[str, int]] = Counter()  # route, status
        self.rows: Counter[str] = Counter()  # model
        self.unfit: Counter[tuple[str, str]] = Counter()  # model, what was wrong with the values
        self.reloads: Counter[tuple[str, str]] = Counter()  # model, how it went
        self.batches = Histogram(_SIZES)
        self.in_flight = 0
        self._seconds: dict[str, Histogram] = {}

    def answered(self, route: str, status: int, seconds: float) -> None:
        """One more request."""
        self.requests[route, status] += 1
        if route not in self._seconds:
            self._seconds[route] = Histogram(_SECONDS)
        self._seconds[route].observe(seconds)

    def text(self, versions: Sequence[tuple[str, str]]) -> str:
        """All of it, in Prometheus' text format; `versions` are the models there are."""
        return "\n".join([*self._counted(), *self._measured(versions), ""])

    def _counted(self) -> Iterator[str]:
        yield from _head("venire_requests_total", "counter", "Requests by route and status.")
        for (route, status), count in sorted(self.requests.items()):
            yield f'venire_requests_total{{route="{route}",status="{status}"}} {count}'
        yield from _head("venire_rows_total", "counter", "Rows predicted or explained.")
        for model, count in sorted(self.rows.items()):
            yield f'venire_rows_total{{model="{model}"}} {count}'
        yield from _head(
            "venire_unfit_values_total", "counter", "Values that did not fit the model, by what was wrong."
        )
        for (model, code), count in sorted(self.unfit.items()):
            yield f'venire_unfit_values_total{{model="{model}",code="{code}"}} {count}'
        yield from _head("venire_reloads_total", "counter", "Model files read anew, by how it went.")
        for (model, result), count in sorted(self.reloads.items()):
            yield f'venire_reloads_total{{model="{model}",result="{result}"}} {count}'

    def _measured(self, versions: Sequence[tuple[str, str]]) -> Iterator[str]:
        yield from _head("venire_request_seconds", "histogram", "Seconds from the head of a request to its answer.")
        for route, seconds in sorted(self._seconds.items()):
            yield from seconds.lines("venire_request_seconds", f'route="{route}"')
        yield from _head("venire_batch_requests", "histogram", "Requests predicted together.")
        yield from self.batches.lines("venire_batch_requests")
        yield from _head("venire_requests_in_flight", "gauge", "Requests being answered.")
        yield f"venire_requests_in_flight {self.in_flight}"
        yield from _head("venire_model_info", "gauge", "The models in service.")
        for name, version in versions:
            yield f'venire_model_info{{model="{name}",version="{version}"}} 1'
        yield from _head("process_start_time_seconds", "gauge", "When the server began.")
        yield f"process_start_time_seconds {self.began!r}"
        resident = resident_bytes()
        if resident is not None:
            yield from _head("process_resident_memory_bytes", "gauge", "Memory in use.")
            yield f"process_resident_memory_bytes {resident}"


def _head(name: str, kind: str, said: str) -> Iterator[str]:
    yield f"# HELP {name} {said}"
    yield f"# TYPE {name} {kind}"


def resident_bytes() -> int | None:
    """The memory of this process that is in use; None where the system does not say so in a file."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * 4096
