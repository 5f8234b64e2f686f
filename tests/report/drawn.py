"""What a drawn chart holds, read back from its specification."""

from __future__ import annotations

import json
from typing import Any


def inline_values(chart: Any, *keys: str) -> list[dict[str, Any]]:
    """The inline values of the layers that have all these keys."""
    sets = json.loads(json.dumps(chart.to_dict(), allow_nan=False))["datasets"].values()
    return next(rows for rows in sets if rows and set(keys) <= set(rows[0]))
