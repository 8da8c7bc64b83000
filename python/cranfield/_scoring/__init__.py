"""From judgments and runs to scores: evaluators, several collections, baselines."""
