"""What is printed in a terminal."""
