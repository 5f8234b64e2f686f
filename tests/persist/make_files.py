"""Write the model files that the tests read, and what each predicts: `python -m tests.persist.make_files`.

A file that is there is left as it is: what one version wrote, every later one has to read.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.persist.fitted import MODELS, said
from venire.persist.model_files import to_bytes

FILES = Path(__file__).parent / "files"
EXPECTED = FILES / "expected.json"


def plain(answers: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Answers as JSON: numbers as hexadecimal, which loses no bit."""
    return {name: [_text(value) for value in np.ravel(one).tolist()] for name, one in answers.items()}


def _text(value: Any) -> Any:
    return value.hex() if isinstance(value, float) else value


def main() -> int:
    expected = json.loads(EXPECTED.read_text()) if EXPECTED.exists() else {}
    for name, fit in MODELS.items():
        file = FILES / f"{name}.venire"
        if not file.exists():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = fit()
                expected[name] = plain(said(model))
                EXPECTED.write_text(json.dumps(expected, indent=1) + "\n")
                file.write_bytes(to_bytes(model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
