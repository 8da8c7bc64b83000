"""The named studies, each written to a folder; ``cranfield.study`` has the names."""
