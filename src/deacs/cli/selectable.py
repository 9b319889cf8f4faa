"""The input of `deacs select`: a file, a coded store, or a table in a database."""

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

OF_DATABASES = ("table", "explain")


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
        The features as read, and the classes or labels; None for a store.
    target_columns : list of polars.Series
        The class column or the label columns, as read; none of a store.
    sample_weight : polars.Series or None
        Row weights.
    coding : dict
        The coding parameters.
    engine : Engine or None
        The engine that counts; None: in memory.
    """

    table: Any
    data: Any
    target: str
    X: "pl.DataFrame | None" = None
    y: "pl.Series | pl.DataFrame | None" = None
    target_columns: "Sequence[pl.Series]" = ()
    sample_weight: "pl.Series | None" = None
    coding: dict[str, Any] | None = None
    engine: Any = None


def coded(options: "SelectOptions", opened: ExitStack) -> Selectable:
    """Code a file, open a store, or code a table in a database; `opened` closes what it opens."""
    from deacs.distributed.disk.layout import is_store
    from deacs.distributed.sql.addresses import is_address
    from deacs.storage import is_url, place_of

    if is_address(getattr(options.file, "text", "")):
        return _coded_in_database(options, opened)
    _refuse(options, OF_DATABASES, f"applies to databases, not to {options.file}; leave it out")
    # Permission to read one file need not extend to others.
    is_file = is_url(str(options.file)) and place_of(options.file).is_file()
    is_coded = not is_file and is_store(options.file)
    return _coded_store(options) if is_coded else _coded_file(options)


def _refuse(options: "SelectOptions", names: tuple[str, ...], words: str) -> None:
    """Raise an error for given options that do not apply."""
    defaults = {field.name: field.default for field in fields(options)}
    for name in names:
        if getattr(options, name) != defaults[name]:
            raise InputError(Parameter(name), f" {words}")


def _coded_in_database(options: "SelectOptions", opened: ExitStack) -> Selectable:
    from deacs.cli.selecting import needs_order
    from deacs.distributed.sql.addresses import connect, file_of

    database = options.file.text.partition(":")[0]  # type: ignore[attr-defined]
    _refuse(
        options, (*OF_READING, "report"), f"does not apply to a table in {database}; leave it out"
    )
    files = file_of(options.file.text)  # type: ignore[attr-defined]
    if files is not None:
        _refuse(options, ("table",), f"applies to databases, not to the file {files}; leave it out")
    for name in ("table", "target") if files is None else ("target",):
        if getattr(options, name) is None:
            raise InputError(Parameter(name), f" must be given for a table in {database}")
    connection = connect(options.file.text)  # type: ignore[attr-defined]
    opened.callback(connection.close)
    from deacs.distributed import SQLEngine

    engine = SQLEngine(connection, exclude=listed(options.exclude))
    coding = coding_by_method(options)
    table = engine.encode(
        options.table if files is None else files,
        options.target,
        discrete_features=listed(options.discrete_features) or "auto",
        sample_weight=options.sample_weight,
        recodable=options.wanted == "auto",
        order=needs_order(options),
        **coding,
    )
    opened.callback(table.close)
    return Selectable(table, table, str(options.target), coding=coding, engine=engine)


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
            "Missing option '--target' / '-t', the class column; only a coded store knows its own"
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


def _coded_store(options: "SelectOptions") -> Selectable:
    """Open a store; options fixed when it was made raise an error."""
    from deacs.distributed import CodedStore, OutOfCoreEngine

    place, target = options.file, options.target
    words = (
        f"applies to files, not to the coded store {place}; leave it out (deacs encode has options "
        "of its own)"
    )
    _refuse(options, (*OF_CODING, *OF_READING), words)
    store = CodedStore.open(place)
    if target is not None and store.target is not None and target != store.target:
        raise InputError(
            Parameter("target"),
            f" is {target!r}, but {place} was made for {store.target!r}; leave it out, or encode "
            "the files for another target",
        )
    engine = OutOfCoreEngine(options.memory)
    return Selectable(store, store.data, target or store.target or "", engine=engine)
