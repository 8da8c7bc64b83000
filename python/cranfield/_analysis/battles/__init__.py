"""Which of two answers a judge preferred; ``cranfield.battles`` has the names."""
