"""`deacs demo`: the main job on data that ships with scikit-learn."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deacs.exceptions import InputError

__all__ = ["demo"]


def demo(
    report: Annotated[
        Path, typer.Option(metavar="HTML", help="Where the page with charts goes.")
    ] = Path("deacs-demo.html"),
) -> None:
    """Select features of the wine data (178 rows, 13 measurements, 3 growers) and show why."""
    import polars as pl
    from sklearn.datasets import load_wine

    from deacs import encode
    from deacs.cli.summary import summarize
    from deacs.cli.view import show
    from deacs.report import summarize_path, write_page
    from deacs.selection import dea_cs

    console = Console(highlight=False)
    console.print(
        "The wine data of scikit-learn: 13 chemical measurements of wines from 3 growers.\n"
        "Which measurements tell the growers apart, and which grower does each one serve?"
    )
    wine = load_wine()
    X = pl.DataFrame(wine.data, schema=list(wine.feature_names))
    data = encode(X, wine.target_names[wine.target])
    path, settings = dea_cs(data), {"method": "dea-cs", "judge": "radial"}
    show(summarize(path, data, settings), console)
    try:
        page = summarize_path(path, data, settings, snippet="deacs demo")
        write_page(page, report, title="The wines of three growers")
    except InputError as error:
        console.print(f"\nNo page was written: {error}", markup=False)
    else:
        console.print(f"\nThe page with charts: {report.resolve().as_uri()}", markup=False)
    console.print("\nYour own table:  deacs select FILE.csv --target COLUMN -k 10")
