"""What trials predicted of rows they had not seen: on disk or in memory."""
