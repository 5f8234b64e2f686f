"""Naive Bayes for mixed columns."""
