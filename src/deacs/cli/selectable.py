"""The input of `deacs select`: a file, codes on disk, or a table in a database."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from deacs.cli.coding import coding_by_method
from deacs.cli.columns import as_written, kinds_of, without
from deacs.cli.lists import listed
from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    import polars as pl

    from deacs.cli.select import SelectOptions

__all__ = ["Selectable", "coded"]

OF_READING = (
    *(
        "output",
        "groups_out",
        "format",
        "delimiter",
        "encoding",
        "missing_markers",
        "header",
        "strip",
    ),
    *("drop_unlabelled", "targets_matching", "target_kind"),
)
"""Options that apply only to files."""

OF_CODING = ("exclude", "discrete_features", "sample_weight", "missing", "discretizer")
"""Options that apply only to tables that are not yet coded."""

OF_DATABASES = ("table",)


@dataclass(frozen=True)
class Selectable:
    """A coded table and its source.

    Attributes
    ----------
    table : CodedTable
        The table for selectors.
    data : CodedData, or the table itself
        Its names, classes and codes; the codes of a database stay there.
    target : str
        The class column, or the label columns.
    X, y : polars.DataFrame and polars.Series or DataFrame, or None
        The features as read, and the classes or labels; None for codes and databases.
    target_columns : list of polars.Series
        The class column or the label columns, as read; none of codes and databases.
    sample_weight : polars.Series or None
        Row weights.
    coding : dict
        The coding parameters.
    """

    table: Any
    data: Any
    target: str
    X: "pl.DataFrame | None" = None
    y: "pl.Series | pl.DataFrame | None" = None
    target_columns: "Sequence[pl.Series]" = ()
    sample_weight: "pl.Series | None" = None
    coding: dict[str, Any] | None = None


def coded(options: "SelectOptions", opened: ExitStack) -> Selectable:
    """Code a file, map codes, or code a table in a database; `opened` closes what it opens."""
    from deacs.coding.on_disk import is_codes
    from deacs.rows.addresses import is_database

    if is_database(str(options.file)):
        return _coded_in_database(options, opened)
    _refuse(options, OF_DATABASES, f"applies to databases, not to {options.file}; leave it out")
    return _mapped(options) if is_codes(options.file) else _coded_file(options)


def _refuse(options: "SelectOptions", names: tuple[str, ...], words: str) -> None:
    """Raise an error for given options that do not apply."""
    defaults = {field.name: field.default for field in fields(options)}
    for name in names:
        if getattr(options, name) != defaults[name]:
            raise InputError(Parameter(name), f" {words}")


def _coded_in_database(options: "SelectOptions", opened: ExitStack) -> Selectable:
    from deacs.cli.selecting import needs_order
    from deacs.rows.addresses import connect
    from deacs.rows.encode import encode

    _refuse(options, OF_READING, "does not apply to a table in a database; leave it out")
    for name in ("table", "target"):
        if getattr(options, name) is None:
            raise InputError(Parameter(name), " must be given for a table in a database")
    coding = coding_by_method(options)
    with connect(str(options.file), str(options.table), opened) as rows:
        targets = listed([str(options.target)])
        data = encode(
            rows,
            targets[0] if len(targets) == 1 else targets,
            exclude=listed(options.exclude),
            discrete_features=listed(options.discrete_features) or "auto",
            sample_weight=options.sample_weight,
            recodable=options.wanted == "auto",
            order=needs_order(options),
            memory=options.memory,
            **coding,
        )
    opened.callback(data.close)
    return Selectable(data, data, str(options.target), coding=coding)


def _coded_file(options: "SelectOptions") -> Selectable:
    from deacs import encode
    from deacs.cli.selecting import needs_order

    X, y, target_columns = _table_and_target(options)
    X, sample_weight = without(X, options.sample_weight)
    if X.width == 0:
        raise InputError("no columns are left to select from; the target is not a feature")
    coding = coding_by_method(options)
    data = encode(
        X,
        y,
        discrete_features=kinds_of(X, options.discrete_features),
        sample_weight=sample_weight,
        recodable=options.wanted == "auto",
        order=needs_order(options),
        n_jobs=options.n_jobs,
        **coding,
    )
    target = ",".join(column.name for column in target_columns)
    return Selectable(data, data, target, X, y, target_columns, sample_weight, coding)


def _table_and_target(
    options: "SelectOptions",
) -> "tuple[pl.DataFrame, pl.Series | pl.DataFrame, list[pl.Series]]":
    """Read a file: the features, the classes or labels, and the columns that hold these."""
    from deacs.tables.files import read_table

    if options.target is None and options.targets_matching is None:
        raise InputError(
            "Missing option '--target' / '-t', the class column; only codes know their own"
        )
    if options.target is not None and options.targets_matching is not None:
        raise InputError(
            Parameter("targets_matching"),
            " finds the labels that ",
            Parameter("target"),
            " would name, got both; leave one of them out",
        )
    named = [] if options.target is None else listed([options.target])
    targets = {options.target, *named}
    how: dict[str, Any] = {
        "exclude": [name for name in listed(options.exclude) if name not in targets],
        **options.how_to_read,
    }
    if len(named) == 1:
        # In quotes, a name with a comma is one; other quotes are part of the name.
        target = named[0] if "," in named[0] else str(options.target)
        how["drop_unlabelled"] = options.drop_unlabelled
        X, y = read_table(options.file, target=target, **how)
        return X, as_written(y, options.file, **how), [y]
    table = read_table(options.file, **how)
    labels = _label_columns(options, table.columns)
    if options.drop_unlabelled:
        table = table.drop_nulls(labels)
    if isinstance(labels, str):  # one column, whose name has a comma
        return table.drop(labels), table[labels], [table[labels]]
    return table.drop(labels), table.select(labels), table.select(labels).get_columns()


def _label_columns(options: "SelectOptions", columns: list[str]) -> list[str] | str:
    """Return the label columns that the options name."""
    from fnmatch import fnmatchcase

    from deacs.coding import named_features

    if options.targets_matching is None:
        target = options.target or ""
        if target in columns:
            return target
        places = named_features(listed([target]), columns, "--target")
        return [columns[j] for j in places]
    matching = [name for name in columns if fnmatchcase(name, options.targets_matching)]
    if not matching:
        raise InputError(
            Parameter("targets_matching", options.targets_matching),
            f" matches none of the {len(columns)} columns, which begin with "
            + ", ".join(map(repr, columns[:8])),
        )
    return matching


def _mapped(options: "SelectOptions") -> Selectable:
    """Map codes; options fixed when they were made raise an error."""
    from deacs.coding.on_disk import open_codes, target_of

    place, target = options.file, options.target
    words = (
        f"applies to files, not to the codes in {place}; leave it out (deacs encode has options "
        "of its own)"
    )
    _refuse(options, (*OF_CODING, *OF_READING), words)
    made_for = target_of(place)
    if target is not None and target != made_for:
        raise InputError(
            Parameter("target"),
            f" is {target!r}, but {place} was made for {made_for!r}; leave it out, or encode the "
            "files for another target",
        )
    data = open_codes(place)
    return Selectable(data, data, made_for)
