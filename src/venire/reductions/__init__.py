"""Many classes and rare ones, brought back to what a learner can do."""
