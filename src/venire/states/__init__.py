"""What a fitted estimator holds, as constraints: checked wherever a state comes from a file."""
