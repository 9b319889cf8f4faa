"""Options shared by `deacs compare` and `deacs reproduce`."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deacs.cli.choices import choice
from deacs.cli.console import terminal
from deacs.cli.lists import listed
from deacs.exceptions import InputError

if TYPE_CHECKING:
    from deacs.experiments import Comparison, Dataset, Protocol

__all__ = ["BenchOptions", "classifiers_of", "draw", "protocol_of", "sizes_of"]

PANEL = "Scoring the selections"


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """Options of commands that score selections by classifiers."""

    workbench: Annotated[
        str,
        choice(
            "workbench", help="The library of the four classifiers (weka needs Java):", panel=PANEL
        ),
    ] = "sklearn"
    classifiers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Others instead: nb, svm, 1-nn, tree, weka-nb, weka-smo, weka-ibk, weka-j48; "
            "for numbers ridge, svr, 5-nn, regression-tree; or any of scikit-learn by name.",
            rich_help_panel=PANEL,
        ),
    ] = None
    protocol: Annotated[
        str, choice("protocol", help="The rows used to select, train and test:", panel=PANEL)
    ] = "nested"
    max_features: Annotated[
        int,
        typer.Option(
            "-k",
            "--max-features",
            help="The largest number of features on a curve.",
            rich_help_panel=PANEL,
        ),
    ] = 30
    sizes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="1,2,5",
            help="Score only these numbers of features. Default: of deacs compare 1, 2, 3, 5, 10, "
            "20, 30 and 50, up to -k; of deacs reproduce all.",
            rich_help_panel=PANEL,
        ),
    ] = None
    n_splits: Annotated[
        int | None, typer.Option("--folds", help="Default: 10.", rich_help_panel=PANEL)
    ] = None
    n_repeats: Annotated[
        int | None,
        typer.Option("--repeats", help="The number of random splits.", rich_help_panel=PANEL),
    ] = None
    seed: Annotated[
        int, typer.Option(help="The seed for shuffling rows.", rich_help_panel=PANEL)
    ] = 0
    step: Annotated[
        int | None,
        typer.Option(
            help="The step to draw. Default: the first at which the plain sum of "
            "scores would pick another feature.",
            rich_help_panel=PANEL,
        ),
    ] = None


def protocol_of(options: BenchOptions) -> "Protocol":
    """Return how rows are split."""
    from deacs.experiments import make_protocol

    return make_protocol(
        options.protocol, n_splits=options.n_splits, n_repeats=options.n_repeats, seed=options.seed
    )


def classifiers_of(options: BenchOptions, *, of_numbers: bool = False) -> list[str]:
    """Return the classifiers, or regressors, that score selections."""
    from deacs.experiments import REGRESSORS, WORKBENCHES

    default = REGRESSORS if of_numbers else WORKBENCHES[options.workbench]
    return listed(options.classifiers) or list(default)


def sizes_of(options: BenchOptions) -> list[int] | None:
    """Read `--sizes 1,2,5`."""
    given = listed(options.sizes)
    if any(not size.isdecimal() for size in given):
        raise InputError(f"--sizes must be whole numbers such as 1,2,5, got {','.join(given)}")
    return [int(size) for size in given] or None


def draw(
    folder: Path, comparison: "Comparison", datasets: "list[Dataset]", step: int | None
) -> None:
    """Write the figures, or say on the error stream that matplotlib is missing."""
    if find_spec("matplotlib") is None:
        needs = "No figures: they need matplotlib; pip install 'deacs[report]'"
        terminal(stderr=True).print(needs)
        return
    from deacs.report.figures import write_figures

    write_figures(folder, comparison, datasets, step=step)
