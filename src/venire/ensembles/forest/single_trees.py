"""The trees of a forest, each as the estimator it would be alone; made when one is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

from sklearn.base import is_classifier

from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.models.tree.growth import TreeStream
from venire.models.tree.storage import arrays_of, single_tree

SingleTree = DecisionTreeClassifier | DecisionTreeRegressor


def unfitted_tree(forest: Any, random_state: Any) -> SingleTree:
    """A tree with the settings of a forest."""
    kind = DecisionTreeClassifier if is_classifier(forest) else DecisionTreeRegressor
    given = forest.get_params(deep=False)
    chosen = {name: given[name] for name in kind._get_param_names() if name in given}
    splitter = "random" if forest._random_cuts else "best"
    tree: SingleTree = kind(**{**chosen, "random_state": random_state, "splitter": splitter})
    return tree


class SingleTrees(Sequence[SingleTree]):
    """Fitted trees in a row. A tree holds its own nodes and a copy of the bins, so none is made before its turn."""

    def __init__(self, forest: Any) -> None:
        self._forest = forest
        self._arrays = arrays_of(forest._forest)

    def __len__(self) -> int:
        return int(self._forest._forest.trees)

    @overload
    def __getitem__(self, which: int) -> SingleTree: ...

    @overload
    def __getitem__(self, which: slice) -> list[SingleTree]: ...

    def __getitem__(self, which: int | slice) -> SingleTree | list[SingleTree]:
        """One tree, or a list of some."""
        places = range(len(self))[which]
        return self._tree(places) if isinstance(places, int) else [self._tree(place) for place in places]

    def __iter__(self) -> Iterator[SingleTree]:
        return (self._tree(place) for place in range(len(self)))

    def _tree(self, place: int) -> SingleTree:
        tree = unfitted_tree(self._forest, TreeStream(self._forest._growth.seed, place))
        shared = ("n_features_in_", "feature_names_in_", "classes_", "n_classes_", "_costs", "_layout", "_widths")
        tree.__dict__.update({name: value for name, value in vars(self._forest).items() if name in shared})
        tree._forest = single_tree(self._arrays, place)
        return tree
