"""The weights of a combination, as people read them."""

from __future__ import annotations

from collections.abc import Mapping

_NO_SAY = 0.005  # below this a weight is shown as 0.00, and its member is not shown


def setting_words(setting: str, weights: Mapping[str, float] | None, settings: int = 1) -> str:
    """What a candidate is set to: the setting of a member, the weights of a combination of so many settings.

    >>> setting_words("k = 5", None), setting_words("", {"forest": 0.6, "linear": 0.4})
    ('k = 5', '0.60 forest + 0.40 linear')
    >>> setting_words("", {"forest": 1.0, "linear": 0.0}), setting_words("", {"forest": 0.5, "linear": 0.5})
    ('forest alone', 'mean of 2 members')
    >>> setting_words("", {"forest": 1.0, "linear": 0.0}, settings=3)
    '3 settings of forest'
    """
    if weights is None:
        return setting
    heavy = heaviest(weights)
    if len(heavy) == 1:
        return f"{settings} settings of {heavy[0][0]}" if settings > 1 else f"{heavy[0][0]} alone"
    if len({round(weight, 6) for _, weight in heavy}) == 1:
        return f"mean of {len(heavy)} members"
    return " + ".join(f"{weight:.2f} {name}" for name, weight in heavy)


def heaviest(weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """The members that have a say, the heaviest first."""
    return [item for item in sorted(weights.items(), key=lambda item: -item[1]) if item[1] >= _NO_SAY]
