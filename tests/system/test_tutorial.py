"""The tutorial's notebook: the page's cells, and each of them runs."""

import importlib.util
import warnings
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the dev extra has what runs notebooks")
pytest.importorskip("nbclient", reason="the dev extra has what runs notebooks")
pytest.importorskip("ipykernel", reason="the dev extra has what runs notebooks")

DOCS = Path(__file__).parents[2] / "docs"
spec = importlib.util.spec_from_file_location("notebook", DOCS / "_site" / "notebook.py")
notebook = importlib.util.module_from_spec(spec)
spec.loader.exec_module(notebook)

ANEW = "python docs/_site/notebook.py writes it anew"


def sources(made):
    return [(cell.cell_type, cell.source) for cell in made.cells]


def test_the_notebook_has_the_cells_of_the_page():
    kept = nbformat.read(DOCS / "tutorial.ipynb", as_version=4)
    assert sources(kept) == sources(notebook.notebook_of((DOCS / "tutorial.md").read_text())), ANEW


def test_every_cell_of_the_notebook_runs_and_gives_what_it_shows():
    kept = nbformat.read(DOCS / "tutorial.ipynb", as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the notebook's own server
        ran = notebook.run(notebook.notebook_of((DOCS / "tutorial.md").read_text()))
    for cell, twin in zip(kept.cells, ran.cells, strict=True):
        shown, given = (
            ["".join(output.get("data", {}).get("text/plain", output.get("evalue", "")))]
            for output in ([*c.get("outputs", []), {}][0] for c in (cell, twin))
        )
        assert shown == given, f"{cell.source}: {ANEW}"
