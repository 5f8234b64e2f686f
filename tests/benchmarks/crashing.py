"""A target of the fuzzer that behaves badly: one file crashes it, and one it reads as nonsense."""

from __future__ import annotations

import argparse
import os
import sys

from benchmarks.reliability.fuzzing import Random, Tried, finish

CRASHES, NONSENSE = 3, 5
_LONG = 200_001  # too long to become a seed: so each number tries the file of its own


class Crashing:
    """Reads a byte; some bytes it does not survive."""

    name = "crashing"

    def seeds(self) -> list[tuple[str, bytes]]:
        return [(f"seed{number}", bytes([number]) * _LONG) for number in range(8)]

    def mutated(self, name: str, data: bytes, rng: Random) -> tuple[str, bytes]:
        return "none", data

    def tried(self, name: str, data: bytes) -> Tried:
        if data[0] == CRASHES:
            os.abort()
        return Tried("read", name, "read nonsense" if data[0] == NONSENSE else "")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutations", type=int, default=8)
    return finish("crashing", parser, Crashing(), "tests.benchmarks.crashing")


if __name__ == "__main__":
    sys.exit(main())
