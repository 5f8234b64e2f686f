"""What we may say; pure functions of the evidence."""
