"""Many runs to a data set; ``cranfield.batch`` has the names."""
