"""Tables that stay where they are: only counts come here, and become scores as in memory.

1. The distinct values of a column by run of the target are a small table whose weights are their
   counts; `deacs.encode` codes it, so kinds, categories and cut points are those of all rows.
2. Codes are made there, once.
3. A step counts there. The rows that agree on the codes of S, the run and a feature's value are one
   row of a small table, whose weight is their count; `CountsHere` scores it. So the bits are those
   of memory, for any score, target and treatment of missing values.

Counts add, so the rows of several frames are one table.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable, FeatureCoding, normal_scores
from deacs.coding.blocks import narrowest, stack_blocks
from deacs.coding.data import uncounted_codes
from deacs.coding.encode import encode_columns, read_target
from deacs.coding.notes import column_notes, declared_in, warn_of
from deacs.counts import Estimator, OrderConditioning, PairInformation, ScoreKind
from deacs.counts.counts import CountsHere
from deacs.counts.joint import rows_counted
from deacs.counts.order import Coordinates, NumberProducts
from deacs.exceptions import DatabaseError, InputError, Parameter
from deacs.rows.bringing import discrete_among, typed_column
from deacs.rows.frames import Cells, Frame, FrameRows, ValueCodes, when
from deacs.tables import Labels, Table, Weights, read_weights

__all__ = ["CountsThere", "RowsThere", "encode_there"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_LABELS = 62
SETTLED_SHARE = 0.5
"""Rows of settled groups are left out from this share on."""


def encode_there(
    frames: Sequence[Frame],
    y: str | Sequence[str],
    names: Sequence[str],
    sample_weight: str | None,
    how: Mapping[str, Any],
) -> RowsThere:
    """Code lazy frames where they are; `how` are parameters of `deacs.encode`."""
    given = how.get("discretizer", "mdlp")
    if not isinstance(given, str | None):
        raise InputError(
            Parameter("discretizer"),
            f" must be a name or None where rows stay, got {type(given).__name__}",
        )
    targets = [y] if isinstance(y, str) else list(y)
    columns = {f"t{k}": name for k, name in enumerate(targets)}
    columns |= {f"c{j}": name for j, name in enumerate(names)}
    columns |= {} if sample_weight is None else {"w": sample_weight}
    parts = [FrameRows.of(frame, columns, sample_weight) for frame in frames]
    target = _OfTarget(parts, len(targets), sample_weight is not None, how.get("target", "auto"))
    try:
        rows = [target.coded(part, [f"c{j}" for j in range(len(names))]) for part in parts]
        coded = [_coded(rows, j, target, names, how) for j in range(len(names))]
        stands = {f"c{j}": column.stands for j, column in enumerate(coded)}
        snapshots = [part.coded(stands, target.kept) for part in rows]
        table = RowsThere(snapshots, target, coded, names, how.get("missing") == "ignore")
        table.check(coded)
    except BaseException:
        for part in parts:
            part.close()
        raise
    declared = declared_in(how.get("discrete_features", "auto"), names)
    table.notes = column_notes(names, table.features, table.n_rows, declared=declared)
    warn_of(table.notes)
    return table


class _OfTarget:
    """The target and the weights, from their distinct values."""

    def __init__(
        self, parts: Sequence[FrameRows], n_targets: int, is_weighted: bool, kind: Any
    ) -> None:
        if n_targets > MOST_LABELS:
            raise InputError(
                Parameter("y"),
                f" must name at most {MOST_LABELS} labels where rows stay; leave ",
                Parameter("stay"),
                " out",
            )
        self._names = [f"t{k}" for k in range(n_targets)]
        by = [*self._names, *(["w"] if is_weighted else [])]
        found = pl.concat([part.distinct(by[0], by[1:]) for part in parts], how="vertical_relaxed")
        found = found.group_by(by).agg(pl.col("n").sum()).sort(by, nulls_last=True)
        n = found["n"].to_numpy()
        rows = np.repeat(np.arange(len(found)), n)
        self.weights = None
        if is_weighted:
            self.weights = read_weights(found["w"].gather(rows), len(rows))
        whole = found.select(self._names)[rows]
        y = whole["t0"] if n_targets == 1 else whole
        self.labels: Labels = read_target(y, len(rows), kind, self.weights)
        first = np.cumsum(n) - n
        self.n_rows, self.scale = len(rows), 1.0 if self.weights is None else self.weights.scale
        counts = np.ones(len(rows), np.int64) if self.weights is None else self.weights.counts
        self.by_run = np.bincount(self.labels.codes, counts, len(self.labels.classes))
        self.by_run = self.by_run.astype(np.int64)
        self.rows_by_run = np.bincount(self.labels.codes, minlength=len(self.labels.classes))
        self.numbers: NumberProducts | None = None
        stands = {"y": self.labels.codes[first].astype(np.int64)}
        if self.labels.numbers is not None:
            stands["z"] = self._ranked(counts)[first]
        self.kept = ["y", *(["z"] if "z" in stands else []), "w"]
        v: Any = found["t0"]
        if n_targets > 1:
            v = (whole[first].cast(pl.Int64).to_numpy() << np.arange(n_targets)).sum(axis=1)
        known = pl.DataFrame({"v": v, **stands})
        self._stands = {"t0": _value_codes(known, dict.fromkeys(stands, 0))}
        if is_weighted:
            known = pl.DataFrame({"v": found["w"], "w": counts[first]})
            self._stands["v"] = _value_codes(known, {"w": 0})

    def _ranked(self, counts: Integers) -> Integers:
        """Return the normal scores of a numeric target, and keep its products with itself."""
        labels = self.labels
        assert labels.numbers is not None
        ranks = np.unique(labels.numbers, return_inverse=True)[1]
        scores = normal_scores(ranks, None if self.weights is None else counts).astype(np.int64)
        outputs = (labels.target.rows_of(i, labels.codes) for i in range(len(labels.target.names)))
        self.numbers = NumberProducts(
            np.zeros(0),
            int((scores * counts).sum()),
            float((scores * scores * counts).sum()),
            np.array([float((scores * counts)[rows].sum()) for rows in outputs]),
        )
        return scores

    def coded(self, part: FrameRows, columns: Sequence[str]) -> FrameRows:
        """Return rows with the run `y`, the weight `w` and the score `z` of the target."""
        frame = part.frame
        if len(self._names) > 1:
            schema = frame.collect_schema()
            bits = [
                when(nw.col(name) if schema[name] == nw.Boolean else nw.col(name) == 1, 1 << k)
                for k, name in enumerate(self._names)
            ]
            frame = frame.with_columns(t0=reduce(add, bits))
        if self.weights is None:
            frame = frame.with_columns(w=nw.lit(1, dtype=nw.Int64))
            return FrameRows(frame, part.made).coded(self._stands, [*columns, "w"])
        frame = frame.with_columns(v=nw.col("w")).drop("w")
        return FrameRows(frame, part.made).coded(self._stands, columns)


class _Coded(NamedTuple):
    """A column's coding, what stands for its values, and its counts by run."""

    feature: FeatureCoding
    stands: ValueCodes
    by_run: Integers
    square: int | None
    """The squared length of its scores; None without an order."""


def _coded(
    parts: Sequence[FrameRows],
    j: int,
    target: _OfTarget,
    names: Sequence[str],
    how: Mapping[str, Any],
) -> _Coded:
    """Code one column from its distinct values by run."""
    by = ["y", "w"] if target.weights is not None else ["y"]
    found = pl.concat([p.distinct(f"c{j}", by) for p in parts], how="vertical_relaxed")
    counts = found["n"].to_numpy()
    if target.weights is not None:
        counts = counts * found["w"].cast(pl.Int64).to_numpy()
    labels, values = target.labels, found[f"c{j}"]
    runs = Labels(found["y"].cast(pl.Int32).to_numpy(), labels.classes, labels.target)
    marks = discrete_among(how.get("discrete_features", "auto"), names, slice(j, j + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about rows, and these are not rows
        data = encode_columns(
            Table((typed_column(values.alias(names[j])),), len(found)),
            runs,
            Weights(counts.astype(np.int64), target.scale),
            discrete_features=marks,
            order=True,
            missing=how.get("missing", "category"),
            discretizer=how.get("discretizer", "mdlp"),
        )
    assert data.weights is not None
    assert data.order is not None
    feature, codes = data.features[0], data.column(0).astype(np.int64)
    by_run = np.zeros((data.n_classes, feature.n_values), dtype=np.int64)
    np.add.at(by_run, (data.labels, codes), data.weights)
    stands = {f"k{j}": codes}
    absent = {f"k{j}": feature.n_values - 1 if feature.has_missing else 0}
    square = None
    for scores in data.order.scores.astype(np.int64):
        square = int((scores * scores * data.weights).sum())
        stands[f"s{j}"], absent[f"s{j}"] = scores, 0
    known = pl.DataFrame({"v": values, **stands}).drop_nulls("v")
    return _Coded(feature, _value_codes(known, absent), by_run, square)


def _value_codes(known: pl.DataFrame, absent: Mapping[str, int]) -> ValueCodes:
    """Return what stands for the values `v`; `absent` for missing ones."""
    known = known.unique("v").sort("v")
    return ValueCodes(known["v"], {name: known[name].to_numpy() for name in absent}, absent)


class RowsThere(CodedTable):
    """A coded table whose rows stay where they are; `close` removes its codes from there.

    Attributes are those of `CodedTable`.
    """

    def __init__(
        self,
        rows: Sequence[FrameRows],
        target: _OfTarget,
        coded: Sequence[_Coded],
        names: Sequence[str],
        ignores_missing: bool,
    ) -> None:
        self.rows, self._target = list(rows), target
        self.classes, self.about = target.labels.classes, target.labels.target
        self.features = tuple(column.feature for column in coded)
        self.feature_names, self.is_named = tuple(names), True
        self.ignored = uncounted_codes(self.features, ignores_missing)
        self.squares = {j: of.square for j, of in enumerate(coded) if of.square is not None}
        self.numbers = target.numbers
        self.by_run, self.total = target.by_run, int(target.by_run.sum())
        self.singles: dict[int, CodedData] = {}
        """Each feature's counts with S empty."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._target.n_rows

    @property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return np.asarray(self.about.counts_of(self._target.rows_by_run), dtype=np.intp)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self._target.weights is not None

    @property
    def weight_scale(self) -> float:
        """Counts per unit of the given weights."""
        return self._target.scale

    @property
    def ignores_missing(self) -> bool:
        """Whether missing values are not counted, instead of being a value."""
        return bool((self.ignored >= 0).any())

    @property
    def rows_here(self) -> CodedData:
        """Raise InputError: the rows are elsewhere."""
        n_bytes = self.n_rows * self.n_features
        raise InputError(
            f"this needs the rows here, and they stay where they are: their codes are {n_bytes:,} "
            "bytes; bring them by deacs.encode(frame, target, ",
            Parameter("most_bytes", n_bytes),
            "), or write them to a folder with ",
            Parameter("out"),
        )

    def counts(self, label_score: Any, estimator: Any) -> CountsThere:
        """Begin a selection where the rows are."""
        return CountsThere(self, label_score, estimator)

    def check(self, coded: Sequence[_Coded]) -> None:
        """Raise DatabaseError unless the codes are those of the values that were counted."""
        for j, cells in self.cells(self.rows, [], range(self.n_features)):
            found = np.zeros_like(coded[j].by_run)
            is_known = (cells.values >= 0) & (cells.values < found.shape[1])
            if is_known.all():
                np.add.at(found, (cells.runs, cells.values), cells.weights)
            if not (found == coded[j].by_run).all() or (found.sum(axis=1) != self.by_run).any():
                raise DatabaseError(
                    f"the rows changed while they were coded: the counts of "
                    f"{self.feature_names[j]!r} are not those of before; try again"
                )
            self.singles[j] = self.small(cells, [], [j])

    def runs(self, rows: Sequence[FrameRows], given: Sequence[int]) -> Cells:
        """Return the counts of all parts by run and by the codes of S."""
        return _together([part.runs(given) for part in rows])

    def cells(
        self, rows: Sequence[FrameRows], given: Sequence[int], features: Sequence[int]
    ) -> Iterator[tuple[int, Cells]]:
        """Yield features with the counts of all parts."""
        parts = [part.cells(given, list(features), self.n_values) for part in rows]
        for found in zip(*parts, strict=True):
            yield found[0][0], _together([cells for _, cells in found])

    def small(self, cells: Cells, given: Sequence[int], features: Sequence[int]) -> CodedData:
        """Return cells as a table of weighted rows: the group of S if there is one, the feature.

        Rows that are not counted any more are rows of settled groups, which score zero.
        """
        left = self.by_run - np.bincount(cells.runs, cells.weights, self.n_classes).astype(np.int64)
        settled = np.flatnonzero(left)
        runs = np.append(cells.runs, settled).astype(np.int32)
        weights = np.append(cells.weights, left[settled])
        columns, n_values, ignored = list[NDArray[Any]](), list[int](), list[int]()
        if given:
            groups, n_groups = _groups(cells.given)
            is_gone = (cells.given == self.ignored[list(given)]).any(axis=1)
            groups[is_gone] = last = n_groups + len(settled)
            columns.append(np.concatenate((groups, n_groups + np.arange(len(settled)))))
            n_values.append(last + 1)
            ignored.append(last if (self.ignored[list(given)] >= 0).any() else -1)
        for j in features:
            columns.append(np.append(cells.values, np.zeros(len(settled), np.int64)))
            n_values.append(int(self.n_values[j]))
            ignored.append(int(self.ignored[j]))
        if not columns:
            columns, n_values, ignored = [np.zeros(len(runs), np.int64)], [1], [-1]
        codes = [column.astype(narrowest(n)) for column, n in zip(columns, n_values, strict=True)]
        skipped = np.array(ignored, dtype=np.int64)
        return CodedData(
            blocks=stack_blocks(codes, n_values, skipped),
            labels=runs,
            classes=self.classes,
            features=tuple(FeatureCoding("discrete", np.arange(n), n) for n in n_values),
            feature_names=tuple(f"x{k}" for k in range(len(codes))),
            is_named=False,
            weights=weights,
            weight_scale=self.weight_scale,
            about=self.about,
            check_codes=False,
        )

    def close(self) -> None:
        """Remove the codes from where the rows are."""
        self.is_open = False
        for part in self.rows:
            part.close()


def _together(parts: Sequence[Cells]) -> Cells:
    return parts[0] if len(parts) == 1 else Cells(*map(np.concatenate, zip(*parts, strict=True)))


def _groups(codes: Integers) -> tuple[Integers, int]:
    """Number the joint values of the columns of a matrix."""
    if codes.shape[1] == 1:
        return codes[:, 0].copy(), int(codes.max(initial=0)) + 1
    groups = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return groups, int(groups.max(initial=-1)) + 1


class CountsThere:
    """Counts of a table whose rows stay where they are, with the methods of `CountsHere`."""

    def __init__(
        self,
        table: RowsThere,
        label_score: ScoreKind = "one-vs-rest",
        estimator: Estimator = "plug-in",
    ) -> None:
        self._made: list[FrameRows] = []
        if estimator != "plug-in" and table.weight_scale != 1.0:
            raise InputError(
                f"the estimator {estimator!r} counts rows, and fractional weights are no counts; "
                "bring the rows, or use whole numbers as ",
                Parameter("sample_weight"),
                ", or DEACS.published",
            )
        self._table, self._kind, self._estimator = table, label_score, estimator
        self._given: list[int] = []
        self._rows = table.rows
        self._runs: Cells | None = None

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._table.n_features

    def _single(self, feature: int) -> CountsHere:
        return CountsHere(self._table.singles[feature])

    def _here(self, data: CodedData) -> CountsHere:
        return CountsHere(data, self._kind, None, self._estimator)

    def _of_runs(self) -> CountsHere:
        """Return the counts given S, without candidates."""
        if self._runs is None:
            self._runs = self._table.runs(self._rows, self._given)
        counts = self._here(self._table.small(self._runs, self._given, []))
        if self._given:
            counts.condition_on(0)
        return counts

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        table, given = self._table, self._given
        n_outputs = 1 if self._kind == "joint" else table.n_outputs
        scores = np.zeros((len(candidates), n_outputs))
        place = {int(j): k for k, j in enumerate(candidates) if j not in given}
        if not given:
            for j, k in place.items():
                scores[k] = self._here(table.singles[j]).label_scores(np.array([0]))[0]
            return scores
        for j, cells in table.cells(self._rows, given, list(place)):
            counts = self._here(table.small(cells, given, [j]))
            counts.condition_on(0)
            scores[place[j]] = counts.label_scores(np.array([1]))[0]
        return scores

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        return self._of_runs().residual()

    def condition_on(self, feature: int) -> None:
        """Add a feature to S; rows of settled groups are left out where that pays."""
        if feature in self._given:
            return
        self._given.append(feature)
        table = self._table
        self._runs = runs = table.runs(self._rows, self._given)
        if table.ignores_missing or len(self._rows) > 1:
            return  # such rows count in other estimates; groups of one part may not be settled
        groups, _ = _groups(runs.given)
        n_runs = np.bincount(np.unique(groups * table.n_classes + runs.runs) // table.n_classes)
        is_settled = n_runs[groups] == 1
        total = int(runs.weights.sum())
        if total and runs.weights[is_settled].sum() >= SETTLED_SHARE * total:
            left = [part.unsettled(self._given) for part in self._rows]
            self.close()
            self._rows, self._made = left, left
            self._runs = Cells(*(of[~is_settled] for of in runs))

    def close(self) -> None:
        """Remove the rows that were made for these counts."""
        for part in self._made:
            part.close()
        self._made = []

    def __del__(self) -> None:
        self.close()

    def fresh(self) -> CountsThere:
        """Return counts of the same table with S empty."""
        return CountsThere(self._table, self._kind, self._estimator)

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of these features that occur."""
        table = self._table
        wanted = list(features)
        runs = table.runs(table.rows, wanted)
        is_here = ~(runs.given == table.ignored[wanted]).any(axis=1)
        counted = rows_counted(
            int(runs.weights[is_here].sum()), table.total, table.n_rows, table.weight_scale == 1.0
        )
        return counted / max(len(np.unique(runs.given[is_here], axis=0)), 1)

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""
        return OrderConditioning(ProductsThere(self._table))

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature in bits."""
        return np.array([self._single(j).relevance()[0] for j in range(self.n_features)])

    def entropy(self) -> Floats:
        """Return H(F) of every feature in bits."""
        alone, table = np.array([0]), self._table
        parts = [self._single(j).pair_information(0, alone) for j in range(self.n_features)]
        return PairInformation.together(parts, table.n_rows).entropy

    def class_entropy(self) -> float:
        """Return H(C) in bits."""
        return self._single(0).class_entropy()

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature in bits."""
        return self.pair_information(selected, candidates).redundancy

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and one selected feature, in bits."""
        return self.group_information([selected], candidates)

    def group_information(self, group: Sequence[int], candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and a group of features, in bits."""
        table, given = self._table, list(group)
        others = [int(j) for j in candidates if [int(j)] != given]
        found: dict[int, PairInformation] = {}
        for j, cells in table.cells(table.rows, given, others):
            data = table.small(cells, given, [j])
            found[j] = CountsHere(data).pair_information(0, np.array([1]))
        for j in {int(j) for j in candidates} - set(found):
            found[j] = self._single(j).pair_information(0, np.array([0]))
        return PairInformation.together([found[int(j)] for j in candidates], table.n_rows)


class ProductsThere:
    """Inner products of the order view, summed where the rows are."""

    def __init__(self, table: RowsThere) -> None:
        self._table, self.n_values = table, table.n_values
        self.coordinates = Coordinates.of(table.n_values, np.array([*table.squares], np.int64))
        self.total = float(table.total)
        self.n_rows = float(table.total if table.weight_scale == 1.0 else table.n_rows)
        self.label_counts = np.asarray(table.about.counts_of(table.by_run), dtype=np.float64)

    def _by_run(self, of: str | None, level: int | None = None) -> Integers:
        """Return the products of a column with every coordinate, (n_runs, n_coordinates)."""
        table = self._table
        categories = {int(j): int(self.n_values[j]) for j in self.coordinates.categories}
        products = np.zeros((table.n_classes, int(self.coordinates.starts[-1])), dtype=np.int64)
        for part in table.rows:
            found = part.products(of, level, [*table.squares], categories)
            products[found[:, 0]] += found[:, 1:]
        return products

    @cached_property
    def _of_runs(self) -> Integers:
        return self._by_run(None)

    @property
    def numbers(self) -> NumberProducts | None:
        """The products with a numeric target; None for other targets."""
        known = self._table.numbers
        if known is None:
            return None
        return known._replace(of_coordinates=self._by_run("z").sum(axis=0).astype(np.float64))

    @property
    def sums(self) -> Floats:
        """The sum of each coordinate."""
        return np.asarray(self._of_runs.sum(axis=0), dtype=np.float64)

    @property
    def squares(self) -> Floats:
        """The squared length of each coordinate; an indicator is its own square."""
        squares = np.array([*self._table.squares.values()], dtype=np.float64)
        return np.concatenate((squares, self.sums[len(squares) :]))

    def with_outputs(self) -> Floats:
        """Return the products with the indicators of outputs, (n_coordinates, n_outputs)."""
        counted = self._table.about.counts_of(self._of_runs.T)
        return np.ascontiguousarray(counted, dtype=np.float64)

    def with_feature(self, feature: int, level: int) -> Floats:
        """Return the products with an ordered feature, or with one indicator of a category."""
        if self.coordinates.block[feature] < 0:
            products = self._by_run(f"s{feature}")
        else:
            products = self._by_run(f"k{feature}", level)
        return np.asarray(products.sum(axis=0), dtype=np.float64)
