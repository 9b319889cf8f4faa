"""`deacs reproduce`: the paper's experiment, or its honest twin, into a folder; resumable."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deacs.cli.compare import ProtocolName, Workbench, draw, numbers
from deacs.cli.console import terminal
from deacs.cli.notes import collected_notes, show_notes
from deacs.cli.outputs import check_folder
from deacs.cli.reading import Json
from deacs.exceptions import InputError
from deacs.report.files import replace

if TYPE_CHECKING:
    from deacs.experiments import Comparison, Dataset, Results

__all__ = ["reproduce"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs reproduce --protocol paper --out paper -j -1[/cyan]
  Table 2 of the DEA-CS paper: ten sets, six methods, the first 1 to 30 features

  [cyan]deacs reproduce --sets flags,splice --methods dea-cs,jmi --out small[/cyan]
  other methods on two of the sets, everything inside the training folds

A run that was killed goes on where it was when the command is given again.
"""


def reproduce(
    sets: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Data sets. Default: the ten of the paper."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", "-m", metavar="A,B", help="Default: the six of the paper."),
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
    protocol: Annotated[
        ProtocolName, typer.Option(help="Which rows select, train and test.")
    ] = ProtocolName.nested,
    k: Annotated[
        int, typer.Option("-k", "--max-features", help="Curves go from 1 to this many features.")
    ] = 30,
    sizes: Annotated[
        list[str] | None,
        typer.Option(metavar="1,2,5", help="Score only these numbers of features. Default: all."),
    ] = None,
    folds: Annotated[int | None, typer.Option(help="Default: 10.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Splits anew so many times.")] = None,
    seed: Annotated[int, typer.Option(help="Shuffles the rows.")] = 0,
    out: Annotated[
        Path,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="DIR",
            help="The folder of results; what it holds is kept.",
        ),
    ] = Path("reproduction"),
    figures: Annotated[
        bool, typer.Option(help="Draw curves, average ranks and frontiers beside the tables.")
    ] = True,
    step: Annotated[
        int | None,
        typer.Option(
            help="Whose frontier is drawn. Default: the first step at which the plain sum of "
            "scores would pick another feature."
        ),
    ] = None,
    as_json: Json = False,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Try again what failed before.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Processes; -1 is all cores. Same numbers.")
    ] = -1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Run methods on data sets of the registry and write the table of best accuracies."""
    # Loaded here, so that --help and a mistyped option answer at once.
    from deacs.cli.bench_view import show_comparison, show_errors, table_of
    from deacs.cli.json_output import document, print_json
    from deacs.cli.progress import cell_progress
    from deacs.cli.wording import listed, said_in_options
    from deacs.experiments import PAPER_METHODS, WORKBENCHES, compare_results, make_protocol, run
    from deacs.experiments.published import PUBLISHED, reproduction_page

    console = terminal()
    check_folder("--output", out)
    names = listed(methods) or list(PAPER_METHODS)
    judges = listed(classifiers) or list(WORKBENCHES[workbench.value])
    scored = numbers(sizes)
    with said_in_options():
        plan = make_protocol(protocol.value, n_splits=folds, n_repeats=repeats, seed=seed)
    with said_in_options(), cell_progress(quiet=quiet or as_json) as progress:
        with collected_notes() as notes:
            warnings.filterwarnings("ignore", "A network error occurred")
            datasets, absent = _load(listed(sets))
        results = run(
            datasets,
            out,
            methods=names,
            classifiers=judges,
            protocol=plan,
            max_features=k,
            sizes=scored,
            seed=seed,
            n_jobs=jobs,
            retry_errors=retry_errors,
            progress=progress,
        )
    comparison = compare_results(results, [d.name for d in datasets], names, judges, scored)
    _write(out, comparison, results)
    if any(where in PUBLISHED for where in comparison.curves):
        page = reproduction_page(comparison, plan.label, absent)
        replace(out / "beside-paper.md", page.encode())
    if figures:
        with said_in_options():
            draw(out, comparison, datasets, step, terminal(stderr=True))
    if as_json:
        content = {
            "folder": str(out),
            "protocol": plan.label,
            "classifiers": judges,
            "bests": table_of(comparison),
            "errors": results.errors,
            "left_out": absent,
            "notes": notes,
        }
        print_json(document("reproduce", 1, content))
        raise typer.Exit(1 if results.errors else 0)
    show_comparison(comparison, plan, console)
    show_notes(notes, console)
    for reason in absent:
        console.print(f"Left out: {reason}")
    console.print(f"Tables, curves and every cell are in {out}")
    show_errors(results, console)
    if results.errors:
        raise typer.Exit(1)


def _load(names: list[str]) -> "tuple[list[Dataset], list[str]]":
    """Load the named sets, or those of the paper that can be had and why others cannot."""
    from deacs.experiments import PAPER_SETS, load_dataset

    if names:
        return [load_dataset(name) for name in names], []
    loaded, absent = [], []
    for name in PAPER_SETS:
        try:
            loaded.append(load_dataset(name))
        except InputError as error:
            absent.append(str(error))
    if not loaded:
        raise InputError(
            "none of the paper's data sets can be had; the first: "
            f"{absent[0]}; or name sets that ship with scikit-learn: --sets wine,iris"
        )
    return loaded, absent


def _write(out: Path, comparison: "Comparison", results: "Results") -> None:
    from deacs.experiments.tables import (
        FORMATS,
        curve_rows,
        ending_rows,
        markdown,
        render,
        written,
    )

    suffixes = {"markdown": "md", "latex": "tex", "csv": "csv"}
    for format in FORMATS:
        replace(out / f"best.{suffixes[format]}", render(comparison, format).encode())
    replace(out / "curves.csv", written(curve_rows(comparison)).encode())
    endings = ending_rows(results, comparison.sets, comparison.methods)
    replace(out / "endings.md", markdown(endings).encode())


reproduce.__doc__ = f"{reproduce.__doc__}\n{EXAMPLES}"
