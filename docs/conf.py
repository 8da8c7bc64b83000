"""How Sphinx makes the site of the documentation: `make site`."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from re import Match
from typing import TYPE_CHECKING, Any

from cranfield._core import __version__
from cranfield._measures.pages import registry
from docutils import nodes  # type: ignore[import-untyped]
from sphinx import addnodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

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
html_extra_path = ["measures.html", "llms.txt"]
html_copy_source = False
html_show_sphinx = False
# A page that is opened from a folder may not fetch the pages that it found.
html_show_search_summary = False


def indexed(app: Sphinx, document: nodes.document) -> None:
    """Names of measures in the index, where the site's search finds them in words."""
    if app.env.docname != "reference/measures":
        return
    families = {family["name"]: family for family in registry()}
    for section in document.findall(nodes.section):
        if family := families.get(section.next_node(nodes.title).astext()):
            entries = [("single", name, section["ids"][0], "", None) for name in family["aliases"]]
            section.insert(0, addnodes.index(entries=entries))


def titles_only(
    app: Sphinx, page: str, template: str, context: dict[str, Any], document: object
) -> None:
    """Makes the navigation of a page from titles; copying sections took half of the build."""
    titles: dict[str, nodes.bullet_list] = _titles(app)
    toctree = context["toctree"]

    def of_titles(**options: Any) -> str:
        whole, app.env.tocs = app.env.tocs, titles
        try:
            return str(toctree(**options))
        finally:
            app.env.tocs = whole

    context["toctree"] = of_titles


@cache
def _titles(app: Sphinx) -> dict[str, nodes.bullet_list]:
    """The contents of each page without its sections."""
    found = {}
    for page, contents in app.env.tocs.items():
        found[page] = titles = contents.deepcopy()
        for entry in titles.children:
            if len(entry.children) > 1:
                entry[1][:] = list(entry.findall(addnodes.toctree))
    return found


def setup(app: Sphinx) -> None:
    """What Sphinx calls."""
    app.connect("doctree-read", indexed)
    app.connect("html-page-context", titles_only, priority=400)  # before the theme takes it


_rst = import_module("docutils.parsers.rst.states")
_standalone_uri = _rst.Inliner.standalone_uri


def _without_mail(self: Any, match: Match[str], lineno: int) -> Any:
    """Makes links of URLs only: ``nDCG@10`` looks like a mail address."""
    if match.group("email"):
        raise _rst.MarkupMismatch
    return _standalone_uri(self, match, lineno)


_rst.Inliner.standalone_uri = _without_mail
