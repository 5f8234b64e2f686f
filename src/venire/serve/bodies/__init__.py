"""What comes in the body of a request: JSON, CSV and Arrow, read strictly."""
