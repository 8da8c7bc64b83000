"""Tables as printed: text, HTML, LaTeX, and how they look."""
