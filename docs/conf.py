"""How Sphinx makes the site of the documentation: `make site`."""

from __future__ import annotations

import sys
from pathlib import Path

from cranfield._core import __version__

sys.path.insert(0, str(Path(__file__).parent))

project = "cranfield"
author = "The cranfield developers"
project_copyright = "the cranfield developers"
version = release = __version__

extensions = ["api", "commands", "myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True
# Types of other packages have no page here.
nitpick_ignore_regex = [(r"py:.*", r".*")]
python_maximum_signature_line_length = 80
add_module_names = False
smartquotes = False

myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"cranfield {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["measures.html"]
html_copy_source = False
html_show_sphinx = False
# A page that is opened from a folder may not fetch the pages that it found.
html_show_search_summary = False
