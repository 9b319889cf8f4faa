"""Options shared by `deacs compare` and `deacs reproduce`."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deacs.cli.choices import choice
from deacs.cli.console import terminal
from deacs.cli.lists import listed
from deacs.exceptions import InputError

if TYPE_CHECKING:
    from deacs.experiments import Comparison, Dataset, Protocol

__all__ = [
    "Classifiers",
    "Folds",
    "MaxFeatures",
    "ProtocolName",
    "Repeats",
    "Seed",
    "Sizes",
    "Step",
    "Workbench",
    "classifiers_of",
    "draw",
    "protocol_of",
    "sizes_of",
]

Workbench = Annotated[
    str, choice("workbench", help="The library of the four classifiers (weka needs Java):")
]
Classifiers = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B",
        help="Others instead: nb, svm, 1-nn, tree, weka-nb, weka-smo, weka-ibk, weka-j48; "
        "for numbers ridge, svr, 5-nn, regression-tree; or any of scikit-learn by name.",
    ),
]
MaxFeatures = Annotated[
    int, typer.Option("-k", "--max-features", help="The largest number of features on a curve.")
]
Sizes = Annotated[
    list[str] | None,
    typer.Option(metavar="1,2,5", help="Score only these numbers of features. Default: all."),
]
ProtocolName = Annotated[str, choice("protocol", help="The rows used to select, train and test:")]
Folds = Annotated[int | None, typer.Option("--folds", help="Default: 10.")]
Repeats = Annotated[int | None, typer.Option("--repeats", help="The number of random splits.")]
Seed = Annotated[int, typer.Option(help="The seed for shuffling rows.")]
Step = Annotated[
    int | None,
    typer.Option(
        help="The step to draw. Default: the first at which the plain sum of "
        "scores would pick another feature."
    ),
]


def protocol_of(options: Any) -> "Protocol":
    """Return how rows are split."""
    from deacs.experiments import make_protocol

    return make_protocol(
        options.protocol, n_splits=options.n_splits, n_repeats=options.n_repeats, seed=options.seed
    )


def classifiers_of(options: Any, *, of_numbers: bool = False) -> list[str]:
    """Return the classifiers, or regressors, that score selections."""
    from deacs.experiments import REGRESSORS, WORKBENCHES

    default = REGRESSORS if of_numbers else WORKBENCHES[options.workbench]
    return listed(options.classifiers) or list(default)


def sizes_of(options: Any) -> list[int] | None:
    """Read `--sizes 1,2,5`."""
    given = listed(options.sizes)
    if any(not size.isdecimal() for size in given):
        raise InputError(f"--sizes must be whole numbers such as 1,2,5, got {','.join(given)}")
    return [int(size) for size in given] or None


def draw(
    folder: Path, comparison: "Comparison", datasets: "list[Dataset]", step: int | None
) -> None:
    """Write the figures; raise an error if matplotlib is missing."""
    if find_spec("matplotlib") is None:
        needs = "No figures: they need matplotlib; pip install 'deacs[report]'"
        terminal(stderr=True).print(needs)
        return
    from deacs.report.figures import write_figures

    write_figures(folder, comparison, datasets, step=step)
