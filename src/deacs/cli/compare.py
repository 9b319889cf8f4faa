"""`deacs compare`: compare methods on a table by the accuracy of classifiers on held-out rows."""

from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from deacs.cli.options import (
    ClassColumn,
    Discrete,
    DropUnlabelled,
    Exclude,
    FileOptions,
    Json,
    OneColumnTargetKind,
    Processes,
    Quiet,
    TableFile,
    given_of,
    listed,
    output_option,
    verb,
)
from deacs.cli.output import (
    collected_notes,
    document,
    json_number,
    new_table,
    print_json,
    progress,
    show_notes,
    split_to_fit,
    terminal,
    worded,
)
from deacs.exceptions import InputError

if TYPE_CHECKING:
    from deacs.comparison import Comparison

__all__ = ["compare"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs compare patients.csv --target diagnosis[/cyan]
  which method selects best, by four classifiers in ten-fold cross-validation

  [cyan]deacs compare patients.csv -t diagnosis --methods deacs,cmim --out results -j -1[/cyan]
  on all cores; an interrupted run resumes where it stopped
"""

PANEL = "Scoring the selections"


def _scoring(*flags: str, help: str, **options: Any) -> Any:
    return typer.Option(*flags, help=help, rich_help_panel=PANEL, **options)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(FileOptions):
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
            "f-test (scikit-learn's, f_classif or f_regression) and all (features). "
            "Default: deacs,published,cfs,mrmr,jmi,f-test,all. Chance is always shown.",
        ),
    ] = None
    out: Annotated[
        Path | None,
        output_option("Keep results in this folder, and resume from those it holds.", "DIR"),
    ] = None
    exclude: Exclude = None
    discrete_features: Discrete = None
    as_json: Json = False
    n_jobs: Processes = 1
    quiet: Quiet = False
    drop_unlabelled: DropUnlabelled = False
    classifiers: Annotated[
        list[str] | None,
        _scoring(
            metavar="A,B",
            help="Default: nb, svm, 5-nn, tree; for numbers ridge, svr, 5-nn, regression-tree. "
            "Also any of scikit-learn by name.",
        ),
    ] = None
    metric: Annotated[
        str | None,
        _scoring(help="accuracy, balanced_accuracy or f1_macro; r2 if the target is a number."),
    ] = None
    max_features: Annotated[
        int, _scoring("-k", "--max-features", min=1, help="The most features to select.")
    ] = 30
    n_splits: Annotated[int, _scoring("--folds", min=2, help="The number of folds.")] = 10
    n_repeats: Annotated[
        int, _scoring("--repeats", min=1, help="How often rows are dealt out.")
    ] = 1
    seed: Annotated[int, _scoring(help="The seed for shuffling rows.")] = 0


@verb(CompareOptions, EXAMPLES)
def compare(options: CompareOptions) -> None:
    """Compare methods by how well the features they select from FILE predict TARGET."""
    # Imported here, so that --help and errors in options appear at once.
    from deacs import comparison, encode
    from deacs.cli.table import kinds_of, told_once, warn_if_excluded
    from deacs.selection.notes import table_notes
    from deacs.tables.files import read_table

    out = options.out
    if out is not None and (out.exists() or out.is_symlink()) and not out.is_dir():
        raise InputError(f"--output: {out} exists and is not a folder; name another")
    with progress("reading the tables", quiet=options.quiet or options.as_json) as show_cells:
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
            data = encode(X, y, discrete_features=kinds, **given_of(options, target="target_kind"))
        told = [*notes, *map(worded, table_notes(data, range(data.n_features)))]
        found = told_once(told, X, options.how_to_read)
        compared = comparison.compare(
            X,
            y,
            list(dict.fromkeys([*(listed(options.methods) or comparison.COMPARED), "chance"])),
            classifiers=listed(options.classifiers) or None,
            target=data.about.kind,
            discrete_features=kinds,
            progress=lambda done, total, what: show_cells(f"{what}, {total} in all", done, total),
            **{
                name: getattr(options, name)
                for name in ("metric", "max_features", "n_splits", "n_repeats", "seed", "out",
                             "n_jobs")
            },
        )  # fmt: skip
    if options.as_json:
        content = {
            "file": options.file,
            "target": y.name,
            "folds": options.n_splits,
            "repeats": options.n_repeats,
            "seed": options.seed,
            "classifiers": compared.classifiers,
            "metric": compared.metric,
            "sizes": compared.sizes,
            "methods": [
                {**vars(each), "stability": json_number(each.stability)}
                for each in compared.methods
            ],
            "notes": found,
        }
        print_json(document("compare", 2, content))
    else:
        console = terminal()
        _show(compared, console)
        show_notes(found, console)


def _show(compared: "Comparison", console: Console) -> None:
    """Print the best score of each method."""
    measure = f"{compared.metric.replace('_', ' ')} (%)"
    line = f"Best {measure} on held-out rows, mean of {', '.join(compared.classifiers)}"
    console.print()
    console.print(Text(line, style="bold"))
    table = new_table()
    table.add_column("method", style="bold", overflow="fold")
    for header in (measure, "features", "stability", "seconds"):
        table.add_column(header, justify="right")
    best = max((each.score for each in compared.methods), default=0.0)
    for each in compared.methods:
        table.add_row(
            Text(each.method),
            Text(f"{100 * each.score:.2f}", style="green" if each.score == best else ""),
            str(each.n_features),
            "-" if isnan(each.stability) else f"{each.stability:.2f}",
            f"{each.seconds:.2g}",
        )
    console.print(split_to_fit(table, console))
