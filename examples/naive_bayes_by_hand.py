"""Naive Bayes by hand: Bayes' rule, counts, the Laplace correction, and what each attribute of a day says."""

from __future__ import annotations

import drawing
import numpy as np
import pandas as pd

from venire.data.datasets import dataset
from venire.inference import bayes_rule, total_probability
from venire.models.bayes.classifier import NaiveBayesClassifier


def main() -> None:
    print(f"P(rain | cloud) = {bayes_rule(prior=0.10, likelihood=0.5, evidence=0.4):.3f}")
    print(f"P(cloud) = {total_probability([0.1, 0.9], [0.5, 0.35 / 0.9]):.1f}, over rain and no rain\n")

    days = pd.read_csv(dataset("play_golf").path, dtype=str)
    X, y = days.drop(columns="play"), days["play"]
    outlook = NaiveBayesClassifier(alpha=0).fit(X[["outlook"]], y)
    sunny = X.loc[X["outlook"] == "sunny", ["outlook"]]
    print(f"P(no | sunny) = {outlook.predict_proba(sunny)[0, 0]:.2f}")
    counted = NaiveBayesClassifier(alpha=0).fit(X, y)
    print(f"P(humidity = high | no) = {counted.category_shares('humidity')['no']['high']:.2f}, four of five\n")

    incomes = pd.Categorical(["medium"] * 990 + ["high"] * 10, categories=["low", "medium", "high"])
    corrected = NaiveBayesClassifier(alpha=1).fit(pd.DataFrame({"income": incomes}), np.repeat("customer", 1000))
    shares = corrected.category_shares("income")["customer"]
    for income, share in shares.items():
        print(f"P({income}) = {share * 1003:.0f}/1003")

    model = NaiveBayesClassifier(alpha=1).fit(X, y)
    day = pd.DataFrame({"outlook": ["rainy"], "temp": ["cool"], "humidity": ["high"], "windy": ["true"]})
    why = model.explain(day)
    print(f"\nA rainy, cool, humid and windy day:\n{why}")
    terms = {"prior": why.prior} | {f"{term.attribute} = {term.value}": term.log_odds for term in why.terms}
    drawing.save(drawing.bars(terms, f"log-odds of {why.favoured} rather than {why.against}"), __file__)


if __name__ == "__main__":
    main()
