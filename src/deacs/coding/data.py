"""Coded tables: how columns were coded, the table wherever it is, and `CodedData`, immutable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from deacs.coding.blocks import (
    CODE_WIDTHS,
    CodeBlock,
    check_block,
    check_labels,
    check_weights,
    feature_major,
    frozen,
    narrowest,
    stack_blocks,
)
from deacs.coding.cuts import interval_labels
from deacs.exceptions import InputError, Note, Parameter
from deacs.tables import Labels, Target, TargetOption, is_frame, read_labels

if TYPE_CHECKING:
    from deacs.coding.cuts import Recoder
    from deacs.coding.discretizers import TransformedColumns
    from deacs.coding.order import OrderView

__all__ = [
    "CodedData",
    "CodedTable",
    "FeatureCoding",
    "default_names",
    "take_columns",
    "take_rows",
    "uncounted_codes",
]

LARGEST_CODE = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class FeatureCoding:
    """Coding of one column, so that codes can be read back.

    Attributes
    ----------
    kind : {"discrete", "continuous"}
        Whether codes stand for values or for intervals.
    values : ndarray
        Discrete: the value of each code. Continuous: the cut points between the codes.
    n_values : int
        The number of codes, missing included.
    has_missing : bool
        Whether the last code stands for "missing".
    by_classes : bool
        Whether the cut points depend on the classes.
    is_uncut : bool
        Whether a column of several values got no cut from the classes. It is then one interval,
        or, with the discretiser "auto", several of equal frequency.
    """

    kind: Literal["discrete", "continuous"]
    values: NDArray[Any]
    n_values: int
    has_missing: bool = False
    by_classes: bool = False
    is_uncut: bool = False

    def describe(self, code: int) -> str:
        """Return what a code stands for, e.g. `'red'`, `'(2.5, 7.1]'` or `'missing'`."""
        if self.has_missing and code == self.n_values - 1:
            return "missing"
        if self.kind == "discrete":
            return str(self.values[code])
        return interval_labels(self.values)[code]


class CodedTable:
    """Metadata of a coded table, wherever its columns are stored.

    Attributes are those of `CodedData`. With multiple labels per row, `classes` are the sets of
    labels that occur, and the labels are in `about`. `is_open` is False after `close`, and the
    table can then no longer be counted.
    """

    classes: NDArray[Any]
    features: tuple[FeatureCoding, ...]
    feature_names: tuple[str, ...]
    is_named: bool
    is_open: bool = True
    notes: tuple[Note, ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        raise NotImplementedError

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.features)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @cached_property
    def about(self) -> Target:
        """The target of label scores: the classes by default."""
        return Target("classes", self.classes)

    @property
    def outputs(self) -> NDArray[Any]:
        """The columns of label scores: classes, labels or thresholds."""
        return self.about.names

    @property
    def n_outputs(self) -> int:
        """The number of outputs."""
        return len(self.outputs)

    @property
    def membership(self) -> NDArray[np.bool_] | None:
        """Which outputs each class belongs to, (n_classes, n_outputs); None: only its own."""
        return self.about.membership

    @cached_property
    def n_values(self) -> NDArray[np.int64]:
        """The number of values of each feature, missing included."""
        return np.array([feature.n_values for feature in self.features], dtype=np.int64)

    @property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return self.rows_here.class_rows

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        raise NotImplementedError

    @property
    def ignores_missing(self) -> bool:
        """Whether missing values are not counted, instead of being a value."""
        raise NotImplementedError

    @property
    def rows_here(self) -> CodedData:
        """The rows, in memory or mapped from files; InputError if they are elsewhere."""
        raise NotImplementedError

    def counts(self, label_score: str, estimator: str) -> Any:
        """Begin a selection where the rows are, if that is elsewhere."""
        raise NotImplementedError

    @cached_property
    def uncut_features(self) -> NDArray[np.int64]:
        """Features of several values that got no cut from the classes, ascending."""
        return np.flatnonzero([feature.is_uncut for feature in self.features])

    def close(self) -> None:
        """Remove what was created elsewhere to count the table: in memory, nothing."""

    def __repr__(self) -> str:
        what = f"{self.n_outputs} {self.about.nouns}"
        shape = f"{self.n_rows} rows, {self.n_features} features, {what}"
        return f"<{type(self).__name__}: {shape}>"


@dataclass(frozen=True, eq=False, repr=False)
class CodedData(CodedTable):
    """A coded table: made once by `encode`, accepted by every selector's `fit`.

    Attributes
    ----------
    blocks : tuple of CodeBlock
        The codes, feature-major and read-only, by width: features with at most 256 values take
        one byte per row, others two or four. One wide feature does not widen the others.
    labels : ndarray of int32 of shape (n_rows,)
        The class of each row, an index into `classes`.
    classes : ndarray of shape (n_classes,)
        The classes, sorted.
    features : tuple of FeatureCoding
        How each column was coded.
    feature_names : tuple of str
        The columns' names.
    is_named : bool
        Whether the names came with the table (else they are x0, x1, ...).
    weights : ndarray of int64 of shape (n_rows,), or None
        The count of each row, at least 1; None: each counts once.
    weight_scale : float
        Counts per unit of the given weights: 1.0 if these were whole numbers, and so numbers of
        rows, else a power of two.
    recoder : Recoder or None
        Finds the cut points for other classes, if `encode` kept it.
    transformed : TransformedColumns or None
        The transformer of the continuous columns, if it has no cut points.
    order : OrderView or None
        Normal scores of the columns that have an order, if `encode` kept them.
    about : Target
        The target of label scores; by default the classes.
    numbers : ndarray of shape (n_rows,), or None
        The target itself, if it is a number.
    notes : tuple of Note
        Columns that are not what they seem.

    Parameters
    ----------
    check_codes : bool, default=True
        Whether to check codes, labels and weights, which compiled code assumes to be in range.
        False if they were checked already, or were just made; a store checks each column when it
        is first read.

    Examples
    --------
    >>> from deacs import encode
    >>> data = encode([["a"], ["b"], ["a"], [None]], y=[0, 1, 0, 1])
    >>> data
    <CodedData: 4 rows, 1 features, 2 classes>
    >>> data.column(0).tolist()
    [0, 1, 0, 2]
    >>> [data.features[0].describe(code) for code in range(3)]
    ['a', 'b', 'missing']
    """

    blocks: tuple[CodeBlock, ...]
    labels: NDArray[np.int32]
    classes: NDArray[Any]
    features: tuple[FeatureCoding, ...]
    feature_names: tuple[str, ...]
    is_named: bool
    weights: NDArray[np.int64] | None = None
    weight_scale: float = 1.0
    recoder: Recoder | None = None
    transformed: TransformedColumns | None = None
    order: OrderView | None = None
    about: Target = None  # type: ignore[assignment]
    numbers: NDArray[Any] | None = None
    notes: tuple[Note, ...] = ()
    check_codes: InitVar[bool] = True

    def __post_init__(self, check_codes: bool) -> None:
        object.__setattr__(self, "about", self.about or Target("classes", self.classes))
        if not check_codes:
            return
        check_labels(self.labels, self.n_classes)
        if self.weights is not None:
            check_weights(self.weights)
            if len(self.weights) != self.n_rows:
                raise InputError(
                    f"weights must have one entry for each of the {self.n_rows} rows, got "
                    f"{len(self.weights)}"
                )
        for block in self.blocks:
            check_block(block.codes, block.n_values, block.ignored)
            if block.codes.shape != (len(block.features), self.n_rows):
                raise InputError(
                    f"codes must have shape ({len(block.features)}, {self.n_rows}), one row for "
                    "each feature of the block and one column for each label, got "
                    f"{block.codes.shape}"
                )
        covered = self.blocks[0].features
        if len(self.blocks) > 1:
            covered = np.sort(np.concatenate([block.features for block in self.blocks]))
        n_features = self.n_features
        is_each_once = len(covered) == n_features and (covered == np.arange(n_features)).all()
        if not is_each_once or len(self.feature_names) != n_features:
            raise InputError(
                f"blocks must hold each of the {self.n_features} features once, and each must have "
                f"a name, got {len(covered)} in blocks and {len(self.feature_names)} names"
            )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @cached_property
    def n_values(self) -> NDArray[np.int64]:
        """The number of values of each feature, missing included."""
        n_values = np.empty(self.n_features, dtype=np.int64)
        for block in self.blocks:
            n_values[block.features] = block.n_values
        return n_values

    @cached_property
    def run_counts(self) -> NDArray[np.int64]:
        """The count of each run of the target: its rows, or the sum of their weights."""
        return np.bincount(self.labels, self.weights, self.n_classes).astype(np.int64)

    @cached_property
    def total(self) -> int:
        """The number of rows, or the sum of their weights."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    @cached_property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        by_run = np.bincount(self.labels, minlength=self.n_classes)
        return np.asarray(self.about.counts_of(by_run), dtype=np.intp)

    @property
    def weights_are_counts(self) -> bool:
        """Whether weights are numbers of rows; else only their proportions matter."""
        return self.weight_scale == 1.0

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        places = np.empty((self.n_features, 2), dtype=np.int64)
        for b, block in enumerate(self.blocks):
            places[block.features, 0] = b
            places[block.features, 1] = np.arange(len(block.features))
        return places

    def column(self, feature: int) -> NDArray[np.unsignedinteger[Any]]:
        """Return the codes of one feature, shape (n_rows,)."""
        block, row = self._places[feature]
        codes: NDArray[np.unsignedinteger[Any]] = self.blocks[block].codes[row]
        return codes

    def ignored(self, feature: int) -> int:
        """Return the code of one feature that is not counted, or -1."""
        block, row = self._places[feature]
        return int(self.blocks[block].ignored[row])

    @cached_property
    def order_of_codes(self) -> OrderView:
        """The order view derived from the codes."""
        from deacs.coding.order import order_of_coded

        return order_of_coded(self)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weights is not None

    @cached_property
    def ignores_missing(self) -> bool:
        """Whether missing values are not counted, instead of being a value."""
        return any(block.ignored.max() >= 0 for block in self.blocks)

    @property
    def rows_here(self) -> CodedData:
        """The table itself."""
        return self

    @property
    def targets(self) -> Labels:
        """The target of each row."""
        return Labels(self.labels, self.classes, self.about, self.numbers)

    def take(self, rows: NDArray[np.integer[Any]]) -> Self:
        """Return some rows, without weights, `recoder` and `order`, which belong to all rows."""
        blocks = tuple(
            CodeBlock(block.features, block.codes.take(rows, axis=1), block.n_values, block.ignored)
            for block in self.blocks
        )
        return replace(
            self,
            blocks=blocks,
            labels=self.labels[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
            weights=None,
            weight_scale=1.0,
            recoder=None,
            order=None,
            check_codes=False,
        )

    @classmethod
    def from_columns(
        cls,
        columns: Sequence[NDArray[np.unsignedinteger[Any]]] | NDArray[np.uint8],
        features: Sequence[FeatureCoding],
        labels: Labels,
        feature_names: Sequence[str],
        is_named: bool,
        *,
        weights: NDArray[np.int64] | None = None,
        ignores_missing: bool = False,
        **kept: Any,
    ) -> Self:
        """Stack coded columns into blocks of equal width; other attributes are kept as given."""
        n_values = [feature.n_values for feature in features]
        ignored = uncounted_codes(features, ignores_missing)
        return cls(
            blocks=stack_blocks(columns, n_values, ignored),
            weights=None if weights is None else frozen(weights),
            labels=frozen(labels.codes),
            classes=labels.classes,
            about=labels.target,
            numbers=labels.numbers,
            features=tuple(features),
            feature_names=tuple(feature_names),
            is_named=is_named,
            **kept,
        )

    @classmethod
    def from_codes(
        cls,
        codes: Any,
        y: Any,
        feature_names: Sequence[str] | None = None,
        *,
        target: TargetOption = "auto",
    ) -> Self:
        """Make coded data from a matrix of codes.

        Parameters
        ----------
        codes : array of non-negative int of shape (n_rows, n_features)
            Codes; they need not be dense, but memory grows with the largest.
        y : array-like of shape (n_rows,) or (n_rows, n_labels)
            The classes, or labels; see `deacs.encode`.
        feature_names : sequence of str, optional
            The features' names.
        target : {"auto", "classes", "labels", "numbers"}, default="auto"
            The kind of target; see `deacs.encode`.
        """
        if np.ma.is_masked(codes):
            raise InputError(
                "codes must not be masked: give missing values a code of their own, or use "
                "deacs.encode"
            )
        matrix = np.asarray(codes)
        if matrix.ndim != 2 or 0 in matrix.shape or matrix.dtype.kind not in "iu":
            raise InputError(
                "codes must be integers of shape (n_rows, n_features), neither of them 0, "
                f"got {matrix.dtype} of shape {matrix.shape}; use deacs.encode for other tables"
            )
        if matrix.dtype.kind == "i" and matrix.min() < 0:
            raise InputError(f"codes must not be negative, got {matrix.min()}")
        if int(matrix.max()) > LARGEST_CODE:
            raise InputError(
                f"codes must be at most {LARGEST_CODE}, got {matrix.max()}; use deacs.encode, "
                "which numbers the values that occur"
            )
        names = default_names(matrix.shape[1])
        if feature_names is not None:
            names = tuple(map(str, feature_names))
        if len(names) != matrix.shape[1] or len(set(names)) < len(names):
            raise InputError(
                Parameter("feature_names"),
                f" must name {matrix.shape[1]} features, each differently, got {len(names)} names, "
                f"{len(set(names))} of them different",
            )
        n_values = matrix.max(axis=0).astype(np.int64) + 1
        made = {n: FeatureCoding("discrete", np.arange(n), n) for n in set(n_values.tolist())}
        features = [made[n] for n in n_values.tolist()]
        labels = read_labels(y, len(matrix), target)
        blocks = []
        for width in CODE_WIDTHS:
            members = np.flatnonzero([narrowest(n) is width for n in n_values.tolist()])
            if len(members):
                chosen = matrix if len(members) == matrix.shape[1] else matrix[:, members]
                blocks.append(CodeBlock.frozen(members, feature_major(chosen, width), n_values))
        return cls(
            blocks=tuple(blocks),
            labels=frozen(labels.codes),
            classes=labels.classes,
            about=labels.target,
            numbers=labels.numbers,
            features=tuple(features),
            feature_names=names,
            is_named=feature_names is not None,
        )


@lru_cache(maxsize=4)
def default_names(n_features: int) -> tuple[str, ...]:
    """Return default names for columns without names."""
    return tuple(f"x{j}" for j in range(n_features))


def uncounted_codes(features: Sequence[FeatureCoding], ignores_missing: bool) -> NDArray[np.int64]:
    """Return the code of each feature that is not counted, or -1."""
    skipped = [f.n_values - 1 if ignores_missing and f.has_missing else -1 for f in features]
    return np.array(skipped, dtype=np.int64)


def take_rows(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table of any kind, as the same kind; coded data loses its weights."""
    if isinstance(X, CodedData):
        return X.take(rows)
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
    if sparse.issparse(X):
        return X.tocsr()[rows]
    return [X[row] for row in rows] if isinstance(X, list | tuple) else np.asanyarray(X)[rows]


def take_columns(X: Any, columns: NDArray[np.int64]) -> Any:
    """Return some columns of a table in memory; of coded data, their codes."""
    if isinstance(X, CodedData):
        return np.column_stack([X.column(int(j)) for j in columns]).astype(np.int64)
    if is_frame(X):
        return nw.from_native(X, eager_only=True)[:, columns.tolist()].to_native()
    if sparse.issparse(X):
        return X.tocsc()[:, columns]
    if isinstance(X, list | tuple):
        return [[row[j] for j in columns] for row in X]
    return np.asanyarray(X)[:, columns]
