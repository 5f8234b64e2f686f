"""Trial files that were made elsewhere: checked before they count."""

from __future__ import annotations

import os
from pathlib import Path

from venire.data.table import Table
from venire.validation.evidence.evidence import Evidence, FamilyKey
from venire.validation.evidence.expected import Expected
from venire.validation.evidence.trial_files import Damaged, OnDisk
from venire.validation.plans.plan import Plan, Trial


class Arrivals:
    """A folder where files wait until they have been checked by what a table and a plan let expect."""

    def __init__(self, table: Table, plan: Plan, folder: Path) -> None:
        self._checked = OnDisk(folder, Expected.of(table, plan))

    def keep(self, evidence: Evidence, family: FamilyKey, trial: Trial, content: bytes) -> bool:
        """Keep a trial file whose checksum and contents are right, unless the trial is there; whether they are."""
        path = self._checked.path(family, trial)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        try:
            record = self._checked.verified(family, trial, path)
            if not isinstance(evidence, OnDisk):
                evidence.put(family, trial, record.outcome())
            elif evidence.finished(family, trial) is None:  # the first intact one stays
                evidence.adopt(family, trial, content)
        except Damaged:
            return False
        finally:
            os.unlink(path)
        return True
