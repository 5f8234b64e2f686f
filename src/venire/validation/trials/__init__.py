"""Fitting on some folds and predicting others: families, the runner, workers, budget, evidence."""
