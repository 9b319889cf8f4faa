"""The order of the pages, kept here and not in them: on GitHub they stay plain pages.

A page that does not exist yet is left out; one that is not named here stands under "More". Pages
of a folder stand below its README, or below the page of the same name, in the order of the links.
"""

SECTIONS = {
    "Start": [
        *("start", "tutorial", "questions", "guide", "gallery/README"),
        "Coming from elsewhere <coming-from>",
    ],
    "Using it": [
        *(
            "which-selector",
            "how",
            "substitutes",
            "Several labels per row <labels>",
            "Numeric targets <numbers>",
            "stopping",
            "Tables <tables>",
            "files",
        ),
        *("elsewhere", "Displays and reports <report>", "interchange", "cli", "compare", "dea"),
    ],
    "Evidence": [
        *("performance", "testing", "Study of selectors <suite/tables>"),
        *("Reproduction <reproduction>", "Papers <papers/README>"),
    ],
    "Project": ["stability", "releasing"],
    "Reference": [
        *("Overview <reference>", "reference-selectors", "reference-tables"),
        *("reference-information", "reference-dea", "reference-report"),
    ],
}


def add_contents(app, docname, source):
    """Append the tables of contents to the pages that have one: the first, and those of folders."""
    pages = sorted(app.env.found_docs)
    text = source[0]
    if docname == app.config.root_doc:
        named = {_page(entry) for section in SECTIONS.values() for entry in section}
        rest = [page for page in pages if page not in named | {docname} and "/" not in page]
        for caption, section in {**SECTIONS, "More": rest}.items():
            source[0] += _contents([entry for entry in section if _page(entry) in pages], caption)
    folder = docname.removesuffix("README") if docname.endswith("/README") else f"{docname}/"
    inside = [page for page in pages if page.startswith(folder) and page != docname]
    inside.sort(key=lambda page: text.find(f"]({page.removeprefix(folder)}.md") % (len(text) + 1))
    source[0] += _contents([f"/{page}" for page in inside], "")


def _page(entry):
    """Return the page of "title <page>", or of "page", which has its own title."""
    return entry.partition("<")[2].rstrip(">") or entry


def _contents(entries, caption):
    if not entries:
        return ""
    lines = ["", "", "```{toctree}", ":hidden:", f":caption: {caption}" if caption else ""]
    return "\n".join([*lines, "", *entries, "```", ""])


def add_levels(app, pagename, template, context, doctree):
    """Give the captions of the sections, which are headings, a level."""
    tree = context.get("furo_navigation_tree", "")
    leveled = tree.replace('role="heading"', 'role="heading" aria-level="2"')
    context["furo_navigation_tree"] = leveled


def setup(app):
    """Listen for pages that are read, and for those that are written, after the theme did."""
    app.connect("source-read", add_contents)
    app.connect("html-page-context", add_levels, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
