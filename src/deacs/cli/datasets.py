"""`deacs datasets`: list, describe and fetch the data sets for experiments."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.choices import ChoiceCommand, ChoiceGroup
from deacs.cli.console import terminal
from deacs.cli.layout import new_table, split_to_fit
from deacs.cli.notes import collected_notes, show_notes
from deacs.cli.reading import Json
from deacs.exceptions import InputError

if TYPE_CHECKING:
    from deacs.experiments.registry import DatasetInfo

__all__ = ["datasets"]

datasets = typer.Typer(
    cls=ChoiceGroup,
    help="List, describe and fetch the data sets of the experiments.",
    no_args_is_help=True,
)

Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Names, as `list` shows them.")]


@datasets.command("list", cls=ChoiceCommand)
def list_(as_json: Json = False) -> None:
    """List the data sets by name and shape."""
    from deacs.experiments import PAPER_SETS, REGISTRY

    if as_json:
        _print(REGISTRY.values())
        return
    table = new_table()
    table.add_column("name", style="bold", overflow="fold")
    for column in ("rows", "features", "classes", "OpenML", "paper"):
        table.add_column(column, justify="right")
    for info in REGISTRY.values():
        number = PAPER_SETS.index(info.name) + 1 if info.name in PAPER_SETS else ""
        shape = (f"{info.n_rows:,}", f"{info.n_features:,}", str(info.n_classes))
        table.add_row(info.name, *shape, str(info.openml_id or ""), str(number))
    console = terminal()
    console.print(split_to_fit(table, console))


@datasets.command(cls=ChoiceCommand)
def describe(names: Names, as_json: Json = False) -> None:
    """Describe data sets and their peculiarities; nothing is fetched."""
    from deacs.experiments.registry import dataset_info

    with _said_of_names():
        known = [dataset_info(name) for name in names]
    if as_json:
        _print(known)
        return
    console = terminal(soft_wrap=True)
    for info in known:
        console.print(f"{info.name}: {info.n_rows} rows, {info.n_features} features, "
                   f"{info.n_classes} classes")  # fmt: skip
        if info.openml_id is not None:
            console.print(f"  OpenML: https://www.openml.org/d/{info.openml_id}")
        if info.dropped:
            console.print(f"  Left out: {', '.join(info.dropped)}")
        if info.sha256 is not None:
            console.print(f"  Checksum: {info.sha256}")
        if info.note:
            console.print(f"  {info.note}")


@datasets.command(cls=ChoiceCommand)
def fetch(names: Names, as_json: Json = False) -> None:
    """Load and check data sets: from DEACS_DATA, from scikit-learn, or from OpenML."""
    from deacs.experiments import load_dataset
    from deacs.experiments.registry import dataset_info

    console = terminal(soft_wrap=True)
    fetched = []
    with _said_of_names():
        known = [dataset_info(name) for name in names]
    for name in names:
        with collected_notes() as notes:
            # scikit-learn warns on every retry; the final error is enough.
            warnings.filterwarnings("ignore", "A network error occurred")
            dataset = load_dataset(name)
        discrete = int(dataset.discrete.sum())
        fetched.append(
            {
                "n_nominal": discrete,
                "source": dataset.source,
                "checksum": dataset.checksum,
                "notes": notes,
            }
        )
        if as_json:
            continue
        console.print(f"{name}: {dataset.n_rows} rows, {dataset.n_features} features ({discrete} "
                   f"nominal), {len(dataset.classes)} classes, from {dataset.source}, "
                   f"checksum {dataset.checksum[:12]}")  # fmt: skip
        show_notes(notes, console)
    if as_json:
        _print(known, fetched)


@contextmanager
def _said_of_names() -> Iterator[None]:
    """Word errors of the registry in terms of the names on the command line."""
    try:
        yield
    except InputError as error:
        raise InputError(error.worded(lambda _: "NAME")) from error


def _print(known: "Iterable[DatasetInfo]", fetched: Iterable[dict[str, Any]] = ()) -> None:
    """Print what is known about data sets, and what fetching them found."""
    from deacs.cli.json_output import document, print_json
    from deacs.experiments import PAPER_SETS

    entries = [
        {
            "name": info.name,
            "n_rows": info.n_rows,
            "n_features": info.n_features,
            "n_classes": info.n_classes,
            "openml_id": info.openml_id,
            "paper": PAPER_SETS.index(info.name) + 1 if info.name in PAPER_SETS else None,
            "left_out": list(info.dropped),
            "note": info.note,
        }
        for info in known
    ]
    for entry, found in zip(entries, fetched, strict=False):
        entry |= found
    print_json(document("datasets", 1, {"datasets": entries}))
