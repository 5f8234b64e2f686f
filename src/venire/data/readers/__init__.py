"""From a file, a frame or arrays to raw columns."""
