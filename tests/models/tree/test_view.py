from __future__ import annotations

from sklearn.datasets import load_iris

from venire.models.tree.estimators import DecisionTreeClassifier


def test_text_rules_and_nodes_tell_the_same_tree() -> None:
    x, y = load_iris(return_X_y=True, as_frame=True)
    tree = DecisionTreeClassifier(max_depth=2).fit(x, y)
    assert tree.export_text(decimals=1).startswith("|--- petal length (cm) <= 2.5\n|   |--- class: 0 (50)\n")
    assert tree.export_text(max_depth=1).count("…") == 1
    rules = tree.rules()
    assert len(rules) == tree.get_n_leaves() == 3
    assert sum(rule.rows for rule in rules) == 150
    assert rules[0].prediction == 0
    assert str(DecisionTreeClassifier().fit([[1.0]], ["a"]).rules()[0]) == "if always then a (1 rows, 100%)"
    nodes = tree.nodes_
    assert nodes[0].rows == 150
    assert [node.depth for node in nodes] == [0, 1, 1, 2, 2]
