"""A model in use: predictions of files of any size, evaluation on labelled rows, explanations of rows."""
