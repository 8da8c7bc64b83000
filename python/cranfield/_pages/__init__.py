"""HTML pages: templates, and charts as SVG."""
