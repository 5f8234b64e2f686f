"""The sentences of a verdict, and how numbers are printed in them."""
