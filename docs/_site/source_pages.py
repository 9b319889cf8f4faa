"""Links to source files, which work in the repository, lead to pages with that source here too."""

import importlib
import inspect
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).parents[2]
SHOWN = {".py", ".md", ".json", ".csv", ".toml"}
linked = set()
"""The files that pages of this build lead to."""


class SourceLinks(SphinxTransform):
    """Replace links to files outside the pages before they become downloads."""

    default_priority = 400

    def apply(self):
        """Find them and lead them to their pages."""
        for link in list(self.document.findall(addnodes.download_reference)):
            self._lead(link, Path(self.env.relfn2path(link["reftarget"], self.env.docname)[1]))
        for link in list(self.document.findall(addnodes.pending_xref)):
            target = Path(f"{link['reftarget']}.md")  # a page that is none of the site's
            if link.get("refdomain") == "doc" and target.is_absolute():
                self._lead(link, target)

    def _lead(self, link, file):
        file = file.resolve()
        if file.suffix in SHOWN and file.exists():
            linked.add(file)
            address = self.app.builder.get_relative_uri(self.env.docname, page_of(file))
            link.replace_self(nodes.reference("", "", *link.children, refuri=address))


def address_of(module, name):
    """Return where the source of an object is, seen from a page of the reference."""
    found = importlib.import_module(module)
    try:
        for part in name.split("."):
            found = getattr(found, part)
        found = inspect.unwrap(found.fget if isinstance(found, property) else found)
        file = Path(inspect.getsourcefile(found)).resolve()
        line = inspect.getsourcelines(found)[1]
    except (AttributeError, TypeError, OSError):
        return None
    if not file.is_relative_to(ROOT / "src"):
        return None
    linked.add(file)
    return f"{page_of(file)}.html#L-{line}"


def page_of(file):
    """Return the name of a file's page."""
    return f"source/{file.relative_to(ROOT).as_posix()}"


def source_pages(app):
    """Make a page of every file that is linked."""
    style = HtmlFormatter(linenos="inline", lineanchors="L", wrapcode=True)
    for file in sorted(linked):
        name = file.relative_to(ROOT).as_posix()
        try:
            lexer = get_lexer_for_filename(name)
        except ClassNotFound:
            lexer = get_lexer_for_filename("table.txt")
        code = highlight(file.read_text(), lexer, style)
        yield page_of(file), {"title": name, "body": f"<h1>{name}</h1>{code}"}, "page.html"


def setup(app):
    """Register the links and the pages."""
    app.add_transform(SourceLinks)
    app.connect("html-collect-pages", source_pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
