"""Measures as the object of study; ``cranfield.meta`` has the names."""
