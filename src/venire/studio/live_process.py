"""The process that answers for one run while its page is open: it holds the table and the model.

Called as `python -m venire.studio.live_process HOME KEY`. A line of JSON in, a line of JSON out: what is asked, and the
answer or the error. It opens the files of its run and the table that the run was asked of, and nothing else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TextIO

from venire.errors import UsageError, VenireError
from venire.lean_imports import scikit_learn_alone
from venire.studio.page_words import error_facts


def main(home: Path, key: str, lines: TextIO, into: TextIO) -> int:
    """Answer line by line until there are no more."""
    answers: Any = None
    for line in lines:
        try:
            asked = json.loads(line)
            if answers is None:
                answers = _opened(home, key)
            said = {"answer": answers.answer(asked["what"], asked["with"])}
        except VenireError as error:
            said = {"error": error_facts(error)}
        except Exception as error:  # somebody's estimator may raise anything
            said = {"error": {"code": "internal", "message": f"it failed: {type(error).__name__}", "hint": None}}
        into.write(json.dumps(said, allow_nan=False) + "\n")
        into.flush()
    return 0


def _opened(home: Path, key: str) -> Any:
    scikit_learn_alone()
    from venire.persist import load
    from venire.studio.kept_models import MODEL, kept_file
    from venire.studio.live_answers import LiveAnswers
    from venire.validation.evidence.recipes import read_recipe
    from venire.validation.evidence.runs import Runs
    from venire.validation.subject import as_table

    folder = home / "runs" / Runs(home).find(key).key
    recipe, model = read_recipe(folder), kept_file(folder, MODEL)
    if recipe is None or model is None:
        raise UsageError("the model of this run is not kept", code="no_model", hint="have it prepared")
    named = ("positive", "groups", "time", "weights", "task", "drop", "numeric", "categorical", "boolean", "date",
             "missing", "default_missing", "header", "delimiter", "quote", "decimal", "encoding", "sheet",
             "max_unpacked", "kinds")  # fmt: skip
    reading = {name: recipe[name] for name in named if name in recipe}
    return LiveAnswers(as_table(recipe["source"], recipe.get("target"), **reading), load(model))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.stdin, sys.stdout))
