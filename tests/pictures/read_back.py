"""What a figure holds, read back from its specification."""

from __future__ import annotations

import json
from typing import Any


def rows_with(figure: Any, *keys: str) -> list[list[dict[str, Any]]]:
    """Every set of inline values whose rows have all these keys, in the order they are drawn."""
    spec = json.loads(json.dumps(figure.to_dict(), allow_nan=False))
    names: list[str] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            name = (node.get("data") or {}).get("name") if isinstance(node.get("data"), dict) else None
            if name is not None and name not in names:
                names.append(name)
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk({key: value for key, value in spec.items() if key != "datasets"})
    sets = [spec["datasets"][name] for name in names]
    return [rows for rows in sets if rows and set(keys) <= set(rows[0])]
