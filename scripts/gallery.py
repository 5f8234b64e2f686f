"""Draw the gallery: every picture from data that ship with venire, and the page that says how to ask for each.

python scripts/gallery.py            writes docs/gallery.md and docs/gallery/*.svg
python scripts/gallery.py --page     writes the page alone
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

import venire as vn
from venire import pictures
from venire.data.datasets import dataset, load
from venire.data.generators import banana, chi_square, linear_sinusoid, linear_sinusoid_truth
from venire.inference.decomposition import bias_variance
from venire.models.gradient_ascent import logistic_ascent
from venire.report.charts.figure import Figure

DOCS = Path(__file__).parents[1] / "docs"
SEED = 0
HEAD = """# Gallery

Every picture is one Vega-Lite specification, to be had three ways: in the report, in a notebook, and as a file. Each
call gives a `Figure`, which shows itself without a network; `figure.save("roc.svg")` writes SVG, PNG, PDF, HTML or
JSON. On the command line the name in the last column draws the picture of your own table:

    venire compare bank.csv --target class --save-plot roc=roc.svg
    venire compare bank.csv --target class --report bank.html --plot kappa_error
    venire report RUN --save-plot roc=roc.svg

The first writes a file. The second draws the picture in the report, besides those it has. The third takes a run that
was kept, and has what its report has.

The pictures below are drawn from data that ship with venire, by `scripts/gallery.py`. Of a long table, those of models
at work show rows at equal distances.

| picture | call | in the report | name |
|---|---|---|---|
"""


class Entry(NamedTuple):
    """A picture of the gallery: how it is asked for, whether a report has it, and how it is drawn here."""

    name: str
    title: str
    call: str
    report: str
    saved_as: str  # the name for --save-plot and --plot
    draw: Callable[[], Figure]


def _banana(rows: int = 200) -> tuple[Any, Any]:
    return banana(rows, np.random.default_rng(SEED))


@cache
def _verdict() -> vn.Verdict:
    models = ["baseline", "naive_bayes", "logistic", "tree", "knn", "svm"]
    return vn.compare(load("banknotes"), models=models, folds=5, budget=None, jobs=1, seed=SEED)


@cache
def _regression() -> vn.Verdict:
    X, y = linear_sinusoid(150, np.random.default_rng(SEED))
    return vn.compare(X, y, models=["baseline", "linear", "knn", "tree"], folds=5, budget=None, jobs=1, seed=SEED)


def _of_verdict(name: str, *arguments: Any, **options: Any) -> Callable[[], Figure]:
    return lambda: getattr(_verdict().plot, name)(*arguments, **options)


def _of_numbers(name: str) -> Callable[[], Figure]:
    return lambda: getattr(_regression().plot, name)()


def _boundary() -> Figure:
    X, y = _banana()
    seen = np.arange(len(y)) % 2 == 0
    model = vn.DecisionTreeClassifier(min_samples_leaf=5).fit(X[seen], y[seen])
    return pictures.decision_boundary(model, X, y, in_bag=seen)


def _members() -> Figure:
    X, y = _banana(120)
    return pictures.member_boundaries(vn.BaggingClassifier(n_estimators=50, random_state=SEED).fit(X, y), X, y)


def _rounds() -> Figure:
    X, y = _banana(120)
    return pictures.boosting_rounds(vn.AdaBoostClassifier(n_estimators=40, random_state=SEED).fit(X, y), X, y)


def _stages() -> Figure:
    X, y = linear_sinusoid(80, np.random.default_rng(SEED))
    model = vn.AdditiveRegressor(vn.DecisionTreeRegressor(max_depth=2), n_estimators=10, random_state=SEED)
    return pictures.residual_stages(model.fit(X, y), X, y, stages=(1, 2, 10))


def _tree() -> Figure:
    days = pd.read_csv(dataset("play_golf").path, dtype=str)
    tree = vn.DecisionTreeClassifier(criterion="entropy", categorical="multiway")
    return pictures.tree_diagram(tree.fit(days.drop(columns="play"), days["play"]))


def _forest() -> Figure:
    rng = np.random.default_rng(SEED)
    (X, y), (new_X, new_y) = chi_square(400, rng), chi_square(1500, rng)
    return pictures.forest_curves(X, y, new_X, new_y, trees=60, seed=SEED)


def _kappa() -> Figure:
    rng = np.random.default_rng(SEED)
    (X, y), (new_X, new_y) = chi_square(500, rng), chi_square(1000, rng)
    forest = vn.RandomForestClassifier(n_estimators=30, random_state=SEED).fit(X, y)
    return pictures.kappa_error(forest, new_X, new_y)


def _bias() -> Figure:

    def truth(X: Any) -> Any:
        return linear_sinusoid_truth(X[:, 0])

    return pictures.bias_and_variance(bias_variance(LinearRegression(), linear_sinusoid, 50, truth=truth, seed=SEED))


def _votes() -> Figure:
    iris = load("iris")
    labels = np.array(iris.target.labels, dtype=object)[iris.y] if iris.target else iris.y
    model = vn.OneVsOneClassifier(vn.DecisionTreeClassifier(max_depth=2)).fit(iris.X, labels)
    return pictures.one_vs_one_votes(model, iris.X[[0, 70, 77, 100, 106, 119]])


def _ascent() -> Figure:
    X, y = _banana()
    return pictures.ascent_history(logistic_ascent((X - X.mean(axis=0)) / X.std(axis=0), y, eta=0.5))


def _selected() -> Figure:
    iris = load("iris")
    return pictures.selection_path(vn.select(iris, model="naive_bayes", folds=5, seed=SEED, jobs=1))


_ASKED, _CHOSEN = "with `--plot`", "where it is chosen, or with `--plot`"
_WORDS = {"coefficients": ("logistic",)}


def _of_words(name: str, title: str, report: str, *words: str) -> Entry:
    """A picture of a verdict that is asked for with these words."""
    given = ", ".join(f'"{word}"' for word in words)
    saved_as = f"{name}:{','.join(words)}" if words else name
    return Entry(name, title, f"verdict.plot.{name}({given})", report, saved_as, _of_verdict(name, *words))


def _verdict_entries() -> list[Entry]:
    """The pictures of a verdict: one specification each for the report, for a notebook and for files."""
    told = [
        ("errors", "Every model, measured in three ways"),
        ("fold_errors", "Fold by fold"),
        ("roc", "ROC with hull, iso-cost line and operating point"),
        ("precision_recall", "Precision and recall"),
        ("threshold_cost", "What a threshold costs"),
        ("cost_curve", "Cost curve"),
        ("calibration", "Calibration"),
        ("confusion", "Confusion matrix"),
        ("paths", "Error against complexity"),
        ("selection", "How steady the choice is"),
        ("importance", "Importance of columns, with intervals"),
        ("learning_curve", "Learning curve"),
        ("pairwise", "Every pair: P(better)"),
        ("kappa_error", "κ and error of the models"),
        ("tree", "The tree of a verdict"),
        ("coefficients", "Coefficients of a linear model"),
        ("shapley", "Shapley values"),
    ]
    seen = {"kappa_error": _ASKED, "tree": _CHOSEN, "coefficients": _CHOSEN}  # in the report
    return [
        _of_words(name, title, seen.get(name, "yes"), *_WORDS.get(name, ()))
        for name, title in told
    ] + [
        _of_words("dependence", "Partial dependence", "yes", "diagonal"),
        _of_words("difference", "Posterior of a difference", _ASKED, "svm", "tree"),
        _of_words("boundary", "Boundary on two columns of a table", _ASKED, "left", "right"),
        Entry("scatter", "Predicted and actual", "verdict.plot.scatter()", "yes", "scatter", _of_numbers("scatter")),
        Entry("residuals", "Residuals", "verdict.plot.residuals()", "yes", "residuals", _of_numbers("residuals")),
    ]  # fmt: skip


def _model_entries() -> list[Entry]:
    """The pictures of models, ensembles and beliefs: functions of `venire.pictures`."""
    told: list[tuple[str, str, str, str, Callable[[], Figure]]] = [
        ("decision_boundary", "Decision boundary, in and out of bag", "model, X, y, in_bag=rows",
         "boundary:age,income", _boundary),
        ("tree_diagram", "Tree diagram, with a slider where it is deep", "tree", "tree", _tree),
        ("member_boundaries", "Members of a bagging, and their average", "bagging, X, y",
         "member_boundaries:age,income", _members),
        ("forest_curves", "Forest error and correlation against q and T", "X, y, new_X, new_y",
         "forest_curves", _forest),
        ("boosting_rounds", "Boosting, round by round", "boosting, X, y", "boosting_rounds:age,income", _rounds),
        ("boosting_alpha", "α and weight multipliers against ε", "", "boosting_alpha", pictures.boosting_alpha),
        ("residual_stages", "Stagewise fits of residuals", "model, X, y", "residual_stages:age", _stages),
        ("one_vs_one_votes", "Votes of one against one", "model, X", "one_vs_one_votes:tree", _votes),
        ("ascent_history", "Gradient ascent", "ascent", "ascent_history:age,income", _ascent),
        ("kappa_error", "κ and error of members", "forest, X, y", "kappa_error:forest", _kappa),
        ("bias_and_variance", "Bias and variance", "parts", "bias_and_variance:age,tree", _bias),
        ("selection_path", "Forward or backward path", "selected", "selection_path:forward", _selected),
        ("accuracy_posterior", "Posterior of an accuracy", "67, 100, guessing=0.5", "accuracy_posterior",
         lambda: pictures.accuracy_posterior(67, 100, guessing=0.5)),
    ]  # fmt: skip
    return [
        Entry(f"pictures_{name}", title, f"pictures.{name}({given})", _ASKED, saved_as, draw)
        for name, title, given, saved_as, draw in told
    ]


def entries() -> list[Entry]:
    """The gallery in reading order."""
    return [*_verdict_entries(), *_model_entries()]


def page(listed: list[Entry]) -> str:
    """The page: a table of what there is and how to ask for it, then the pictures."""
    rows = "".join(f"| {e.title} | `{e.call}` | {e.report} | `{e.saved_as}` |\n" for e in listed)
    shown = "".join(f"\n## {e.title}\n\n![{e.title}](gallery/{e.name}.svg)\n" for e in listed)
    return HEAD + rows + shown


_REPEATED = 10  # times from which a shape is drawn once and used again


def smaller(svg: str) -> str:
    """The same drawing in fewer bytes."""
    # What a screen reader says of every single mark is as long as the drawing itself; the page describes it whole.
    svg = re.sub(r' (aria-[a-z]+|role|class|pointer-events|stroke-miterlimit)="[^"]*"| opacity="1"', "", svg)
    # A tenth of a point is more than can be seen; figures in words keep their digits.
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d\.\d)\d+", r"\1", tag[0]), svg)
    shapes = Counter(re.findall(r'<path [^>]*\bd="([^"]{30,})"[^>]*/>', svg))
    names = {shape: f"s{at}" for at, (shape, times) in enumerate(shapes.most_common()) if times >= _REPEATED}
    for shape, name in names.items():
        svg = re.sub(rf'<path ([^>]*)\bd="{re.escape(shape)}"', rf'<use \1href="#{name}"', svg)
    once = "".join(f'<path id="{name}" d="{shape}"/>' for shape, name in names.items())
    return re.sub(r"(<svg [^>]*>)", rf"\1<defs>{once}</defs>", svg, count=1) if once else svg


def draw(listed: list[Entry], folder: Path) -> int:
    """Draw all of them into a folder; the bytes that they take together."""
    folder.mkdir(parents=True, exist_ok=True)
    total = 0
    for entry in listed:
        svg = smaller(entry.draw().svg())
        (folder / f"{entry.name}.svg").write_text(svg, encoding="utf-8")
        total += len(svg.encode())
    return total


def main(wanted: str = "") -> None:
    """Write the page, and draw the pictures unless the page alone is wanted."""
    listed = entries()
    (DOCS / "gallery.md").write_text(page(listed), encoding="utf-8")
    if wanted != "--page":
        sys.stdout.write(f"{draw(listed, DOCS / 'gallery'):,} bytes of pictures\n")


if __name__ == "__main__":
    main(*sys.argv[1:2])
