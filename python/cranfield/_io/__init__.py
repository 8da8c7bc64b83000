"""Files in: one way to open them, to tell their form, and to read fields, JSON Lines and tables."""
