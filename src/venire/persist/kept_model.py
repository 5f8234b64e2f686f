"""The model that a verdict hands over: it can write itself to a file."""

from __future__ import annotations

import os
from pathlib import Path

from venire.ensembles.table_model import TableModel


class KeptModel(TableModel):
    """A `TableModel` that writes itself to a model file; what `Verdict.fit` gives, and what `venire.load` reads."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file that is data only, as `venire.save` does."""
        from venire.persist.model_files import save  # which makes models of this class

        return save(self, path)
