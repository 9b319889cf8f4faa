"""The `deacs` command: its verbs, its errors in one line, its exit codes."""

import os
import sys
from typing import Annotated

import typer
from rich.console import Console

from deacs import __version__
from deacs.cli.compare import compare
from deacs.cli.datasets import datasets
from deacs.cli.dea import dea
from deacs.cli.demo import demo
from deacs.cli.reproduce import reproduce
from deacs.cli.select import select
from deacs.exceptions import InputError

__all__ = ["app", "main"]

USAGE_ERROR = 2

app = typer.Typer(
    name="deacs",
    help="Pick the features that tell classes apart, and say which class each feature serves.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(select)
app.command()(compare)
app.command()(dea)
app.command()(reproduce)
app.add_typer(datasets, name="datasets")
app.command()(demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deacs {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Options of the command itself."""


def main() -> None:
    """Run the command; bad input is one line on the error stream and exit code 2."""
    try:
        app()
    except (InputError, TypeError, ValueError, OSError) as error:
        if os.environ.get("DEACS_DEBUG"):
            raise
        # highlight=False and markup=False: names from the user's file are text, never markup.
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print("error:", style="bold red", end=" ")
        console.print(str(error), markup=False)
        sys.exit(USAGE_ERROR)
