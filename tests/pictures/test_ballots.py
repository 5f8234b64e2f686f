import numpy as np
import pytest
from sklearn.datasets import load_iris

from tests.pictures.read_back import rows_with
from venire import DecisionTreeClassifier, OneVsOneClassifier
from venire.errors import UsageError
from venire.pictures import one_vs_one_votes

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("voting", ["crisp", "weighted"])
def test_the_votes_are_those_of_the_pairs(voting):
    model = OneVsOneClassifier(DecisionTreeClassifier(max_depth=2), voting=voting).fit(X, Y)
    rows = X[[0, 70, 120]]
    figure = one_vs_one_votes(model, rows)
    panels = rows_with(figure, "class", "votes", "weighted")
    for i, row in enumerate(rows):  # the plain count
        counted, strong = np.zeros(3), np.zeros(3)
        for (a, b), pair in zip(model.pairs_, model.estimators_, strict=True):
            p = pair.predict_proba(row[None])[0, 1]
            counted[b if p > 0.5 else a] += 1
            strong[[a, b]] += [1 - p, p]
        assert [p["votes"] for p in panels[i]] == counted.tolist()
        assert [p["weighted"] for p in panels[i]] == pytest.approx(strong, abs=1e-4)
        assert [p["class"] for p in panels[i] if p["won"] == "wins"] == [str(model.predict(row[None])[0])]


def test_only_so_many_rows_fit():
    with pytest.raises(UsageError, match="1 to 12 rows"):
        one_vs_one_votes(None, X, rows=13)
