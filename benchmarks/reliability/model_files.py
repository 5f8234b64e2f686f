"""Model files that were damaged or made by hand: is every one refused, or loaded as a model that predicts?

    python -m benchmarks.reliability.model_files [--mutations 100000] [--folder build/fuzz/model_files]

Each mutation takes one of the files of the tests and changes bytes, cuts it, edits its header or its arrays, with the
checksum made right again in most cases, so that the checks behind it are reached. What loads is asked to predict rows
of zeros, of ones, of large numbers and of gaps. Anything but a `ModelFormatError` or an answer is a fault, and so is a
file that takes more than a second or 512 MB. A run that was stopped goes on where it was (`fuzzing`), and a short one
is in the tests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config

from benchmarks.reliability.fuzzing import Random, Tried, finish, sign_of
from venire.errors import ModelFormatError, VenireError
from venire.persist.model_files import from_bytes

FILES = Path(__file__).parents[2] / "tests" / "persist" / "files"
_START, _CHECKSUM = 24, 32
_STRANGE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 255, 2**31, 2**63, 10**30, -(2**63), 0.5, 1e308, "", "nan", "linear", "kind", [],
    {}, [0], {"array": 0}, {"array": 10**9}, {"float": "nan"}, {"float": "inf"}, {"tuple": []}, {"dict": []},
    {"texts": []},
    {"objects": [None]}, {"kind": "pipeline", "state": {}}, {"kind": "os.system", "state": {"command": "true"}},
)  # fmt: skip
_NUMBERS = (np.nan, np.inf, -np.inf, 0.0, -1.0, 1e300, -1e300, 5e-324)


def sealed(head: bytes, text: bytes, arrays: bytes) -> bytes:
    """A file of these parts whose lengths and checksum are right."""
    text += b" " * (-(_START + len(text)) % 8)
    body = head[:12] + struct.pack("<IQ", len(text), _START + len(text) + len(arrays) + _CHECKSUM) + text + arrays
    return body + hashlib.sha256(body).digest()


def parts(data: bytes) -> tuple[bytes, bytes, bytes]:
    """Frame, header and arrays."""
    (length,) = struct.unpack_from("<I", data, 12)
    end = _START + length
    return data[:_START], data[_START:end], data[end:-_CHECKSUM]


def flipped(data: bytes, rng: Random) -> bytes:
    """Some bytes changed."""
    changed = bytearray(data)
    for at in rng.integers(0, len(changed), rng.integers(1, 9)) if changed else ():
        changed[at] = int(rng.integers(0, 256))
    return bytes(changed)


def damaged(data: bytes, rng: Random) -> bytes:
    """Bytes changed anywhere, the checksum left as it was."""
    return flipped(data, rng)


def flipped_header(data: bytes, rng: Random) -> bytes:
    """Bytes of the header changed, the checksum right."""
    head, text, arrays = parts(data)
    return sealed(head, flipped(text, rng), arrays)


def flipped_arrays(data: bytes, rng: Random) -> bytes:
    """Bytes of the arrays changed, the checksum right."""
    head, text, arrays = parts(data)
    return sealed(head, text, flipped(arrays, rng))


def strange_numbers(data: bytes, rng: Random) -> bytes:
    """One number of an array replaced by one that computes badly."""
    head, text, arrays = parts(data)
    changed = bytearray(arrays)
    listed = [entry for entry in json.loads(text)["arrays"] if np.prod(entry[1])]
    if listed:
        kind, shape, _, at = listed[rng.integers(len(listed))]
        view = np.frombuffer(changed, dtype=kind, count=int(np.prod(shape)), offset=at)
        value = _NUMBERS[rng.integers(len(_NUMBERS))] if view.dtype.kind == "f" else rng.integers(-3, 300)
        with np.errstate(all="ignore"):
            view[rng.integers(len(view))] = np.array(value).astype(kind)
    return sealed(head, text, bytes(changed))


def cut(data: bytes, rng: Random) -> bytes:
    """Some bytes missing or added at the end, with all lengths and checksums right or none."""
    head, text, arrays = parts(data)
    if rng.random() < 0.5:
        return data[: rng.integers(0, len(data))]
    longer = arrays + bytes(8 * int(rng.integers(0, 9)))
    return sealed(head, text, longer[: rng.integers(0, len(longer) + 1)])


def edited(data: bytes, rng: Random) -> bytes:
    """Nodes of the header replaced, taken away, doubled, or exchanged with another."""
    head, text, arrays = parts(data)
    tree = json.loads(text)
    for _ in range(rng.integers(1, 4)):
        places = list(places_in(tree))
        if places:
            edit_one(places, rng)
    return sealed(head, json.dumps(tree).encode(), arrays)


def places_in(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) in the tree."""
    for key in list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield node, key
        yield from places_in(node[key])


def edit_one(places: list[tuple[Any, Any]], rng: Random) -> None:
    node, key = places[rng.integers(len(places))]
    other, place = places[rng.integers(len(places))]
    way = rng.integers(5)
    if way == 0:
        node[key] = deepcopy(_STRANGE[rng.integers(len(_STRANGE))])
    elif way == 1:
        del node[key]
    elif way == 2:
        node[key] = deepcopy(other[place])
    elif way == 3 and isinstance(node, list):
        node.insert(int(key), deepcopy(node[key]))
    elif isinstance(node[key], int | float) and not isinstance(node[key], bool):
        node[key] = node[key] + int(rng.integers(-2, 3)) if rng.random() < 0.7 else -node[key]


MUTATIONS: tuple[Callable[[bytes, Random], bytes], ...] = (
    damaged, flipped_header, flipped_arrays, strange_numbers, cut, edited, edited, edited,
)  # fmt: skip


def tried(data: bytes) -> Tried:
    """Whether these bytes are refused or loaded, and what is wrong with that."""
    try:
        model, _ = from_bytes(data)
    except ModelFormatError as error:
        return Tried("refused", sign_of(error.message))
    except Exception as error:
        return Tried("fault", "", f"load raised {type(error).__name__}: {str(error)[:200]}")
    return Tried("loaded", f"loaded {type(model).__name__}", _asked(model))


def _asked(model: Any) -> str:
    columns = int(getattr(model, "n_features_in_", 1))
    method = "outputs" if hasattr(model, "outputs") else "predict" if hasattr(model, "predict") else "transform"
    codes = method != "predict"  # of categories, which a table's own matrix has: no number beside them makes sense
    for value in (0.0, 1.0, 2.0, np.nan) if codes else (0.0, 1.0, -1e6, 1e6, np.nan):
        try:
            with parallel_config(backend="sequential", n_jobs=1):
                answer = np.asarray(getattr(model, method)(np.full((3, columns), value)))
        except VenireError:
            continue  # codes, for example, that no column of categories can have
        except Exception as error:
            if np.isnan(value) and "NaN" in str(error):
                continue  # many learners take no gaps, and say so
            return f"{method} raised {type(error).__name__}: {str(error)[:200]}"
        if answer.shape[:1] != (3,):
            return f"{method} gave {answer.shape} for three rows"
    return ""


class ModelFiles:
    """The files of the tests, one of each kind."""

    name = "model_files"

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = files

    def seeds(self) -> list[tuple[str, bytes]]:
        """All of them."""
        return [(file.stem, file.read_bytes()) for file in self._files]

    def mutated(self, name: str, data: bytes, rng: Random) -> tuple[str, bytes]:
        """One of the ways; a file that is not sound enough for it has bytes changed."""
        mutate = MUTATIONS[rng.integers(len(MUTATIONS))]
        try:
            return mutate.__name__, mutate(data, rng)
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, struct.error):
            return damaged.__name__, damaged(data, rng)

    def tried(self, name: str, data: bytes) -> Tried:
        """Load it and let it predict."""
        return tried(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=100_000)
    return finish("reliability-model-files", parser, ModelFiles(sorted(FILES.glob("*.venire"))), __spec__.name)


if __name__ == "__main__":
    sys.exit(main())
