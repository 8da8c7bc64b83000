"""Two judges on the same runs; ``cranfield.judges`` has the names."""
