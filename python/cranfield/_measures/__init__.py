"""Measures: from texts, as Python functions, and the page about each."""
