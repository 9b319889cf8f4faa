"""`deacs reproduce`: run the paper's experiment, or an unbiased version of it; resumable."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deacs.cli.bench_options import BenchOptions, classifiers_of, draw, protocol_of, sizes_of
from deacs.cli.console import terminal
from deacs.cli.lists import listed
from deacs.cli.notes import collected_notes, show_notes
from deacs.cli.outputs import check_folder
from deacs.cli.reading import Json, Processes, Quiet
from deacs.cli.verbs import verb
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

  An interrupted run resumes when the same command is given again.
"""


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(BenchOptions):
    """Options of `deacs reproduce`."""

    sets: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B", help="Data sets. Default: the ten of the paper."),
    ] = None
    methods: Annotated[
        list[str] | None,
        typer.Option("--methods", "-m", metavar="A,B", help="Default: the six of the paper."),
    ] = None
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="DIR",
            help="The folder of results; existing ones are kept.",
        ),
    ] = Path("reproduction")
    figures: Annotated[
        bool, typer.Option(help="Draw curves, average ranks and frontiers beside the tables.")
    ] = True
    as_json: Json = False
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="Retry what failed before.")
    ] = False
    n_jobs: Processes = -1
    quiet: Quiet = False


@verb(ReproduceOptions, EXAMPLES)
def reproduce(options: ReproduceOptions) -> None:
    """Run methods on registered data sets and write the table of best accuracies."""
    # Imported here, so that --help and errors in options appear at once.
    from deacs.cli.bench_view import show_comparison, show_errors, table_of
    from deacs.cli.json_output import document, print_json
    from deacs.cli.progress import cell_progress
    from deacs.experiments import PAPER_METHODS, compare_results, run
    from deacs.experiments.published import PUBLISHED, reproduction_page

    out = options.output
    check_folder("--output", out)
    names = listed(options.methods) or list(PAPER_METHODS)
    judges, sizes, protocol = classifiers_of(options), sizes_of(options), protocol_of(options)
    with cell_progress(quiet=options.quiet or options.as_json) as progress:
        with collected_notes() as notes:
            warnings.filterwarnings("ignore", "A network error occurred")
            datasets, absent = _load(listed(options.sets))
        results = run(
            datasets,
            out,
            methods=names,
            classifiers=judges,
            protocol=protocol,
            max_features=options.max_features,
            sizes=sizes,
            seed=options.seed,
            n_jobs=options.n_jobs,
            retry_errors=options.retry_errors,
            progress=progress,
        )
    comparison = compare_results(results, [d.name for d in datasets], names, judges, sizes)
    _write(out, comparison, results)
    if any(where in PUBLISHED for where in comparison.curves):
        page = reproduction_page(comparison, protocol.label, absent)
        replace(out / "beside-paper.md", page.encode())
    if options.figures:
        draw(out, comparison, datasets, options.step)
    if options.as_json:
        content = {
            "folder": str(out),
            "protocol": protocol.label,
            "classifiers": judges,
            "bests": table_of(comparison),
            "errors": results.errors,
            "left_out": absent,
            "notes": notes,
        }
        print_json(document("reproduce", 1, content))
        raise typer.Exit(1 if results.errors else 0)
    console = terminal()
    show_comparison(comparison, protocol, console)
    show_notes(notes, console)
    for reason in absent:
        console.print(f"Left out: {reason}")
    console.print(f"Tables, curves and every cell are in {out}")
    show_errors(results, console)
    if results.errors:
        raise typer.Exit(1)


def _load(names: list[str]) -> "tuple[list[Dataset], list[str]]":
    """Load the named data sets, or those of the paper that are available and why others are not."""
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
            "none of the paper's data sets is available; the first: "
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
