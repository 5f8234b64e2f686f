"""The figures of a server, read by Prometheus' own parser of its text format."""

from __future__ import annotations

import pytest

from tests.serve.asking import Asked, ask
from tests.serve.hostile import ROW
from venire.serve.counters import MEDIA_TYPE, Counters

parser = pytest.importorskip("prometheus_client.parser", reason="of the group test: pip install prometheus-client")


def families(text: str) -> dict:
    found = list(parser.text_string_to_metric_families(text))
    assert len({family.name for family in found}) == len(found)
    return {family.name: family for family in found}


def test_every_figure_has_its_type_and_its_words(both):
    assert ask(both, Asked.json("/predict", ROW)).status == 200
    answer = ask(both, Asked.get("/metrics"))
    assert answer.headers["content-type"] == MEDIA_TYPE
    found = families(answer.body.decode())
    assert {name: family.type for name, family in found.items()} == {
        "venire_requests": "counter",
        "venire_rows": "counter",
        "venire_unfit_values": "counter",
        "venire_reloads": "counter",
        "venire_request_seconds": "histogram",
        "venire_batch_requests": "histogram",
        "venire_requests_in_flight": "gauge",
        "venire_model_info": "gauge",
        "process_start_time_seconds": "gauge",
        "process_resident_memory_bytes": "gauge",
    }
    assert all(family.documentation for family in found.values())
    assert {sample.labels["model"] for sample in found["venire_model_info"].samples} == {"kind", "amount"}


def test_buckets_add_up():
    counters = Counters()
    for seconds in (0.0001, 0.003, 0.003, 7.0, 99.0):
        counters.answered("/predict", 200, seconds)
    counters.answered("/predict", 503, 0.001)
    found = families(counters.text([("a", "0123")]))
    buckets = {
        float(sample.labels["le"]): sample.value
        for sample in found["venire_request_seconds"].samples
        if sample.name.endswith("_bucket")
    }
    assert (buckets[0.0005], buckets[0.002], buckets[0.005], buckets[10.0], buckets[float("inf")]) == (1, 2, 4, 5, 6)
    assert list(buckets.values()) == sorted(buckets.values())
    sums = {sample.name.rpartition("_")[2]: sample.value for sample in found["venire_request_seconds"].samples}
    assert (sums["count"], sums["sum"]) == (6, pytest.approx(106.0071))
    answered = {sample.labels["status"]: sample.value for sample in found["venire_requests"].samples}
    assert answered == {"200": 5, "503": 1}
