"""Figures that the literature gives to the last digit, for all that prints them."""

# A tree on "play golf" by information gain: its root.
GOLF = (
    "Info(D) = 0.940",
    "Gain(outlook) = 0.247",
    "Gain(temp) = 0.029",
    "Gain(humidity) = 0.152",
    "Gain(windy) = 0.048",
    "SplitInfo(temp) = 1.557",
    "GainRatio(temp) = 0.019",
)
