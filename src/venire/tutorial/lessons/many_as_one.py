"""Many learners as one: why a majority is right, bagging, forests, AdaBoost, pairs of classes, and stacking."""

from __future__ import annotations

from collections.abc import Generator


def majority() -> Generator[str, None, None]:
    """Why a majority is right"""
    yield "25 voters, each wrong with probability 0.35, and each on its own. How often is their majority wrong?"
    from venire.inference import average_variance, majority_vote_accuracy

    print(f"{1 - majority_vote_accuracy(25, 0.65):.2f}")
    yield "That needs independence. The variance of an average is ρσ² + (1 − ρ)σ²/ℓ: correlation ρ is what stays."
    for rho in (0.0, 0.5, 0.9):
        ten, hundred = (
            average_variance(1.0, rho, members) for members in (10, 100)
        )
        print(f"correlation {rho}: {ten:.3f} of ten, {hundred:.3f} of 100")


def bagging() -> Generator[str, None, None]:
    """Bagging: an average over bootstrap samples"""
    yield "Ten columns; the class says whether the sum of their squares is large. A deep tree follows its sample:"
    import numpy as np

    import venire as vn
    from venire.data.generators import chi_square

    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(400, rng), chi_square(2000, rng)
    tree = vn.DecisionTreeClassifier(random_state=0).fit(X, y)
    print(
        f"training {1 - tree.score(X, y):.1%}, "
        f"new rows {1 - tree.score(new_X, new_y):.1%}"
    )
    yield "Fifty trees on fifty bootstrap samples, averaged. About 37 % of the rows are out of bag for each."
    bag = vn.BaggingClassifier(
        n_estimators=50, oob_score=True, random_state=0
    ).fit(X, y)
    print(f"new rows {1 - bag.score(new_X, new_y):.1%}")
    yield "These rows judge for free: the out-of-bag error needs no test rows."
    print(f"out of bag {1 - bag.oob_score_:.1%}")


def forest() -> Generator[str, None, None]:
    """The random forest: trees that may look at few columns"""
    yield "A split may choose among q columns. A small q makes trees less alike; ⌊log₂ 10⌋ + 1 = 4 is the default."
    import numpy as np

    import venire as vn
    from venire.data.generators import chi_square

    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(400, rng), chi_square(2000, rng)
    for q in (1, 4, 10):
        grown = vn.RandomForestClassifier(
            n_estimators=50, max_features=q, random_state=0
        ).fit(X, y)
        print(
            f"q = {q:>2}: {1 - grown.score(new_X, new_y):.1%} of new rows wrong"
        )
    yield "With q = 10 it is bagging. In which columns are the splits that help? All ten matter alike here."
    grown = vn.RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    print(grown.feature_importances_.round(2).tolist())


def adaboost() -> Generator[str, None, None]:
    """AdaBoost: rows that were wrong count more"""
    yield "Six rows, two of them wrong: ε = 1/3, α = ½ ln((1 − ε)/ε) = ½ ln 2. The weights afterwards, in eighths:"
    import numpy as np

    import venire as vn
    from venire.ensembles.adaboost.rounds import alpha_of, reweighted

    wrong = np.array([0, 1, 0, 0, 0, 1], dtype=bool)
    after = reweighted(np.full(6, 1 / 6), wrong, float(alpha_of(1 / 3)))
    print((8 * after).round().astype(int))
    yield "Ten points on a line, in three stretches. One stump cannot part them; three together can."
    X, y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 1])
    boost = vn.AdaBoostClassifier(n_estimators=3).fit(X, y)
    for number, (step, said) in enumerate(
        zip(boost.rounds_, boost.staged_predict(X), strict=True), start=1
    ):
        weights = " ".join(f"{weight:.3f}" for weight in step.weights)
        print(f"round {number}: weights {weights}")
        print(
            f"         ε = {step.error:.3f}, α = {step.alpha:.3f}; "
            f"wrong together: {np.mean(said != y):.0%}"
        )


def pairs() -> Generator[str, None, None]:
    """Many classes: one against the rest, one against one"""
    yield "Three species of iris, and a learner for two classes: three models either way."
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    import venire as vn
    from venire.data.datasets import load

    iris = load("iris")
    learner = LogisticRegression(max_iter=1000)
    for name, model in {
        "rest": vn.OneVsRestClassifier(learner),
        "one": vn.OneVsOneClassifier(learner),
    }.items():
        right = cross_val_score(model, iris.X, iris.y, cv=3).mean()
        print(f"one against {name}: {1 - right:.1%} wrong")
    yield "Every pair of classes votes; ties are broken by how sure the voters are."
    votes = (
        vn.OneVsOneClassifier(learner).fit(iris.X, iris.y).votes(iris.X[[70]])
    )
    print(
        "crisp:",
        votes.crisp[0].tolist(),
        "weighted:",
        votes.weighted[0].round(2).tolist(),
    )


def stacking() -> Generator[str, None, None]:
    """Stacking: a second model learns whom to believe"""
    yield "Three models that are wrong in different places, on the problem of squares."
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    import venire as vn
    from venire.data.generators import chi_square

    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(500, rng), chi_square(2000, rng)
    members = [
        ("line", LogisticRegression()),
        ("near", vn.KNeighborsClassifier(9)),
        ("boost", vn.AdaBoostClassifier(n_estimators=50, random_state=0)),
    ]
    for name, member in members:
        print(f"{name}: {1 - member.fit(X, y).score(new_X, new_y):.1%} wrong")
    yield "The second level learns from what members say of rows they were not trained on (five folds)."
    stack = vn.StackingClassifier(members, random_state=0).fit(X, y)
    print(f"stack: {1 - stack.score(new_X, new_y):.1%} wrong")
