"""CRC-32 by folding, against zlib."""

from __future__ import annotations

import os
import subprocess
import sys
from zlib import crc32

import numpy as np
import pytest

from venire._core import folded_crc32, simd_level


@pytest.mark.parametrize("start", [0, 1, 0xFFFFFFFF, 0x12345678])
@pytest.mark.parametrize("size", [0, 1, 15, 16, 127, 128, 129, 143, 144, 191, 192, 193, 255, 256, 1000, 100_003])
def test_it_is_zlibs(size: int, start: int) -> None:
    data = np.random.default_rng(size).integers(0, 256, size + 3, dtype=np.uint8)
    for first in range(3):  # wherever the bytes begin
        part = data[first : first + size]
        assert folded_crc32(part, start) in (crc32(part.tobytes(), start), None)


def test_who_has_wide_vectors_can_fold() -> None:
    assert (folded_crc32(np.zeros(200, np.uint8), 0) is None) == (simd_level() == "baseline")


def test_without_wide_vectors_zlib_does_it() -> None:
    program = (
        "from zlib import crc32; from venire.disk.checksums import checksum; data = bytes(range(256)) * 64;"
        "assert checksum(b'abc', data) == crc32(b'abc' + data); print('same')"
    )
    for simd in ("baseline", "avx2", "widest"):
        settings = {**os.environ, "VENIRE_SIMD": simd}
        ran = subprocess.run([sys.executable, "-c", program], env=settings, capture_output=True, text=True, check=True)
        assert ran.stdout == "same\n"
