"""How good is it? The confusion matrix, ROC curves, two layers of folds, rare classes, and real differences."""

from __future__ import annotations

from collections.abc import Generator


def matrix() -> Generator[str, None, None]:
    """The confusion matrix: what accuracy does not say"""
    yield "10,000 people, 300 of them ill. A test finds 90 of these, misses 210, and frightens 140 healthy ones."
    import numpy as np

    from venire.metrics import confusion_matrix

    ill, said = np.repeat(
        [[1, 1, 0, 0], [1, 0, 1, 0]], [90, 210, 140, 9560], axis=1
    )
    found = confusion_matrix(ill, said, [0, 1], positive=1)
    print(f"accuracy {found.accuracy:.2%}, error {found.error:.2%}")
    yield "It is right on 96.5 % of all people. Of the ill it finds three in ten, and six of ten alarms are false."
    print(
        f"sensitivity {found.recall():.2%}, "
        f"specificity {found.specificity():.2%}"
    )
    print(f"precision {found.precision():.2%}, F1 {found.f_beta():.2%}")


def roc() -> Generator[str, None, None]:
    """The ROC curve: every threshold at once"""
    yield "32 cars with 3, 4 or 5 gears; 15 of them have a high mileage. How well do gears tell them?"
    import numpy as np

    from venire.metrics import roc_curve

    gears = np.repeat([3.0, 3.0, 4.0, 4.0, 5.0, 5.0], [13, 2, 2, 10, 2, 3])
    high = np.repeat(
        [False, True, False, True, False, True], [13, 2, 2, 10, 2, 3]
    )
    curve = roc_curve(high, gears)
    for least, fpr, tpr in zip(
        curve.thresholds[1:], curve.fpr[1:], curve.tpr[1:], strict=True
    ):
        print(
            f"'high' from {least:.0f} gears on: {tpr * 15:.0f}/15 found, "
            f"{fpr * 17:.0f}/17 false alarms"
        )
    yield "The area under the curve is the probability that a car of high mileage has more gears (ties: half)."
    pairs = [
        (one > other) + (one == other) / 2
        for one in gears[high]
        for other in gears[~high]
    ]
    print(
        f"AUC = {curve.auc:.3f}; counted over {len(pairs)} pairs "
        f"{np.mean(pairs):.3f}"
    )


def two_layers() -> Generator[str, None, None]:
    """Two layers of folds: an honest error after choosing"""
    yield "Labels that are coin flips. Half of all new rows will be wrong. Nine settings of k are tried."
    import numpy as np
    from sklearn.neighbors import KNeighborsClassifier

    from venire.validation import one_layer, two_layer

    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 2, 60)
    ways = {"n_neighbors": [31, 21, 15, 11, 9, 7, 5, 3, 1]}
    nearest = KNeighborsClassifier()
    flattered = one_layer(nearest, X, y, grid=ways, folds=5).error
    print(f"one layer: {flattered:.0%} wrong")
    yield (
        "One layer reports the best of nine noisy figures. Two layers choose without the rows that judge: for every "
        "outer fold, the setting is chosen on the others."
    )
    found = two_layer(KNeighborsClassifier(), X, y, grid=ways, folds=5)
    print(
        f"two layers: {found.error:.0%} wrong; "
        f"optimism of one layer {found.optimism:.0%}"
    )
    print(f"{found.trials} trials for 5 folds, where the plain loops take 25")


def rare() -> Generator[str, None, None]:
    """Rare classes: 37 frauds among 380 banknotes"""
    yield "Who always says 'normal' is right on nine notes in ten, and finds nothing."
    import numpy as np

    from venire.data.datasets import load
    from venire.metrics import confusion_matrix

    notes = load("banknotes")
    assert notes.target is not None
    labels = notes.target.labels
    fraud, normal = labels.index("fraud"), labels.index("normal")
    lazy = confusion_matrix(
        notes.y, np.full(len(notes.y), normal), labels, positive=fraud
    )
    print(
        f"accuracy {lazy.accuracy:.0%}, "
        f"balanced accuracy {lazy.balanced_accuracy}"
    )
    yield "Ten rows, of which 6 and 8 are rare. Over-sampling repeats them, under-sampling drops others."
    from venire.reductions.resampling import resampled_rows

    ten = np.isin(np.arange(1, 11), [6, 8])
    for name, ratio in {"over": 1.0, "under": 0.0, "in between": 0.5}.items():
        common, few = np.bincount(
            ten[resampled_rows(ten, ratio, np.random.default_rng(0))].astype(
                int
            )
        )
        print(f"{name}: {common + few} rows, {common} common and {few} rare")
    yield "Better: say what mistakes cost. A missed fraud as much as nine false alarms moves the threshold."
    from sklearn.model_selection import cross_val_predict

    import venire as vn

    tree = vn.DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    costs = [[0, 9], [1, 0]]  # [actual][said], fraud before normal
    for name, model in {
        "as it is": tree,
        "for costs 9 : 1": vn.CostThreshold(tree, costs, random_state=0),
    }.items():
        said = confusion_matrix(
            notes.y,
            cross_val_predict(model, notes.X, notes.y, cv=5),
            labels,
            positive=fraud,
        )
        print(
            f"{name}: finds {said.recall():.0%} of the frauds, "
            f"{said.precision():.0%} of its alarms are right"
        )


def difference() -> Generator[str, None, None]:
    """Comparing two classifiers: is the difference real?"""
    yield "67 of 100 are right. What may the accuracy be on new rows? Beta(m + ½, N − m + ½), with 95 % probability:"
    from venire.inference import Student, accuracy_interval

    for right, rows in ((6, 8), (67, 100)):
        found = accuracy_interval(right, rows)
        print(f"{right} of {rows}: [{found.low:.2f}, {found.high:.2f}]")
    yield "Two models on the same five folds differ by 0.734 on average. The mean has a Student t posterior."
    for folds, mean, scale in ((5, 0.7340, 0.46), (10, 1.4960, 0.40)):
        found = Student(mean, scale, folds - 1).interval()
        print(
            f"{folds} folds, mean {mean}: [{found.low:.2f}, {found.high:.2f}]"
        )
    yield (
        "With five folds, zero is inside: they may be the same. Training parts overlap, so venire widens it; and it "
        "asks whether a difference matters at all (the region of no practical difference). A verdict does all of that:"
    )
    import venire as vn
    from venire.data.datasets import load

    verdict = vn.compare(
        load("iris"), models=["baseline", "naive_bayes", "tree"], folds=5
    )
    for pair in verdict.to_dict()["pairwise"]:
        chances = f"better {pair['p_better']:.2f}, worse {pair['p_worse']:.2f}"
        print(f"{pair['first']} against {pair['second']}: {chances}")
