"""One learner each."""
