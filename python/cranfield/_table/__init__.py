"""Tables as people read them: text, HTML, LaTeX, and how they look."""
