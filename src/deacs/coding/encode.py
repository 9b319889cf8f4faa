"""`encode`: code any table and its classes as `CodedData`."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deacs.coding.blocks import narrowest
from deacs.coding.copies import copies_note
from deacs.coding.cuts import (
    CutColumns,
    OnCut,
    Recoder,
    bins,
    number_columns,
    sort_columns,
)
from deacs.coding.data import CodedData, FeatureCoding
from deacs.coding.discretizers import Discretizer, TransformedColumns, find_discretizer
from deacs.coding.kinds import discrete_mask
from deacs.coding.notes import column_notes, declared_in, warn_of
from deacs.coding.order import order_of_coded, order_view, sorted_scores
from deacs.coding.short_integers import coded_matrix, short_integers
from deacs.exceptions import InputError, Parameter, shown
from deacs.tables import (
    Column,
    Labels,
    Table,
    TargetOption,
    Weights,
    distinct_integers,
    in_memory,
    is_frame,
    labels_that_vary,
    read_columns,
    read_labels,
    read_weights,
)
from deacs.tables.labels import refuse_identifiers

__all__ = [
    "MISSING",
    "Missing",
    "code_values",
    "encode",
    "encode_columns",
    "encode_table",
    "read_target",
]

Coded = tuple[NDArray[np.unsignedinteger[Any]], FeatureCoding]
Missing = Literal["category", "ignore", "error"]
MISSING: tuple[Missing, ...] = get_args(Missing)


def encode(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    discretizer: Any = "mdlp",
    missing: Missing = "category",
    sample_weight: Any = None,
    recodable: bool = False,
    order: bool = False,
    target: TargetOption = "auto",
    n_jobs: int | None = None,
) -> CodedData:
    """Code a table once, for any number of fits.

    Parameters
    ----------
    X : array, sparse matrix or frame of shape (n_rows, n_features)
        NumPy, SciPy, pandas, polars, pyarrow. Strings, categories, booleans, numbers; missing
        values.
    y : array-like of shape (n_rows,) or (n_rows, n_labels), frame, sparse matrix or list of sets
        The class of each row; or multiple labels per row: a column of 0 and 1 for each,
        or sets of labels. No value may be missing.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete. `"auto"`: floats are continuous; booleans, strings and
        categories discrete; integers discrete up to 32 distinct values.
    discretizer : {"mdlp", "equal-width", "equal-frequency", "auto"}, transformer or None, \
default="mdlp"
        Discretises continuous columns: a discretiser by name (`deacs.coding.DISCRETIZERS`), or any
        transformer that returns one column of few values for each; None keeps every distinct
        value. `"auto"` is MDLP, and three intervals of equal frequency for columns that
        MDLP leaves uncut.
    missing : {"category", "ignore", "error"}, default="category"
        Treat missing as a value of its own; count a row only if all variables of an
        estimate are present (pairwise-complete counts); or raise an error.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights. Whole numbers count as repeated rows; others are multiplied by
        the power of two that brings their total to between 2**30 and 2**31, and rounded. A row of
        weight 0 is ignored.
    recodable : bool, default=False
        Keep the order of values of columns that `MDLP` cuts, 8 bytes per value (9 with "auto"). A
        selector with `n_features_to_select="auto"` needs it: its test places the cut points again.
    order : bool, default=False
        Keep the normal score of each value's rank in its column, 2 bytes a value, for columns
        that have an order (`OrderView`).
    target : {"auto", "classes", "labels", "numbers"}, default="auto"
        The kind of target. `"auto"`: labels if y has several columns or holds sets; numbers if any
        value has a fraction, or if there are more than 32 distinct integers, or more than 20 with
        few rows each, unless they number classes from 0 or 1 on without a gap; else classes
        (docs/numbers.md has the exact rule). Numbers are coded as six intervals with about equally
        many rows, and their outputs are the thresholds between these.
    n_jobs : int or None, default=None
        Threads; the result does not depend on it.

    Returns
    -------
    CodedData
        Discrete columns by value, continuous ones by interval.

    Warns
    -----
    IdentifierWarning
        If a discrete column has as many values as rows, or a column numbers the rows.
    TableWarning
        If a column of text would be numbers or dates.

    Examples
    --------
    >>> import polars as pl
    >>> from deacs import encode
    >>> X = pl.DataFrame({"colour": ["red", "blue", None, "red"], "size": [1, 3, 3, 2]})
    >>> data = encode(X, y=["a", "b", "b", "a"])
    >>> data.column(0).tolist(), data.column(1).tolist()
    ([1, 0, 2, 1], [0, 2, 2, 1])
    """
    if not isinstance(missing, str) or missing not in MISSING:
        raise InputError(
            Parameter("missing"), f" must be one of {', '.join(MISSING)}, got {shown(missing)}"
        )
    X = in_memory(X)
    if sample_weight is None:
        short = short_integers(X, discrete_features)
        if short is not None:
            labels = read_target(y, X.shape[0], target)
            data = coded_matrix(*short, labels)
            if order:
                data = replace(data, order=order_view(data), check_codes=False)
            return _with_copies_noted(data)
    table = read_columns(X)
    weights = read_weights(sample_weight, table.n_rows)
    return encode_columns(
        table,
        read_target(y, table.n_rows, target, weights),
        weights,
        discrete_features=discrete_features,
        discretizer=discretizer,
        missing=missing,
        recodable=recodable,
        order=order,
        is_named=is_frame(X),
        n_jobs=n_jobs,
        is_whole=True,
    )


def _with_copies_noted(data: CodedData, columns: Sequence[Column] = ()) -> CodedData:
    """Add a note if rows are copies of others: codes alone do not tell later, once cut."""
    pairs = enumerate(zip(columns, data.features, strict=False))
    raw = {j: column for j, (column, feature) in pairs if feature.kind == "continuous"}
    note = copies_note(data, raw)
    return data if note is None else replace(data, notes=(*data.notes, note))


def encode_columns(
    table: Table,
    labels: Labels,
    weights: Weights | None = None,
    *,
    discrete_features: Any = "auto",
    missing: Missing = "category",
    is_whole: bool = False,
    **how: Any,
) -> CodedData:
    """Code typed columns; the parameters are those of `encode`.

    Copies of rows are looked for if these are all columns of the table.
    """
    if weights is not None and not weights.counts.all():
        table, labels, weights = _rows_that_count(table, labels, weights)
    if missing == "error":
        _refuse_missing(table)
    discrete = discrete_mask(table, discrete_features)
    declared = declared_in(discrete_features, table.names)
    data = encode_table(
        table, labels, weights, discrete=discrete, declared=declared, missing=missing, **how
    )
    return _with_copies_noted(data, table.columns) if is_whole else data


def encode_table(
    table: Table,
    labels: Labels,
    weights: Weights | None = None,
    *,
    discrete: NDArray[np.bool_],
    declared: Collection[str] = (),
    discretizer: Any = "mdlp",
    missing: Missing = "category",
    recodable: bool = False,
    order: bool = False,
    is_named: bool = True,
    n_jobs: int | None = None,
) -> CodedData:
    """Code typed columns, some of them by value; the user `declared` some discrete."""
    continuous, fitted = np.flatnonzero(~discrete).tolist(), None
    columns, orders = [table.columns[j] for j in continuous], {}
    scores: dict[int, NDArray[np.int16]] = {}

    def keep(cut: CutColumns) -> None:
        """Keep what only sorted columns tell, so that they need not be sorted again."""
        if order:
            found = sorted_scores(cut.sorted, weights)
            scores.update(zip(continuous[cut.place], found, strict=True))
        if recodable and weights is None:
            orders[cut.place.start] = cut.sorted.order

    cut: list[Coded] = []
    if discretizer is None or not columns:
        cut = [_by_value(column) for column in columns]
    elif isinstance(discretizer, str) or hasattr(discretizer, "as_discretizer"):
        method = find_discretizer(discretizer)
        cut = _by_discretizer(method, columns, labels, weights, n_jobs, keep)
    else:
        fitted = TransformedColumns.fit(discretizer, continuous, table.columns, labels, weights)
        made = fitted.of(table.columns)
        for codes, feature in (_by_value(made[j]) for j in continuous):
            cut.append((codes, replace(feature, by_classes=fitted.by_classes)))
    recoder = None
    if orders:
        parts = [orders[begin] for begin in sorted(orders)]
        recoder = Recoder.of(continuous, parts, labels, **method.options)
    found = iter(cut)
    coded = [
        _by_value(column) if is_value else next(found)
        for column, is_value in zip(table.columns, discrete, strict=True)
    ]
    features = [feature for _, feature in coded]
    notes = column_notes(
        table.names,
        features,
        table.n_rows,
        columns=table.columns,
        declared=declared,
        counts=lambda j: np.bincount(coded[j][0]),
    )
    warn_of(notes)
    data = CodedData.from_columns(
        [codes for codes, _ in coded],
        features,
        labels,
        table.names,
        is_named=is_named,
        weights=None if weights is None else weights.counts,
        weight_scale=1.0 if weights is None else weights.scale,
        ignores_missing=missing == "ignore",
        recoder=recoder,
        transformed=fitted,
        notes=notes,
    )
    if not order:
        return data
    for j in continuous if discretizer is not None else ():
        if j not in scores:  # cut without sorting
            scores[j] = sorted_scores(sort_columns([table.columns[j]], weights), weights)[0]
    return replace(data, order=order_of_coded(data, scores, n_jobs), check_codes=False)


def read_target(
    y: Any, n_rows: int, target: TargetOption, weights: Weights | None = None
) -> Labels:
    """Read the target; one that numbers the rows is refused."""
    labels = read_labels(y, n_rows, target, None if weights is None else weights.counts)
    if target == "auto" and labels is not y:
        refuse_identifiers(labels)
    return labels


def _rows_that_count(
    table: Table, labels: Labels, weights: Weights
) -> tuple[Table, Labels, Weights | None]:
    """Drop rows of weight zero, and values and classes that only they have."""
    kept = np.flatnonzero(weights.counts)
    table = table.take(kept)
    labels = labels_that_vary(labels.take(kept))
    counts = weights.counts[kept]
    once = bool((counts == 1).all()) and weights.scale == 1.0
    return table, labels, None if once else replace(weights, counts=counts)


def _refuse_missing(table: Table) -> None:
    for column in table.columns:
        if column.missing is not None:
            rows = np.flatnonzero(column.missing)
            raise InputError(
                "X must not have missing values with ",
                Parameter("missing", "error"),
                f", but column {column.name!r} has {len(rows)} (the first in row {rows[0]}); "
                "fill them, or use ",
                Parameter("missing", "category"),
                " or ",
                Parameter("missing", "ignore"),
            )


def _by_discretizer(
    method: Discretizer,
    columns: Sequence[Column],
    labels: Labels,
    weights: Weights | None,
    n_jobs: int | None,
    keep: OnCut,
) -> list[Coded]:
    """Code continuous columns by interval."""
    codes: list[NDArray[np.unsignedinteger[Any]] | None] = [None] * len(columns)
    is_uncut = np.zeros(len(columns), dtype=np.bool_)

    def take(cut: CutColumns) -> None:
        which = np.arange(len(cut.is_last))
        found, n_values = number_columns(cut.sorted.order, which, cut.is_last)
        for k, j in enumerate(range(len(columns))[cut.place]):
            if columns[j].offset == 0:  # else cut points are integers, compared exactly
                codes[j] = found[k].astype(narrowest(int(n_values[k])), copy=False)
        is_uncut[cut.place] = cut.is_uncut
        keep(cut)

    cut_points = method(columns, labels, n_jobs, weights, on_cut=take)
    return [
        _by_interval(column, cuts, method.needs_classes, uncut, known)
        for column, cuts, uncut, known in zip(
            columns, cut_points, is_uncut.tolist(), codes, strict=True
        )
    ]


def code_values(X: Any) -> list[Coded]:
    """Code every column by value, whatever its kind: each distinct value, and missing, a code."""
    return [_by_value(column) for column in read_columns(X).columns]


def _by_value(column: Column) -> Coded:
    present = column.present
    if column.kind == "nominal":
        values, codes = column.categories, present
    elif column.kind == "float":
        values, codes = np.unique(present, return_inverse=True)
    else:
        values, codes = distinct_integers(present)
    has_missing = column.missing is not None
    n_values = len(values) + has_missing  # type: ignore[arg-type]
    coding = FeatureCoding("discrete", values, n_values, has_missing)  # type: ignore[arg-type]
    return _with_missing(codes, n_values, column), coding


def _by_interval(
    column: Column,
    cut_points: NDArray[Any],
    by_classes: bool,
    is_uncut: bool,
    codes: NDArray[np.unsignedinteger[Any]] | None,
) -> Coded:
    """Code a column by its cut points, unless its codes are known."""
    has_missing = column.missing is not None
    n_values = len(cut_points) + 1 + has_missing
    if codes is None:
        codes = _with_missing(bins(column.present, cut_points), n_values, column)
    how = has_missing, by_classes, is_uncut
    return codes, FeatureCoding("continuous", cut_points, n_values, *how)


def _with_missing(
    present: NDArray[Any], n_values: int, column: Column
) -> NDArray[np.unsignedinteger[Any]]:
    """Give missing values the last code."""
    if column.missing is None:
        return present.astype(narrowest(n_values))
    codes = np.full(len(column.values), n_values - 1, dtype=narrowest(n_values))
    codes[~column.missing] = present
    return codes
