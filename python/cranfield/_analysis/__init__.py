"""What is asked of runs and scores: comparisons, differences, descriptions, judges, answers."""
