"""What happened on unseen rows."""
