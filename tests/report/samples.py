"""Documents and pictures as the flow gives them, made up but realistic, one for each shape a verdict can take."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

Sample = tuple[dict[str, Any], dict[str, Any]]

_FAMILIES = (
    ("forest", "q = 3", 0.0316),
    ("boosting", "T = 120", 0.0342),
    ("svm", "C = 100, kernel = rbf", 0.0368),
    ("stack", "", 0.0321),
    ("vote", "", 0.0355),
    ("logistic", "C = 4.28", 0.0447),
    ("adaboost", "T = 80", 0.0474),
    ("neural_net", "hidden = 32", 0.0500),
    ("knn", "k = 5", 0.0553),
    ("tree", "c = 0.0041 (9 leaves)", 0.0632),
    ("naive_bayes", "α = 1", 0.0711),
    ("baseline", "majority", 0.0974),
)
_PATHS = {
    "forest": ("q", ["1", "3", "4", "6"]),
    "knn": ("k", [str(k) for k in range(1, 20, 2)]),
    "boosting": ("T", [str(t) for t in range(10, 201, 10)]),
    "tree": ("c", ["0.2", "0.05", "0.01", "0.004", "0.001", "0"]),
}


def _rows(scale: float, rng: np.random.Generator, families: Any = _FAMILIES) -> list[dict[str, Any]]:
    ranked = sorted(families, key=lambda item: item[2])
    odds = np.exp(-np.array([item[2] - ranked[0][2] for item in ranked]) / 0.006)
    odds /= odds.sum()
    rows = []
    for (family, setting, error), p_best in zip(ranked, odds, strict=True):
        half = (0.015 + 0.01 * rng.random()) * scale
        rows.append(
            {
                "family": family,
                "setting": setting,
                "error": error * scale,
                "interval": [error * scale - half, error * scale + half],
                "training_error": error * scale * (0.2 + 0.5 * rng.random()),
                "one_layer_error": error * scale * 0.93,
                "p_best": float(p_best),
                "kind": "combination" if family in ("stack", "vote") else "member",
            }
        )
    lead = {**copy.deepcopy(rows[0]), "family": "procedure", "setting": f"{rows[0]['family']}, {rows[0]['setting']}"}
    lead |= {"p_best": None, "kind": "procedure", "error": rows[0]["error"] * 1.02}
    return [lead, *rows]


def _base(rows: list[dict[str, Any]]) -> dict[str, Any]:
    lead, best = rows[0], rows[1]
    return {
        "schema_version": 2,
        "venire": "0.1.0",
        "source": "bank.csv",
        "rows": 380,
        "rows_without_target": 2,
        "task": "classification",
        "target": "class",
        "classes": ["normal", "fraud"],
        "class_counts": [343, 37],
        "positive": "fraud",
        "metric": "error",
        "metric_label": "error rate",
        "folds": 10,
        "repeats": 1,
        "splitting": "random",
        "seed": 0,
        "estimates": "expected error of the procedure trained on 342 rows (9 of 10 folds), "
        "measured on rows it had not seen",
        "chosen": {
            "family": best["family"],
            "setting": best["setting"],
            "error": lead["error"],
            "interval": lead["interval"],
            "weights": None,
        },
        "leaderboard": rows,
        "not_tried": [{"family": "forest_rc", "reason": "estimated at 310 s, more than the 40 s of the budget left"}],
        "failed": [],
        "findings": [
            {
                "code": "V001",
                "message": "37 of 380 rows are 'fraud': always saying 'normal' is right on 90 % of the rows",
                "advice": "Look at --metric balanced_error or auc too.",
            },
            {"code": "V004", "message": "the forest fits its training rows far better than unseen ones", "advice": ""},
        ],
        "columns": [
            {"name": "length", "kind": "numeric", "missing": 0, "categories": 0},
            {"name": "left", "kind": "numeric", "missing": 4, "categories": 0},
            {"name": "bank", "kind": "categorical", "missing": 12, "categories": 7},
            {"name": "diagonal", "kind": "numeric", "missing": 0, "categories": 0},
        ],
        "left_out": [{"name": "note_id", "kind": "identifier", "reason": "a different value in every row"}],
        "notes": [{"code": "infinite_values", "message": "2 infinite values read as missing", "column": "left"}],
        "timing": {
            "seconds": 42.3,
            "families": {row["family"]: 0.4 + 3.1 * i for i, row in enumerate(rows[1:])},
            "trials": 660,
            "reused": 110,
            "workers": None,
        },
    }


def _pictures(document: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    members = [row for row in document["leaderboard"] if row["error"] is not None]
    folds = {
        row["family"]: list(np.abs(row["error"] * (1 + 0.4 * rng.standard_normal(document["folds"]))))
        for row in members
    }
    paths = {}
    for family, (label, settings) in _PATHS.items():
        if family not in folds:
            continue
        x = np.linspace(0, 1, len(settings))
        level = float(np.mean(folds[family]))
        paths[family] = {
            "label": label,
            "settings": settings,
            "training": list(level * (1 - 0.8 * x)),
            "held_out": list(level * (1 + 1.2 * (x - 0.6) ** 2)),
            "chosen": int(len(settings) * 0.6),
        }
    return {
        "fold_errors": folds,
        "paths": paths,
        "selection": {"per_fold": [document["chosen"]["family"]] * 7 + ["svm"] * 3},
    }


def _curves(families: list[str], rng: np.random.Generator) -> dict[str, Any]:
    fpr = np.linspace(0, 1, 60)
    roc, calibration, precise, costly = {}, {}, {}, {}
    for rank, family in enumerate(families):
        power = 0.03 + 0.06 * rank
        roc[family] = {"fpr": list(fpr), "tpr": list(fpr**power), "auc": float(1 / (1 + power))}
        predicted = np.linspace(0.05, 0.95, 10)
        observed = np.clip(predicted + 0.08 * rng.standard_normal(10), 0, 1)
        calibration[family] = {
            "predicted": list(predicted),
            "observed": list(observed),
            "count": [int(c) for c in rng.integers(5, 120, 10)],
        }
        tpr, grid = fpr**power, np.linspace(0, 1, 21)
        precision = np.r_[1.0, 0.1 * tpr[1:] / (0.1 * tpr[1:] + 0.9 * fpr[1:])]
        precise[family] = {
            "recall": list(tpr),
            "precision": list(precision),
            "average_precision": float(np.sum(np.diff(tpr) * precision[1:])),
        }
        costly[family] = {
            "probability_cost": list(grid),
            "expected_cost": [float(np.min((1 - tpr) * x + fpr * (1 - x))) for x in grid],
        }
    return {
        "roc": roc,
        "calibration": calibration,
        "precision_recall": {"curves": precise, "share": 0.1, "decided": {"recall": 0.757, "precision": 0.903}},
        "cost_curve": {"curves": costly, "here": 0.1},
    }


def _confusion(document: dict[str, Any], counts: Any) -> dict[str, Any]:
    """The matrix and what is read off it, as the document has them."""
    cells = np.asarray(counts)
    actual, predicted, hits, rows = cells.sum(axis=1), cells.sum(axis=0), np.diag(cells), int(cells.sum())
    figures = {
        "sensitivity": hits / actual,
        "specificity": 1 - (predicted - hits) / (rows - actual),
        "precision": hits / predicted,
        **{
            name: (1 + beta**2) * hits / (beta**2 * actual + predicted)
            for name, beta in (("f_half", 0.5), ("f1", 1.0), ("f2", 2.0))
        },
    }
    return {
        "family": "procedure",
        "rows": rows,
        "measured_on": f"{rows:,} rows in 10 folds, each predicted by models trained without its fold",
        "labels": document["classes"],
        "counts": cells.tolist(),
        "accuracy": float(hits.sum() / rows),
        "error": float(1 - hits.sum() / rows),
        "balanced_accuracy": float(np.mean(hits / actual)),
        "classes": [
            {"label": label, "rows": int(actual[i]), "predicted": int(predicted[i])}
            | {name: float(values[i]) for name, values in figures.items()}
            for i, label in enumerate(document["classes"])
        ],
    }


def _explained(document: dict[str, Any], rng: np.random.Generator, scale: float = 1.0) -> dict[str, Any]:
    """Importances, and the dependence on every column; of several classes a line each."""
    columns, classes = document["columns"], document.get("classes") or ()
    values = np.sort(0.08 * scale * rng.random(len(columns)))[::-1]
    labels = [None] if not classes else classes[1:2] if len(classes) == 2 else classes[:6]
    importance = {
        "model": document["chosen"]["family"],
        "names": [column["name"] for column in columns],
        "values": list(values),
        "low": list(values - 0.02 * scale),
        "high": list(values + 0.02 * scale),
        "rows": 1000,
        "folds": 3,
        "columns": len(columns),
        "repeats": 3,
    }
    dependence = []
    for column in columns:
        named = bool(column["categories"])
        grid = [f"<i>{at}</i>" for at in range(column["categories"])] if named else list(np.linspace(-3.0, 3.0, 20))
        middles = [scale * (0.3 + 0.2 * rng.random(len(grid))) for _ in labels]
        dependence.append(
            {
                "column": column["name"],
                "categorical": named,
                "grid": grid,
                "lines": [
                    {"of": of, "mean": list(mean), "low": list(mean - 0.1 * scale), "high": list(mean + 0.2 * scale)}
                    for of, mean in zip(labels, middles, strict=True)
                ],
                "unit": "probability" if classes else "value",
                "rows": 300,
                "classes": len(classes),
                "model": document["chosen"]["family"],
            }
        )
    return {
        "importance": importance,
        "dependence": dependence,
        "shapley": _shapley(document, rng, scale),
        "learning_curve": {
            "family": document["chosen"]["family"],
            "folds": 5,
            "rows": [100, 300, 500, 700, 900],
            "training": [0.05 * scale, 0.06 * scale, 0.07 * scale, 0.07 * scale, 0.08 * scale],
            "held_out": [0.3 * scale, 0.22 * scale, 0.18 * scale, 0.17 * scale, 0.165 * scale],
            "low": [0.2 * scale, 0.16 * scale, 0.14 * scale, 0.14 * scale, None],
            "high": [0.4 * scale, 0.28 * scale, 0.22 * scale, 0.2 * scale, None],
        },
    }


def _shapley(document: dict[str, Any], rng: np.random.Generator, scale: float) -> dict[str, Any]:
    """Values of 30 rows, a column of categories in grey."""
    names, classes = [column["name"] for column in document["columns"]], document.get("classes") or ()
    places = [None if column["categories"] else 0.5 for column in document["columns"]]
    return {
        "model": document["chosen"]["family"],
        "names": names,
        "values": (0.1 * scale * rng.normal(size=(len(names), 30))).tolist(),
        "places": [[place] * 30 for place in places],
        "base": 0.3 * scale,
        "of": classes[-1] if classes else None,
        "unit": "probability" if classes else "value",
        "rows": 30,
        "background_rows": 64,
        "orders": 8,
    }


def binary() -> Sample:
    """The rare-class banknotes, the whole default bucket."""
    rng = np.random.default_rng(1)
    document = _base(_rows(1.0, rng))
    pictures = _pictures(document, rng)
    families = [row["family"] for row in document["leaderboard"] if row["family"] not in ("svm",)]
    pictures |= _curves(families, rng)
    pictures["confusion"] = {"labels": ["normal", "fraud"], "counts": [[340, 3], [9, 28]]}
    document["confusion"] = _confusion(document, pictures["confusion"]["counts"])
    pictures |= {"operating": _operating(), "metrics": _metrics(document), "groups": None}
    return document, pictures | _explained(document, rng)


def _operating() -> dict[str, Any]:
    """Eleven thresholds from flagging nothing to flagging all; the seventh is what the confusion matrix has."""
    found = [0, 6, 12, 18, 23, 26, 28, 32, 35, 36, 37]
    alarms = [0, 0, 0, 1, 1, 2, 3, 15, 60, 150, 343]
    return {
        "label": "fraud",
        "other": "normal",
        "positives": 37,
        "negatives": 343,
        "points": [
            {"threshold": round(1 - at / 10, 2), "found": hits, "alarms": wrong}
            for at, (hits, wrong) in enumerate(zip(found, alarms, strict=True))
        ],
        "decided": 6,
        "pooled": True,
        "ratio": 1.0,
    }


def _metrics(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The leaderboard by two other metrics, one of them a score."""
    families = [row["family"] for row in document["leaderboard"]]
    ways = (("auc", "AUC", True, 0.95), ("log_loss", "log loss", False, 0.21))
    return [
        {
            "name": name,
            "label": label,
            "higher_is_better": higher,
            "figures": {
                family: [middle - 0.001 * at, middle - 0.02, middle + 0.01] for at, family in enumerate(families)
            },
        }
        for name, label, higher, middle in ways
    ]


def many_classes() -> Sample:
    """Nineteen classes with awkward names, a stack on top, hostile column names."""
    rng = np.random.default_rng(2)
    document = _base(_rows(4.0, rng))
    labels = [f"class {i}" for i in range(15)]
    labels += ["[bold]x[/bold]", "<script>alert(1)</script>", "una clase con un nombre larguísimo " * 3, "数字 🦊"]
    counts = [int(c) for c in rng.integers(5, 200, 19)]
    weights = {"forest": 0.61, "svm": 0.29, "knn": 0.1, "tree": 0.0}
    document |= {
        "classes": labels,
        "class_counts": counts,
        "positive": None,
        "rows": sum(counts),
        "target": "<b>species</b>",
        "chosen": document["chosen"] | {"family": "stack", "setting": "", "weights": weights},
        "metric": "log_loss",
        "metric_label": "log loss",
        "columns": [
            {"name": "<script>alert(1)</script>", "kind": "numeric", "missing": 0, "categories": 0},
            {"name": "[red]colour[/red]", "kind": "categorical", "missing": 3, "categories": 4},
            {"name": "long " * 60, "kind": "boolean", "missing": 0, "categories": 2},
            {"name": "tab\there\x1b[31m", "kind": "numeric", "missing": 0, "categories": 0},
        ],
    }
    pictures = _pictures(document, rng)
    matrix = np.diag(counts) + rng.integers(0, 6, (19, 19)) * (rng.random((19, 19)) < 0.3)
    pictures["confusion"] = {"labels": labels, "counts": [[int(v) for v in row] for row in matrix]}
    document["confusion"] = _confusion(document, matrix)
    return document, pictures | _explained(document, rng)


def regression() -> Sample:
    """Prices in the billions, with negative targets."""
    rng = np.random.default_rng(3)
    families = [
        (f.replace("logistic", "linear"), s, e) for f, s, e in _FAMILIES if f not in ("naive_bayes", "adaboost")
    ]
    document = _base(_rows(6.2e10, rng, families))
    document |= {
        "source": "companies.parquet",
        "task": "regression",
        "target": "profit",
        "classes": None,
        "class_counts": None,
        "positive": None,
        "rows": 5200,
        "metric": "rmse",
        "metric_label": "root mean squared error",
        "findings": [],
    }
    actual = 1.5e10 * rng.standard_normal(5200)
    pictures = _pictures(document, rng)
    pictures["scatter"] = {
        "actual": list(actual),
        "predicted": list(actual + 2e9 * rng.standard_normal(5200)),
    }
    return document, pictures | _explained(document, rng, 6.2e10)


def one_family() -> Sample:
    """A single family was asked for; the combinations have nothing to combine."""
    rng = np.random.default_rng(4)
    document = _base(_rows(1.0, rng, [("tree", "c = 0.004", 0.061)]))
    document["leaderboard"][1]["p_best"] = None
    document |= {"not_tried": [], "findings": [], "left_out": [], "notes": [], "rows_without_target": 0}
    pictures = _pictures(document, rng)
    pictures["selection"] = {"per_fold": ["tree"] * 10}
    return document, pictures


def only_baseline() -> Sample:
    """Everything but the baseline failed, and most figures are missing."""
    rng = np.random.default_rng(5)
    document = _base(_rows(1.0, rng, [("baseline", "majority", 0.0974)]))
    for row in document["leaderboard"]:
        row |= {"interval": None, "training_error": None, "one_layer_error": None, "p_best": None}
    document["chosen"] |= {"interval": None}
    document["failed"] = [
        {"family": family, "reason": "ValueError: Input X contains [bold]NaN[/bold] <b>here</b>"}
        for family, _, _ in _FAMILIES
        if family not in ("baseline", "vote", "stack")
    ]
    document["not_tried"] = [
        {"family": name, "reason": "fewer than two members to combine"} for name in ("vote", "stack")
    ]
    return document, {}


SAMPLES = {
    "binary": binary,
    "many_classes": many_classes,
    "regression": regression,
    "one_family": one_family,
    "only_baseline": only_baseline,
}
