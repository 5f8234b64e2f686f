"""The ten tables that budgets are tried on, from 150 rows to half a million, as files the command line reads.

Those of the shared folder are taken from there; where one is missing, a generated table of its size stands in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, make_classification, make_regression


@dataclass(frozen=True)
class Tried:
    """A table: its file in the shared folder, and its size for where it is not there."""

    name: str
    file: str
    target: str
    rows: int
    columns: int
    classes: int  # 0: numbers are predicted

    def path(self, data: Path, made: Path) -> tuple[Path, str]:
        """The file and the name of its target; one that stands in is written below `made`."""
        if self.file and (data / self.file).exists():
            return data / self.file, self.target
        path = made / f"{self.name}.csv"
        if not path.exists():
            _write(path, *self._stand_in())
        return path, "y"

    def _stand_in(self) -> tuple[np.ndarray, np.ndarray]:
        if self.name == "iris":
            X, y = load_iris(return_X_y=True)
            return X, y
        columns = self.columns - 1
        if not self.classes:
            X, y = make_regression(self.rows, columns, n_informative=columns // 2, noise=10.0, random_state=0)
        else:
            informative = max(4, columns // 2)
            X, y = make_classification(
                self.rows, columns, n_informative=informative, n_classes=self.classes, flip_y=0.1, random_state=0
            )
        return X, y


TABLES: Sequence[Tried] = (
    Tried("iris", "", "y", 150, 5, 3),
    Tried("auto_mpg", "auto_mpg.csv", "mpg", 398, 9, 0),
    Tried("soybean", "soybean.csv", "class", 683, 36, 19),
    Tried("credit_g", "credit_g.csv", "class", 1_000, 21, 2),
    Tried("ames", "ames.parquet", "price", 2_930, 82, 0),
    Tried("telco_churn", "telco_churn.csv", "Churn", 7_043, 21, 2),
    Tried("mammography", "mammography.csv", "class", 11_183, 7, 2),
    Tried("letter", "letter.parquet", "class", 20_000, 17, 26),
    Tried("adult", "adult.parquet", "income", 48_842, 15, 2),
    Tried("covertype", "covertype.parquet", "Cover_Type", 581_012, 55, 7),
)


def _write(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    names = [f"x{j}" for j in range(X.shape[1])]
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=",".join([*names, "y"]), comments="", fmt="%.6g")
