"""Answers that a system wrote; ``cranfield.answers`` has the names."""
