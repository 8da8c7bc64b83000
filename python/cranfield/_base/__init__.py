"""What every room may use: errors, options, texts, widths, progress."""
