"""A report to try: the one-file page of the wine, made when the site is."""

MARK = "<!-- sample report -->"
NAME = "wine-report.html"


def add_link(app, docname, source):
    """Put a link in the place of the mark, which the repository does not show."""
    above = "../" * docname.count("/")
    link = f'<a class="try" href="{above}{NAME}">Open the report of the wine</a>'
    source[0] = source[0].replace(MARK, link)


def write(app, failure):
    """Select on the wine, and write the page."""
    if failure or app.builder.format != "html":
        return
    from sklearn.datasets import load_wine

    from deacs import DEACS
    from deacs.report import write_html

    bunch = load_wine(as_frame=True)
    X, y = bunch.data, bunch.target_names[bunch.target]
    write_html(DEACS(n_features_to_select=3).fit(X, y), app.outdir / NAME)


def setup(app):
    """Listen for pages that are read, and for the end."""
    app.connect("source-read", add_link)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
