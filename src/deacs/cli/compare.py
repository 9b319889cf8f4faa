"""`deacs compare`: several methods on a user's own table, judged by classifiers on unseen rows."""

import tempfile
from contextlib import ExitStack
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deacs.cli.completion import complete_column, complete_columns
from deacs.cli.console import terminal
from deacs.cli.outputs import check_folder
from deacs.cli.reading import (
    Delimiter,
    DropUnlabelled,
    Encoding,
    FileFormat,
    Json,
    MissingMarker,
    NoHeader,
    TableFile,
    how_to_read,
)
from deacs.exceptions import InputError

if TYPE_CHECKING:
    from deacs.experiments import Comparison, Dataset

__all__ = ["ProtocolName", "Workbench", "compare", "draw", "numbers"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs compare patients.csv --target diagnosis --methods dea-cs,mrmr,jmi[/cyan]
  which method selects best, by four classifiers in ten-fold cross-validation

  [cyan]deacs compare patients.csv -t diagnosis --methods dea-cs,cmim --out results -j -1[/cyan]
  on all cores; a run that was killed goes on where it was

  [cyan]deacs compare patients.csv -t diagnosis --figures figures[/cyan]
  draws accuracy by number of features, and the frontier that DEA-CS decides by
"""


class ProtocolName(StrEnum):
    """Which rows select, train and test."""

    nested = "nested"
    repeated = "repeated"
    held_out = "held-out"
    bootstrap = "bootstrap"
    paper = "paper"
    paper_weka = "paper-weka"


class Workbench(StrEnum):
    """Whose classifiers judge."""

    sklearn = "sklearn"
    weka = "weka"


def compare(
    file: TableFile,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            "-t",
            metavar="COLUMN",
            help="The class column ('label' in libsvm files).",
            autocompletion=complete_column,
        ),
    ],
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="A,B",
            help="As deacs select --method takes them. Default: dea-cs,mrmr,jmi.",
        ),
    ] = None,
    workbench: Annotated[
        Workbench, typer.Option(help="Whose four classifiers judge; weka needs Java.")
    ] = Workbench.sklearn,
    classifiers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="What judges instead: nb, svm, 1-nn, tree, weka-nb, weka-smo, weka-ibk, weka-j48, "
            "or any classifier of scikit-learn by its name.",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", "--max-features", help="Curves go from 1 to this many features.")
    ] = 30,
    sizes: Annotated[
        list[str] | None,
        typer.Option(metavar="1,2,5", help="Score only these numbers of features. Default: all."),
    ] = None,
    protocol: Annotated[
        ProtocolName, typer.Option(help="Which rows select, train and test.")
    ] = ProtocolName.nested,
    folds: Annotated[int | None, typer.Option(help="Default: 10.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Splits anew so many times.")] = None,
    seed: Annotated[int, typer.Option(help="Shuffles the rows.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="DIR",
            help="Keep results in this folder, and go on with what it holds.",
        ),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the curves, and the frontier of a step, into DIR."),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            help="Whose frontier is drawn. Default: the first step at which the plain sum of "
            "scores would pick another feature."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Columns to leave out.", autocompletion=complete_columns),
    ] = None,
    discrete: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B",
            help="Number columns that are categories, not quantities.",
            autocompletion=complete_columns,
        ),
    ] = None,
    as_json: Json = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Processes; -1 is all cores. Same numbers.")
    ] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
    format: FileFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    missing_marker: MissingMarker = None,
    no_header: NoHeader = False,
    drop_unlabelled: DropUnlabelled = False,
) -> None:
    """Compare how well methods select the features of FILE that tell TARGET's classes apart."""
    # Loaded here, so that --help and a mistyped option answer at once.
    from deacs import encode
    from deacs.cli.bench_view import show_comparison, show_errors, table_of
    from deacs.cli.columns import kinds_of
    from deacs.cli.doubts import doubts
    from deacs.cli.json_output import document, print_json
    from deacs.cli.notes import collected_notes, show_notes
    from deacs.cli.progress import cell_progress
    from deacs.cli.wording import listed, said_in_options
    from deacs.experiments import (
        WORKBENCHES,
        compare_results,
        dataset_from_table,
        make_protocol,
        run,
    )
    from deacs.tables.files import read_table

    console = terminal()
    check_folder("--output", out)
    check_folder("--figures", figures)
    names = listed(methods) or ["dea-cs", "mrmr", "jmi"]
    judges = listed(classifiers) or list(WORKBENCHES[workbench.value])
    scored = numbers(sizes)
    with said_in_options():
        plan = make_protocol(protocol.value, n_splits=folds, n_repeats=repeats, seed=seed)
    with ExitStack() as stack:
        stack.enter_context(said_in_options())
        progress = stack.enter_context(cell_progress(quiet=quiet or as_json))
        reading = how_to_read(format, delimiter, encoding, missing_marker, no_header)
        reading["drop_unlabelled"] = drop_unlabelled
        X, y = read_table(file, target=target, exclude=listed(exclude), **reading)
        if X.width == 0:
            raise InputError("no columns are left to select from; the target is not a feature")
        kinds = kinds_of(X, discrete)
        with collected_notes() as warned:
            data = encode(X, y, discrete_features=kinds)
        notes = doubts(X, data, target, X.columns, listed(discrete), warned)
        dataset = dataset_from_table(file.name, X, y, kinds)
        folder = out or stack.enter_context(tempfile.TemporaryDirectory(prefix="deacs-"))
        results = run(
            dataset,
            folder,
            methods=names,
            classifiers=judges,
            protocol=plan,
            max_features=min(k, X.width),
            sizes=scored,
            seed=seed,
            n_jobs=jobs,
            progress=progress,
        )
    comparison = compare_results(results, [dataset.name], names, judges, scored)
    if figures is not None:
        with said_in_options():
            draw(figures, comparison, [dataset], step, terminal(stderr=True))
    if as_json:
        content = {
            "file": str(file),
            "target": target,
            "protocol": plan.label,
            "classifiers": judges,
            "bests": table_of(comparison),
            "errors": results.errors,
            "notes": notes,
        }
        print_json(document("compare", 1, content))
    else:
        show_comparison(comparison, plan, console)
        show_notes(notes, console)
        show_errors(results, console)
    if results.errors:
        raise typer.Exit(1)


def numbers(sizes: list[str] | None) -> list[int] | None:
    """Read `--sizes 1,2,5`."""
    from deacs.cli.wording import listed

    given = listed(sizes)
    if any(not size.isdecimal() for size in given):
        raise InputError(f"--sizes must be whole numbers such as 1,2,5, got {','.join(given)}")
    return [int(size) for size in given] or None


def draw(
    folder: Path,
    comparison: "Comparison",
    datasets: "list[Dataset]",
    step: int | None,
    console: Console,
) -> None:
    """Write the figures, or say what they need."""
    if find_spec("matplotlib") is None:
        console.print("No figures: they need matplotlib; pip install 'deacs[report]'")
        return
    from deacs.report.figures import write_figures

    write_figures(folder, comparison, datasets, step=step)


compare.__doc__ = f"{compare.__doc__}\n{EXAMPLES}"
