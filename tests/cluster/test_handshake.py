"""Who may work: the same versions, memory for the table, and a warning about another BLAS."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest

from venire.cluster.handshake import (
    Facts,
    facts_of,
    inspector,
    loader,
    other_algebra,
    refuse_others,
    refuse_too_large,
    refuse_unloaded,
)
from venire.errors import VenireError

FORMATS = {"evidence format": "venire.validation.evidence.trial_files:FORMAT"}


def here() -> Facts:
    return facts_of("tcp://10.0.0.7:4000", inspector()())


def test_a_process_like_this_one_is_welcome() -> None:
    worker = here()
    refuse_others(worker, here())
    assert worker.versions["numpy"] == np.__version__
    loaded = asyncio.run(loader(FORMATS)())
    refuse_unloaded(worker, loaded, loaded)
    assert loaded["formats"]["evidence format"].startswith("venire trial")
    assert other_algebra(worker, loaded, loaded) is None


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({"venire": None}, "worker tcp://10.0.0.7:4000 has no venire"),
        ({"numpy": "1.0"}, "worker tcp://10.0.0.7:4000 has numpy 1.0, and this process has"),
        ({"scipy": None}, "has scipy not at all"),
        ({"Python": "3.2"}, "has Python 3.2"),
    ],
)
def test_one_with_other_versions_is_named(versions: dict[str, str | None], said: str) -> None:
    worker = here()
    with pytest.raises(VenireError, match=said):
        refuse_others(replace(worker, versions={**worker.versions, **versions}), here())


def test_other_evidence_is_refused_and_another_blas_is_warned_of() -> None:
    loaded = asyncio.run(loader(FORMATS)())
    other = {"formats": {"evidence format": "venire trial 1"}, "algebra": ["openblas 0.3 Nehalem"]}
    with pytest.raises(VenireError, match="venire trial 1"):
        refuse_unloaded(here(), other, loaded)
    with pytest.raises(VenireError, match="cannot load venire: ModuleNotFoundError: no core"):
        refuse_unloaded(here(), ModuleNotFoundError("no core"), loaded)
    assert "openblas 0.3 Nehalem" in str(other_algebra(here(), other, loaded))


def test_a_table_larger_than_a_worker_is_refused_before_it_travels() -> None:
    small = replace(here(), name="w3", memory=2.0**30)
    refuse_too_large(2**28, [small], 0.5)
    with pytest.raises(VenireError, match=r"the table takes 0.75 GiB, and worker w3 \(tcp://.*\) may take 1 GiB"):
        refuse_too_large(3 * 2**28, [here(), small], 0.5)
