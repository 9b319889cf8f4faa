"""The tutorial as a notebook: `python docs/_site/notebook.py` writes docs/tutorial.ipynb anew.

The page is the source: its text becomes cells of text, its examples cells of code, and running
them gives the outputs.
"""

import doctest
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parents[1]
PAGE, NOTEBOOK = DOCS / "tutorial.md", DOCS / "tutorial.ipynb"
LINK_TO_ITSELF = "The same page as a notebook:\n[tutorial.ipynb](tutorial.ipynb). "


def cells_of(page):
    """Return (kind, source) of each cell: an example that must fail has a cell of its own."""
    cells = []
    for part in re.split(r"(^```python\n.*?^```\n)", page, flags=re.DOTALL | re.MULTILINE):
        if not part.startswith("```python"):
            text = part.replace(LINK_TO_ITSELF, "").strip()
            cells += [("markdown", text)] if text else []
            continue
        lines = ""
        for example in doctest.DocTestParser().get_examples(part):
            lines += example.source
            if example.exc_msg or example.want:
                kind = "raises" if example.exc_msg else "code"
                cells.append((kind, lines.rstrip()))
                lines = ""
        cells += [("code", lines.rstrip())] if lines else []
    return cells


def notebook_of(page):
    """Return the page as a notebook that has not run."""
    from nbformat import v4

    made = []
    for number, (kind, source) in enumerate(cells_of(page)):
        if kind == "markdown":
            made.append(v4.new_markdown_cell(source, id=f"cell-{number}"))
        else:
            tags = {"tags": ["raises-exception"]} if kind == "raises" else {}
            made.append(v4.new_code_cell(source, id=f"cell-{number}", metadata=tags))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return v4.new_notebook(cells=made, metadata={"kernelspec": kernel})


def run(notebook):
    """Run all cells, and keep of errors only what they say."""
    from nbclient import NotebookClient

    NotebookClient(notebook, timeout=600, record_timing=False).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                output.evalue = re.sub(r"/\S+/", "", output.evalue)
                output.traceback = [f"{output.ename}: {output.evalue}"]
    notebook.metadata.pop("language_info", None)
    return notebook


if __name__ == "__main__":
    import nbformat

    made = run(notebook_of(PAGE.read_text()))
    nbformat.write(made, NOTEBOOK)
    sys.exit(0)
