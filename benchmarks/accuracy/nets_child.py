"""RealMLP on one table, in the environment that has it: reads rows.npz, writes rows.out.npz. Started by `nets`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor


def main(path: Path, numbers: bool) -> None:
    torch.set_num_threads(1)
    given = np.load(path)
    categorical = [f"c{j}" for j in given["categorical"]]

    def frame(X: np.ndarray) -> pd.DataFrame:
        table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
        for name in table.columns:
            if name in categorical:
                table[name] = (
                    table[name].map(lambda code: "none" if code != code else str(int(code))).astype("category")
                )
            else:  # it takes no gaps in numbers
                table[name] = table[name].fillna(table[name][: len(given["X"])].median())
        return table

    both = frame(np.concatenate([given["X"], given["test"]]))
    train, test = both.iloc[: len(given["X"])], both.iloc[len(given["X"]) :]
    began = time.process_time()
    given_to_both = {"device": "cpu", "random_state": 0, "n_threads": 1}
    if numbers:
        model = RealMLP_TD_Regressor(**given_to_both)
    else:  # what its authors advise where the log loss counts
        model = RealMLP_TD_Classifier(val_metric_name="cross_entropy", use_ls=False, **given_to_both)
    model.fit(train, given["y"], cat_col_names=categorical)
    said = model.predict(test) if numbers else model.predict_proba(test)
    classes = np.array([]) if numbers else model.classes_
    np.savez(path.with_suffix(".out.npz"), said=said, classes=classes, seconds=time.process_time() - began)


if __name__ == "__main__":
    main(Path(sys.argv[1]), bool(int(sys.argv[2])))
