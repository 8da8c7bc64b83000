"""Scores and bounds, what is made of them, and the files that they are read from."""
