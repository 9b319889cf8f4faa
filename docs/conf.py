"""The site: `make docs` builds it into build/site; nothing in it asks another host for anything."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project, author, copyright = "deacs", "the deacs developers", "the deacs developers"
language = "en"
smartquotes_action = "D"  # dashes; quotes stay as they are written
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.linkcode",
    "sphinx_copybutton",
    "dark_pictures",
    "definitions",
    "mathml",
    "navigation",
    "sample_report",
    "source_pages",
]
exclude_patterns = ["_site"]
suppress_warnings = ["misc.highlighting_failure"]  # the pages' consoles show more than a shell's

# Pages are written for GitHub too: its anchors of headings, its links between files.
myst_heading_anchors = 4
myst_enable_extensions = []

# The docstrings are numpydoc; their types stand in the text, names in single backticks.
default_role = "literal"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False
napoleon_preprocess_types = False

# Examples end with an empty line, for the sake of the tests that run them.
highlight_options = {name: {"stripnl": True} for name in ("default", "python", "pycon")}

html_theme = "furo"
html_title = "deacs"
html_math_renderer = "mathml"
html_static_path = ["_site/static"]
html_css_files, html_js_files = ["site.css"], ["site.js"]
html_favicon = html_logo = "_site/static/icon.svg"
html_copy_source = False
html_show_search_summary = False  # it would fetch pages, which files may not
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2a62b3", "color-brand-content": "#2a62b3"},
    "dark_css_variables": {"color-brand-primary": "#7fb0f5", "color-brand-content": "#7fb0f5"},
}


def linkcode_resolve(domain, info):
    """Lead from a documented object to its lines."""
    from source_pages import address_of

    return address_of(info["module"], info["fullname"]) if info.get("module") else None
