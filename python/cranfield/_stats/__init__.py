"""Statistics of arrays and of scores: tests, intervals, correlations, agreement."""
