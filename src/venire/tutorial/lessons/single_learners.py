"""Single learners: a tree by information gain, naive Bayes by counts, and polynomials that follow the noise."""

from __future__ import annotations

from collections.abc import Generator


def golf() -> Generator[str, None, None]:
    """Play golf: a decision tree by information gain"""
    yield (
        "Fourteen days, four columns, and whether golf was played. Which question tells most about the answer? First "
        "the table, column by column."
    )
    import numpy as np

    from venire.data.datasets import load

    table = load("play_golf")
    assert table.target is not None
    words = {column.name: column.categories for column in table.columns}
    days = dict(
        zip(words, table.X.T, strict=True)
    )  # codes: the place of each word
    play = np.array(table.target.labels)[table.y]
    print(
        f"{(play == 'yes').sum()} days with golf, "
        f"{(play == 'no').sum()} without; columns {', '.join(words)}"
    )
    yield "The information of the answers, in bits: 0 when all are alike, 1 when they are half and half."
    from venire.models.tree.measures import (
        gain,
        gain_ratio,
        impurity,
        split_information,
    )

    print(f"Info(D) = {impurity(play):.3f}")
    yield "The gain of a question is by how much it lowers that. The best one becomes the root of the tree."
    for name, values in days.items():
        print(f"Gain({name}) = {gain(values, play):.3f}")
    yield "Questions with many answers gain by chance; the gain ratio takes the number of answers into account."
    print(f"SplitInfo(temp) = {split_information(days['temp']):.3f}")
    print(f"GainRatio(temp) = {gain_ratio(days['temp'], play):.3f}")
    yield "The whole tree asks on in every part until it is pure. A leaf shows its class and its rows."
    import venire as vn

    tree = vn.DecisionTreeClassifier(
        criterion="entropy",
        categorical="multiway",
        categorical_features=[0, 1, 2, 3],
    )
    drawn = tree.fit(table.X, play).export_text(feature_names=list(words))
    for name, categories in words.items():
        for code, word in enumerate(categories):
            drawn = drawn.replace(f"{name} = {code}", f"{name} = {word}")
    print(drawn)


def bayes() -> Generator[str, None, None]:
    """Naive Bayes: counts, Bayes' rule and the Laplace correction"""
    yield (
        "It rains on one day in ten. Half of the rainy days begin with clouds, and four days in ten do. How likely is "
        "rain after a cloudy morning? P(rain | cloud) = P(rain) P(cloud | rain) / P(cloud)."
    )
    from venire.inference import bayes_rule

    rain = bayes_rule(prior=0.10, likelihood=0.5, evidence=0.4)
    print(f"P(rain | cloud) = {rain:.3f}")
    yield "Naive Bayes counts, for each class, how often each value comes, and multiplies. The days of play golf again:"
    import numpy as np

    import venire as vn
    from venire.data.datasets import load

    table = load("play_golf")
    assert table.target is not None
    day = ("rainy", "cool", "high", "true")
    places = [
        column.categories.index(word)
        for column, word in zip(table.columns, day, strict=True)
    ]
    model = vn.NaiveBayesClassifier(
        alpha=1, categorical_features=[0, 1, 2, 3]
    ).fit(table.X, table.y)
    for label, chance in zip(
        table.target.labels, model.predict_proba([places])[0], strict=True
    ):
        print(f"P({label} | {', '.join(day)}) = {chance:.2f}")
    yield (
        "Of 1,000 customers none has a low income. Is it impossible? The Laplace correction adds one to every count: "
        "(0 + 1) of (1000 + 3)."
    )
    incomes = np.repeat(
        [[1.0], [2.0]], [990, 10], axis=0
    )  # 0 is low, 1 medium, 2 high
    counted = vn.NaiveBayesClassifier(
        alpha=1, categorical_features=[0], min_categories=3
    )
    shares = counted.fit(incomes, np.repeat("customer", 1000)).category_shares(
        0
    )["customer"]
    for income, share in zip(
        ("low", "medium", "high"), shares.values(), strict=True
    ):
        print(f"P({income}) = {share * 1003:.0f}/1003")


def overfitting() -> Generator[str, None, None]:
    """Overfitting: the training error falls for ever, the error on new rows does not"""
    yield "Twenty rows of x + 2 sin(1.5 x) with noise, and polynomials of ever higher degree."
    import numpy as np

    from venire.data.generators import linear_sinusoid, linear_sinusoid_truth

    rng = np.random.default_rng(4)
    (X, y), (new_X, new_y) = (
        linear_sinusoid(20, rng),
        linear_sinusoid(2000, rng),
    )
    inside = (new_X[:, 0] > X.min()) & (new_X[:, 0] < X.max())
    for degree in (1, 3, 5, 8, 11, 13):
        curve = np.polynomial.Polynomial.fit(X[:, 0], y, degree)
        training = np.sqrt(np.mean((curve(X[:, 0]) - y) ** 2))
        new = np.sqrt(np.mean((curve(new_X[inside, 0]) - new_y[inside]) ** 2))
        print(
            f"degree {degree:>2}: training {training:.2f}, new rows {new:.2f}"
        )
    yield (
        "Why? The error on new rows has three parts: bias² (the model cannot bend enough), variance (it changes with "
        "the sample) and noise. Fifty straight lines, each fitted to twenty rows, are nearly all bias."
    )
    from sklearn.linear_model import LinearRegression

    from venire.inference.decomposition import bias_variance

    parts = bias_variance(
        LinearRegression(),
        linear_sinusoid,
        50,
        truth=lambda rows: linear_sinusoid_truth(rows[:, 0]),
        rows=20,
    )
    print(
        f"bias² {parts.bias:.2f} + variance {parts.variance:.2f} "
        f"+ noise {parts.noise:.2f} = {parts.error:.2f}"
    )
