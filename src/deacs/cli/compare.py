"""`deacs compare`: compare methods on a table by the accuracy of classifiers on held-out rows."""

import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from deacs.cli.bench_options import BenchOptions, classifiers_of, draw, protocol_of, sizes_of
from deacs.cli.coding import OneColumnTargetKind, target_of
from deacs.cli.console import terminal
from deacs.cli.lists import listed
from deacs.cli.outputs import check_folder
from deacs.cli.reading import (
    ClassColumn,
    Discrete,
    DropUnlabelled,
    Exclude,
    FileOptions,
    Json,
    Processes,
    Quiet,
    TableFile,
)
from deacs.cli.verbs import verb
from deacs.exceptions import InputError

__all__ = ["compare"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs compare patients.csv --target diagnosis[/cyan]
  which method selects best, by four classifiers in ten-fold cross-validation

  [cyan]deacs compare patients.csv -t diagnosis --methods deacs,cmim --out results -j -1[/cyan]
  on all cores; an interrupted run resumes where it stopped

  [cyan]deacs compare patients.csv -t diagnosis --figures figures[/cyan]
  draws accuracy by number of features, and the frontier by which DEA-CS decides
"""


DEFAULT_METHODS = ("deacs", "published", "cfs", "mrmr", "jmi", "f-test", "all")
DEFAULT_SIZES = (1, 2, 3, 5, 10, 20, 30, 50)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(FileOptions, BenchOptions):
    """Options of `deacs compare`."""

    file: TableFile
    target: ClassColumn
    target_kind: OneColumnTargetKind = None
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            "-m",
            metavar="A,B",
            help="Methods, as for deacs select --method; also published (deacs as published), "
            "f-test (scikit-learn's, f_classif or f_regression) and all (features). Default: "
            f"{','.join(DEFAULT_METHODS)}.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "--out",
            "-o",
            metavar="DIR",
            help="Keep results in this folder, and resume from those it holds.",
        ),
    ] = None
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Draw the curves, and the frontier of a step, into DIR."),
    ] = None
    exclude: Exclude = None
    discrete_features: Discrete = None
    as_json: Json = False
    n_jobs: Processes = 1
    quiet: Quiet = False
    drop_unlabelled: DropUnlabelled = False


@verb(CompareOptions, EXAMPLES)
def compare(options: CompareOptions) -> None:
    """Compare methods by how well the features they select from FILE predict TARGET."""
    # Imported here, so that --help and errors in options appear at once.
    from deacs import encode
    from deacs.cli.bench_view import show_comparison, show_errors, table_of
    from deacs.cli.columns import kinds_of, warn_if_excluded
    from deacs.cli.json_output import document, print_json
    from deacs.cli.notes import collected_notes, show_notes, worded
    from deacs.cli.progress import cell_progress
    from deacs.cli.table_checks import told_once
    from deacs.experiments import chance_level, compare_results, dataset_from_table, run
    from deacs.greedy.notes import table_notes
    from deacs.tables.files import read_table

    check_folder("--output", options.output)
    check_folder("--figures", options.figures)
    names = listed(options.methods) or list(DEFAULT_METHODS)
    protocol = protocol_of(options)
    with ExitStack() as stack:
        progress = stack.enter_context(cell_progress(quiet=options.quiet or options.as_json))
        with collected_notes() as notes:
            X, y = read_table(
                options.file,
                target=options.target,
                exclude=listed(options.exclude),
                drop_unlabelled=options.drop_unlabelled,
                **options.how_to_read,
            )
            warn_if_excluded(options.exclude, [y.name])
            if X.width == 0:
                raise InputError("no columns are left to select from; the target is not a feature")
            kinds = kinds_of(X, options.discrete_features)
            data = encode(X, y, discrete_features=kinds, **target_of(options))
        told = [*notes, *map(worded, table_notes(data, range(data.n_features)))]
        found = told_once(told, X, options.how_to_read)
        dataset = dataset_from_table(options.file.name, X, y, kinds, target=data.about.kind)
        most = min(options.max_features, X.width)
        sizes = sizes_of(options) or [*(m for m in DEFAULT_SIZES if m < most), most]
        judges = classifiers_of(options, of_numbers=dataset.numbers is not None)
        folder = options.output or stack.enter_context(tempfile.TemporaryDirectory(prefix="deacs-"))
        results = run(
            dataset,
            folder,
            methods=names,
            classifiers=judges,
            protocol=protocol,
            max_features=most,
            sizes=sizes,
            discretizer=None,
            seed=options.seed,
            n_jobs=options.n_jobs,
            progress=progress,
        )
    chance = chance_level(dataset, protocol)
    comparison = compare_results(results, [dataset.name], names, judges, sizes)
    if options.as_json:
        content = {
            "file": str(options.file),
            "target": y.name,
            "protocol": protocol.label,
            "classifiers": judges,
            "measure": "accuracy" if dataset.numbers is None else "R2",
            "chance": chance,
            "bests": table_of(comparison),
            "errors": results.errors,
            "notes": found,
        }
        print_json(document("compare", 1, content))
    else:
        console = terminal()
        measure = "accuracy (%)" if dataset.numbers is None else "R2 (%)"
        show_comparison(comparison, protocol, console, measure)
        guess = "commonest class" if dataset.numbers is None else "mean"
        console.print(f"Chance, the {guess} of the training rows: {chance:.2f}")
        show_notes(found, console)
        show_errors(results, console)
    if options.figures is not None:  # last: a step that does not exist must not cost the results
        draw(options.figures, comparison, [dataset], options.step)
    if results.errors:
        raise typer.Exit(1)
