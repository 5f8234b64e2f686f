"""Write the published JSON Schemas, docs/schema/*.json, from the types of the documents.

`make schema-files` writes them; a test checks that they are up to date.
"""

from __future__ import annotations

import json
from pathlib import Path

from venire.report.document.schema import DOCUMENTS, published

FOLDER = Path(__file__).parents[1] / "docs/schema"


def files() -> dict[str, str]:
    """What each file is to hold, by its name."""
    return {f"{kind}.json": json.dumps(published(kind), indent=2, ensure_ascii=False) + "\n" for kind in DOCUMENTS}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
