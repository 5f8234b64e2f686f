"""What numbers may claim."""
