"""Random forests and extra-trees."""
