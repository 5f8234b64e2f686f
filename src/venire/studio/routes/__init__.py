"""What the studio answers, by what it is about."""
