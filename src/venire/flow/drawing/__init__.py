"""The pictures of a verdict by name: `verdict.plot`."""
