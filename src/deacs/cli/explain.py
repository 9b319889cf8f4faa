"""`deacs explain`: why was a column selected, or why was it not?"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from deacs.cli.options import (
    ClassColumn,
    DropUnlabelled,
    Exclude,
    FileOptions,
    Json,
    TableFile,
    Threads,
    complete_columns,
    listed,
    verb,
)
from deacs.cli.output import terminal

__all__ = ["ExplainOptions", "explain"]

EXAMPLES = """
[bold]Examples[/bold]

  [cyan]deacs explain patients.csv --target diagnosis --feature age[/cyan]
  for whom, which values, and what could replace it; or what makes it redundant

  [cyan]deacs explain patients.csv --target diagnosis -k 5 --feature age,dose[/cyan]
  of the selection of five features
"""


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(FileOptions):
    """Options of `deacs explain`."""

    file: TableFile
    target: ClassColumn
    feature: Annotated[
        list[str],
        typer.Option(
            metavar="A,B",
            help="The columns to explain.",
            autocompletion=complete_columns,
        ),
    ]
    n_features_to_select: Annotated[
        int | None,
        typer.Option(
            "-k",
            "--n-features",
            metavar="N",
            help="How many DEACS selects. Default: until none outscores chance.",
        ),
    ] = None
    exclude: Exclude = None
    n_jobs: Threads = -1
    as_json: Json = False
    drop_unlabelled: DropUnlabelled = False
    targets_matching: ClassVar[None] = None


@verb(ExplainOptions, EXAMPLES)
def explain(options: ExplainOptions) -> None:
    """Explain why columns of FILE are selected for TARGET, or why they are not."""
    from deacs import DEACS
    from deacs.cli.output import collected_notes, document, print_json
    from deacs.cli.table import table_and_target

    with collected_notes():
        X, y, _ = table_and_target(options)
        selector = DEACS(
            options.n_features_to_select,
            store_candidates=True,
            n_jobs=options.n_jobs,
        ).fit(X, y)
        found = [selector.explain(name) for name in listed(options.feature)]
    if options.as_json:
        content = {
            "file": str(options.file),
            "selected": selector.selected_names_,
            "features": [one.to_dict() for one in found],
        }
        print_json(document("explain", 1, content))
        return
    console = terminal()
    for one in found:
        console.print()
        console.print(one.sentence)
