"""What is accepted as judgments, runs and measures, and the reading of it."""
