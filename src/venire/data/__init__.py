"""What we were given: reading, kinds of columns, encoding, data sets and generators."""
