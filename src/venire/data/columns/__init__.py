"""What one column is, and the attributes it gives."""
