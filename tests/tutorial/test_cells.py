"""The notebooks are run, cell by cell, and print the figures of the literature."""

import pytest

from tests.textbook_figures import GOLF
from venire.tutorial.cells import notebook
from venire.tutorial.table_of_contents import LESSONS, find

PRINTED = {
    "golf": [
        *GOLF,
        "|--- outlook = overcast",
    ],
    "bayes": ["P(rain | cloud) = 0.125", "P(low) = 1/1003", "P(high) = 11/1003"],
    "overfitting": ["bias² 1.97 + variance 0.25 + noise 0.04 = 2.29"],
    "matrix": ["accuracy 96.50%, error 3.50%", "sensitivity 30.00%, specificity 98.56%", "precision 39.13%, F1 33.96%"],
    "roc": [
        "'high' from 5 gears on: 3/15 found, 2/17 false alarms",
        "'high' from 4 gears on: 13/15 found, 4/17 false alarms",
        "AUC = 0.788; counted over 255 pairs 0.788",
    ],
    "two-layers": ["15 trials for 5 folds, where the plain loops take 25"],
    "majority": ["0.06", "correlation 0.5: 0.550 of ten, 0.505 of 100"],
    "bagging": ["out of bag 23.0%"],
    "forest": ["q =  4: 22.7% of new rows wrong"],
    "adaboost": [
        "[1 2 1 1 1 2]",
        "round 2: weights 0.071 0.071 0.071 0.071 0.071 0.071 0.071 0.167 0.167 0.167",
    ],
    "rare": [
        "accuracy 90%, balanced accuracy 0.5",
        "over: 16 rows, 8 common and 8 rare",
        "under: 4 rows, 2 common and 2 rare",
        "in between: 10 rows, 5 common and 5 rare",
    ],
    "pairs": ["crisp: [0.0, 1.0, 2.0] weighted: [0.04, 1.49, 1.47]"],
    "stacking": ["stack: 20.2% wrong"],
    "difference": ["6 of 8: [0.41, 0.94]", "67 of 100: [0.57, 0.76]"],
}  # fmt: skip


@pytest.mark.parametrize("name", [lesson.name for lesson in LESSONS])
def test_a_notebook_runs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for cell in notebook(find(name))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), name, "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in PRINTED[name] if line not in lines] == []
    assert [line for line in lines if len(line) > 80] == []  # a terminal of 80 columns breaks none of them
