"""`deacs select`: select features from a file, and show the reason for each."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from deacs.cli.console import terminal
from deacs.cli.lists import listed
from deacs.cli.outputs import PAGES, SEPARATORS, check_outputs, check_suffix, written
from deacs.cli.select_input import Input, make_selector, read_input
from deacs.cli.select_options import DEACS, EXAMPLES, DEACSOptions, SelectOptions
from deacs.cli.verbs import verb
from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    from deacs.selection import Result

__all__ = ["SelectOptions", "select"]


@verb(SelectOptions, EXAMPLES)
def select(options: SelectOptions) -> None:
    """Select the features of FILE that are informative about TARGET."""
    _check(options)
    with ExitStack() as opened:
        _select(options, opened)


def _select(options: SelectOptions, opened: ExitStack) -> None:
    # Imported here, so that --help and errors in options appear at once.
    from deacs.cli.columns import warn_if_excluded, with_leading_zeros
    from deacs.cli.notes import collected_notes, worded
    from deacs.cli.progress import step_progress
    from deacs.cli.table_checks import told_once
    from deacs.report.files import replace as replace_file

    n_steps = options.wanted if isinstance(options.wanted, int) else None
    with (
        step_progress(n_steps, quiet=options.quiet or options.as_json) as progress,
        collected_notes() as warned,
    ):
        given = read_input(options, opened)
        warn_if_excluded(options.exclude, [y.name for y in given.target_columns] or [given.target])
        selector = make_selector(options, given)
        if hasattr(selector, "set_progress"):
            selector.set_progress(progress)
        weights = {} if given.sample_weight is None else {"sample_weight": given.sample_weight}
        result = selector.fit(given.table, given.y, **weights).result_
        if options.method != DEACS and not hasattr(selector, "selector_"):
            result = selector.result_ = replace(result, score_name=options.method)
        # Under the same progress bar.
        _ = result.held_out, result.substitutes
    # Problems with the table come first: they may explain the rest.
    notes: list[str] = [*warned, *map(worded, result.notes), *_ranks_all(result, options)]
    if not given.is_coded:
        notes = told_once(notes, given.table, options.how_to_read)
    notes = list(dict.fromkeys(notes))  # a fit may both warn of something and note it
    if options.output is not None:
        table = given.table.select(result.selected_names).with_columns(given.target_columns)
        labels = [y.name for y in given.target_columns] if options.drop_unlabelled else []
        table = with_leading_zeros(table, options.file, labels, **options.how_to_read)
        replace_file(options.output, written(table, options.output))
    if options.groups_out is not None:
        replace_file(options.groups_out, _groups(result, options))
    if options.report is not None:
        from deacs.report import write_html

        command = shlex.join(["deacs", *map(_shown, sys.argv[1:])])
        title = _shown(str(options.file)).rpartition("/")[2]
        write_html(selector, options.report, title=title, notes=notes, code=command)
    _answer(selector, notes, given, options)


def _shown(argument: str) -> str:
    """Return an argument as it may be shown: an address without credentials."""
    from deacs.rows.addresses import is_database, shown_address

    return shown_address(argument) if is_database(argument) else argument


def _groups(result: "Result", options: SelectOptions) -> bytes:
    """Return all columns with their redundancy groups, as the content of a file."""
    import polars as pl

    from deacs.selection import column_groups

    found = column_groups(result.data.rows_here, n_jobs=options.n_jobs)
    assert options.groups_out is not None
    return written(pl.DataFrame(found.columns()), options.groups_out)


def _answer(selector: Any, notes: Sequence[str], given: Input, options: SelectOptions) -> None:
    """Print the result and the files written."""
    result = selector.result_
    if options.as_json:
        from deacs.cli.json_output import print_json
        from deacs.cli.select_json import select_document

        print_json(
            select_document(
                result,
                notes,
                file=_shown(str(options.file)),
                target=given.target,
                settings=_settings(selector, given, options),
            )
        )
        return
    from deacs.cli.view import show

    console = terminal()
    show(result, console, notes, has_details=options.details)
    if options.output is not None:
        labels = given.target_columns
        target = given.target if len(labels) == 1 else f"{len(labels)} labels"
        columns = "column" if result.n_selected == 1 else "columns"
        console.print(f"Wrote {result.n_selected} {columns} and {target} to {options.output}")
    if options.groups_out is not None:
        console.print(f"Wrote the columns in groups to {options.groups_out}")
    if options.report is not None:
        console.print(f"Wrote the report to {options.report}; open it in a browser")


def _settings(selector: Any, given: Input, options: SelectOptions) -> dict[str, Any]:
    """Return the parameters on which the selection depends, and how its columns were coded."""
    parameters = {**selector.get_params(deep=False)}
    chosen = getattr(selector, "selector_", selector)  # cross-validation chose one
    parameters |= {
        name: getattr(chosen, name) for name in ("discretizer", "missing") if hasattr(chosen, name)
    }
    kept = {name: value for name, value in parameters.items() if name not in given.unused}
    return {"method": options.method, **kept}


def _check(options: SelectOptions) -> None:
    """Raise an error for impossible requests, before any work."""
    is_auto = options.wanted == "auto"
    for name in ("alpha", "rate", "seed"):
        if getattr(options, name) is not None and not is_auto:
            raise InputError(Parameter(name), " is for -k auto; leave it out, or give -k auto")
    given = [
        field.name
        for field in fields(DEACSOptions)
        if getattr(options, field.name) != field.default
    ]
    if options.method != DEACS and given:
        method = Parameter("method", options.method)
        raise InputError(Parameter(given[0]), " does not apply to ", method)
    excluded = set(listed(options.exclude))
    if both := [name for name in listed(options.include) if name in excluded]:
        raise InputError(f"--include and --exclude both name {both[0]!r}; leave it out of one")
    outputs = {
        "--output": options.output,
        "--report": options.report,
        "--groups-out": options.groups_out,
    }
    check_outputs(outputs, [options.file, options.costs])
    check_suffix("--output", options.output, SEPARATORS)
    check_suffix("--groups-out", options.groups_out, SEPARATORS)
    check_suffix("--report", options.report, PAGES)
    if options.report is not None:
        from deacs.report.html import check_packages

        check_packages()


def _ranks_all(result: "Result", options: SelectOptions) -> list[str]:
    """Return a note if a method other than DEACS has left out no feature."""
    if options.wanted is not None or result.has_label_scores or not result.is_all:
        return []
    return [
        f"{options.method} by itself leaves out none of these features; -k sets how many to keep"
    ]
