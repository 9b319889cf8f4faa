"""`deacs datasets`: what the experiment bench can run on, and where it comes from."""

from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

__all__ = ["datasets"]

datasets = typer.Typer(
    help="List, describe and fetch the data sets of the experiment bench.", no_args_is_help=True
)

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names, as `list` shows them.")]


@datasets.command("list")
def list_() -> None:
    """List the data sets by name and shape."""
    from deacs.experiments import PAPER_SETS, REGISTRY

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("name", style="bold", no_wrap=True)
    for column in ("rows", "features", "classes", "OpenML", "paper"):
        table.add_column(column, justify="right")
    for info in REGISTRY.values():
        number = PAPER_SETS.index(info.name) + 1 if info.name in PAPER_SETS else ""
        shape = (f"{info.n_rows:,}", f"{info.n_features:,}", str(info.n_classes))
        table.add_row(info.name, *shape, str(info.openml_id or ""), str(number))
    Console(highlight=False).print(table)


@datasets.command()
def describe(names: Names) -> None:
    """Describe data sets: what they are and what to know about them; nothing is fetched."""
    from deacs.experiments.registry import dataset_info

    for name in names:
        info = dataset_info(name)
        typer.echo(f"{info.name}: {info.n_rows} rows, {info.n_features} features, "
                   f"{info.n_classes} classes")  # fmt: skip
        if info.openml_id is not None:
            typer.echo(f"  OpenML: https://www.openml.org/d/{info.openml_id}")
        if info.dropped:
            typer.echo(f"  Left out: {', '.join(info.dropped)}")
        if info.sha256 is not None:
            typer.echo(f"  Checksum: {info.sha256}")
        if info.note:
            typer.echo(f"  {info.note}")


@datasets.command()
def fetch(names: Names) -> None:
    """Load and check data sets: from DEACS_DATA, from scikit-learn, or from OpenML."""
    from deacs.experiments import load_dataset

    for name in names:
        dataset = load_dataset(name)
        discrete = int(dataset.discrete.sum())
        typer.echo(f"{name}: {dataset.n_rows} rows, {dataset.n_features} features ({discrete} "
                   f"nominal), {len(dataset.classes)} classes, from {dataset.source}, "
                   f"checksum {dataset.checksum[:12]}")  # fmt: skip
