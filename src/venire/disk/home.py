"""Where venire keeps what it computed."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """`VENIRE_HOME`, or `.venire` under the working directory."""
    return Path(os.environ.get("VENIRE_HOME") or ".venire").absolute()
