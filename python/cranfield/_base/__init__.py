"""What every room may use: errors, options, texts, progress, whole files."""
