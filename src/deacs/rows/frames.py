"""Lazy frames of any library, through narwhals, and the little that narwhals lacks for each.

Columns are first renamed to c0, c1, ...: `a` beside `A` is ambiguous to some databases. Codes are
found by comparing with a column's *own values*, never with cut points, so that no number is
rounded on its way.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.exceptions import DatabaseError, InputError, Parameter
from deacs.rows.bringing import Source

__all__ = ["Cells", "FrameRows", "ValueCodes", "opened", "source_of", "when"]

Frame = nw.LazyFrame[Any]
Integers = NDArray[np.int64]

MOST_STEPS, MOST_TEXTS = 64, 24
"""A longer list of values is joined, not compared one by one."""
FEW_VALUES = 16
"""The most values that are counted side by side, one sum for each."""
SUMS_AT_ONCE = 400
"""Sums in one query; some databases return at most 1,600 columns."""
JOINS_AT_ONCE = 12
COUNTER = count()
VIEW = "deacs_view"


class Cells(NamedTuple):
    """Counts of the rows that agree on the codes of S, the run of the target, and a value."""

    given: Integers
    """The codes of S, (n_cells, |S|)."""
    runs: Integers
    values: Integers
    weights: Integers


@dataclass(frozen=True)
class ValueCodes:
    """What stands for each value of a column: integers by name, such as a code and a score."""

    values: pl.Series
    """Distinct values, ascending, none missing."""
    stands: Mapping[str, Integers]
    missing: Mapping[str, int]


def opened(X: Any) -> list[Frame]:
    """Return one lazy frame or several as those of narwhals."""
    return [nw.from_native(frame).lazy() for frame in (X if isinstance(X, list | tuple) else [X])]


def source_of(frame: Frame, k: int) -> Source:
    """Return a lazy frame as a source, whose values come here."""

    def scan() -> pl.LazyFrame:
        native = frame.to_native()
        return native if isinstance(native, pl.LazyFrame) else collected(frame).lazy()

    def spill(path: Path) -> None:
        with reading():
            frame.sink_parquet(path)

    return Source(f"frame {k}", frame.collect_schema().names(), scan, spill)


@contextmanager
def reading() -> Iterator[None]:
    """Turn errors of the library that holds the rows into one that says what happened."""
    try:
        with warnings.catch_warnings():  # of one library about another
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    except (InputError, DatabaseError, MemoryError):
        raise
    except Exception as error:
        if "os error 28" in str(error):
            raise
        said = (str(error).strip() or type(error).__name__).partition("\n")[0]
        raise DatabaseError(f"the rows could not be read where they are: {said}") from error


def collected(frame: Frame) -> pl.DataFrame:
    """Return the rows of a query."""
    with reading():
        found: pl.DataFrame = nw.to_native(frame.collect("polars"))
        return found


@dataclass
class FrameRows:
    """Rows of a lazy frame: `c0`, `c1`, ... the values, or `k0`, `s0`, ... codes and scores."""

    frame: Frame
    made: list[Callable[[], None]] = field(default_factory=list)
    """Remove what was made there."""

    @classmethod
    def of(cls, frame: Frame, columns: Mapping[str, str], sample_weight: str | None) -> FrameRows:
        """Return some columns under other names; rows of weight 0 are left out."""
        schema = frame.collect_schema()
        frame = frame.select(
            *(_plain(nw.col(name), schema[name]).alias(new) for new, name in columns.items())
        )
        return cls(frame if sample_weight is None else frame.filter(nw.col("w") > 0))

    def distinct(self, column: str, by: Sequence[str]) -> pl.DataFrame:
        """Return the values of a column with those of others, and how many rows `n` have them."""
        keys = list(dict.fromkeys([column, *by]))
        found = collected(self.frame.group_by(*keys).agg(nw.len().alias("n")))
        return found.select(*keys, pl.col("n").cast(pl.Int64))

    def coded(self, stands: Mapping[str, ValueCodes], keep: Sequence[str]) -> FrameRows:
        """Return codes for the values of some columns, made once: the snapshot."""
        rows, kept, n_joined = self, [*keep], 0
        left = dict(stands)
        for name, codes in stands.items():
            frame, is_joined = _with_codes(rows.frame, name, codes)
            del left[name]
            kept += codes.stands
            n_joined += is_joined
            made = (nw.col(new).cast(_shortest(codes, new)).alias(new) for new in codes.stands)
            others = [old for old in kept if old not in codes.stands]
            rows = FrameRows(frame.select(*others, *made, *left), rows.made)
            if n_joined >= JOINS_AT_ONCE:
                rows, n_joined = rows._made(), 0
        return rows._made()

    def _made(self) -> FrameRows:
        """Compute the rows and keep them where they are."""
        with reading():
            frame, remove = _materialised(self.frame)
        self.made.append(remove)
        return FrameRows(frame, self.made)

    def runs(self, given: Sequence[int]) -> Cells:
        """Return the counts by run and by the codes of S."""
        counted = self._counted(given, {})
        return Cells(_keys(counted, given), counted["y"], _zeros(counted), counted["n"])

    def cells(
        self, given: Sequence[int], features: Sequence[int], n_values: Integers
    ) -> Iterator[tuple[int, Cells]]:
        """Yield features with their counts by run and by the codes of S.

        Features of few values are counted side by side: a sum for each value but the last.
        """
        few = np.array([j for j in features if n_values[j] <= FEW_VALUES], dtype=np.int64)
        part = np.cumsum(n_values[few]) // SUMS_AT_ONCE
        for some in (few[part == k].tolist() for k in np.unique(part)):
            sums = {f"a{j}_{v}": (j, v) for j in some for v in range(int(n_values[j]) - 1)}
            counted = self._counted(given, sums)
            codes, runs, total = _keys(counted, given), counted["y"], counted["n"]
            for j in some:
                of = [counted[f"a{j}_{v}"] for v in range(int(n_values[j]) - 1)]
                table = np.column_stack([*of, total - sum(of)])
                at, values = np.nonzero(table)
                yield j, Cells(codes[at], runs[at], values, table[at, values])
        for j in (j for j in features if n_values[j] > FEW_VALUES):
            counted = self._counted([*given, j], {})
            yield j, Cells(_keys(counted, given), counted["y"], counted[f"k{j}"], counted["n"])

    def _counted(
        self, given: Sequence[int], sums: Mapping[str, tuple[int, int]]
    ) -> dict[str, Integers]:
        """Return the weight `n` of each run by codes, and that of rows that have some value."""
        keys = list(dict.fromkeys(["y", *(f"k{j}" for j in given)]))
        made = {name: when(nw.col(f"k{j}") == v, nw.col("w")) for name, (j, v) in sums.items()}
        frame = self.frame.select(*keys, nw.col("w").alias("n"), **made)
        counted = collected(frame.group_by(*keys).agg(*(nw.col(x).sum() for x in ("n", *made))))
        return {column.name: column.cast(pl.Int64).to_numpy() for column in counted}

    def products(
        self,
        of: str | None,
        level: int | None,
        ordered: Sequence[int],
        categories: Mapping[int, int],
    ) -> Integers:
        """Return the sums of a column, or of an indicator, times others, by run.

        Rows of the result are a run, the sums of ordered columns, and those of each value of the
        categories, given with their numbers of values.
        """
        x = nw.col("w")
        if of is not None:
            x = x * (nw.col(of).cast(nw.Int64) if level is None else when(nw.col(of) == level, 1))
        frame = self.frame.with_columns(x=x)
        wanted = [(f"s{j}", nw.col(f"s{j}").cast(nw.Int64) * nw.col("x")) for j in ordered]
        wanted += [
            (f"l{j}_{v}", when(nw.col(f"k{j}") == v, nw.col("x")))
            for j, n in categories.items()
            for v in range(n)
        ]
        parts = []
        for begin in range(0, max(len(wanted), 1), SUMS_AT_ONCE):
            some = dict(wanted[begin : begin + SUMS_AT_ONCE])
            summed = frame.select("y", **some).group_by("y").agg(*(nw.col(n).sum() for n in some))
            found = collected(summed).sort("y")
            parts.append(found.select(pl.col("y", *some).cast(pl.Int64)).to_numpy())
        return np.hstack([parts[0], *(part[:, 1:] for part in parts[1:])])

    def unsettled(self, given: Sequence[int]) -> FrameRows:
        """Return the rows of groups that have several runs, made once."""
        keys, names = [f"k{j}" for j in given], self.frame.collect_schema().names()
        runs = (nw.col("y").min().alias("low"), nw.col("y").max().alias("high"))
        several = self.frame.group_by(*keys).agg(*runs).filter(nw.col("low") < nw.col("high"))
        theirs = {f"of_{key}": nw.col(key) for key in keys}
        kept = self.frame.join(
            several.select(**theirs), left_on=keys, right_on=list(theirs), how="inner"
        )
        return FrameRows(kept.select(*names))._made()

    def close(self) -> None:
        """Remove what was made there."""
        while self.made:
            with suppress(Exception):  # the connection may be closed
                self.made.pop()()


def _plain(column: nw.Expr, dtype: Any) -> nw.Expr:
    """Return a column of a type that all libraries compare alike; NaN is missing."""
    if dtype.is_float():
        return nw.when(~column.is_nan()).then(column)
    if dtype.is_decimal():
        return column.cast(nw.Float64)
    return column.cast(nw.String) if dtype in (nw.Categorical, nw.Enum) else column


def when(condition: nw.Expr, then: Any) -> nw.Expr:
    """Return a number where a condition holds, and 0 elsewhere."""
    number = then if isinstance(then, nw.Expr) else nw.lit(then, dtype=nw.Int64)
    return nw.when(condition).then(number).otherwise(nw.lit(0, dtype=nw.Int64))


def _keys(counted: Mapping[str, Integers], given: Sequence[int]) -> Integers:
    """Return the codes of S, (n, |S|)."""
    n = len(counted["y"])
    return np.array([counted[f"k{j}"] for j in given], dtype=np.int64).reshape(len(given), n).T


def _zeros(counted: Mapping[str, Integers]) -> Integers:
    return np.zeros_like(counted["y"])


def _with_codes(frame: Frame, column: str, codes: ValueCodes) -> tuple[Frame, bool]:
    """Add what stands for the values of a column; return whether it took a join."""
    values, stands = codes.values, codes.stands
    together = np.column_stack([*stands.values()]) if len(values) else np.zeros((0, len(stands)))
    is_text = values.dtype in (pl.String, pl.Boolean, pl.Null)
    last = np.flatnonzero((together[1:] != together[:-1]).any(axis=1))
    ends = np.append(last, len(values) - 1).astype(np.int64) if len(values) else last
    if is_text:
        ends = np.arange(len(values))  # databases differ in the order of text
    if len(ends) <= (MOST_TEXTS if is_text else MOST_STEPS):
        tops = values.gather(ends).to_list()
        value = nw.col(column)
        made = {}
        for name, of in stands.items():
            found = _stairs(value, tops, of[ends].tolist(), is_equal=is_text)
            absent = nw.lit(int(codes.missing[name]), dtype=nw.Int64)
            made[name] = nw.when(value.is_null()).then(absent).otherwise(found)
        return frame.with_columns(**made), False
    known = pl.DataFrame({"of_value": values, **{f"of_{n}": of for n, of in stands.items()}})
    joined = frame.join(
        _beside(frame, column, known), left_on=column, right_on="of_value", how="left"
    )
    is_missing = nw.col(column).is_null()
    made = {
        name: nw.when(is_missing)
        .then(nw.lit(int(codes.missing[name]), dtype=nw.Int64))
        .otherwise(nw.col(f"of_{name}").fill_null(-1).cast(nw.Int64))
        for name in stands
    }
    return joined.with_columns(**made), True


def _shortest(codes: ValueCodes, name: str) -> Any:
    """Return an integer type of all libraries that holds what stands for the values."""
    is_short = codes.stands[name].max(initial=codes.missing[name]) < 1 << 15  # scores fit, too
    return nw.Int16 if is_short and name != "w" else nw.Int64


def _stairs(value: nw.Expr, tops: list[Any], stands: list[int], *, is_equal: bool) -> nw.Expr:
    """Return what stands for a value, found by bisection; text is compared value by value."""
    if not stands:
        return nw.lit(0, dtype=nw.Int64)
    if len(stands) == 1:
        return nw.lit(int(stands[0]), dtype=nw.Int64)
    if is_equal:
        rest = _stairs(value, tops[1:], stands[1:], is_equal=True)
        here = value == nw.lit(tops[0]) if not isinstance(tops[0], bool) else value
        if isinstance(tops[0], bool) and not tops[0]:
            here = ~value
        return nw.when(here).then(nw.lit(int(stands[0]), dtype=nw.Int64)).otherwise(rest)
    middle = (len(stands) - 1) // 2
    lower = _stairs(value, tops[: middle + 1], stands[: middle + 1], is_equal=False)
    upper = _stairs(value, tops[middle + 1 :], stands[middle + 1 :], is_equal=False)
    return nw.when(value <= nw.lit(tops[middle])).then(lower).otherwise(upper)


def _beside(frame: Frame, column: str, known: pl.DataFrame) -> Frame:
    """Return a small table as a frame of the same library, to be joined to a column."""
    native, name = frame.to_native(), frame.implementation.name
    made: Any
    if name == "POLARS":
        made = known.lazy()
    elif name == "DUCKDB":
        arrow = known.to_arrow()  # found by its name
        made = native.query(VIEW, "select * from arrow")
        del arrow
    elif name == "IBIS":
        import ibis

        made = ibis.memtable(known.to_arrow())
    elif name == "DASK":
        from dask import dataframe

        small = known.to_pandas().astype({"of_value": native.dtypes[column]})
        made = dataframe.from_pandas(small, npartitions=1)
    elif name.startswith("PYSPARK"):
        made = native.sparkSession.createDataFrame(known.to_pandas())
    else:
        raise InputError(
            Parameter("stay", True),
            f" needs polars, DuckDB, Ibis, Spark or Dask, got {name.lower()}; leave it out",
        )
    beside: Frame = nw.from_native(made).lazy()
    return beside


def _materialised(frame: Frame) -> tuple[Frame, Callable[[], None]]:
    """Compute a frame where it is; return it, and what removes it."""
    native, name = frame.to_native(), frame.implementation.name
    made: Any
    if name == "POLARS":
        folder = Path(tempfile.mkdtemp(prefix="deacs-"))
        native.sink_parquet(folder / "rows.parquet", compression="lz4")
        made = pl.scan_parquet(folder / "rows.parquet", glob=False)
        return nw.from_native(made), lambda: shutil.rmtree(folder, ignore_errors=True)
    if name == "DUCKDB":
        table = f"deacs_{next(COUNTER)}_{np.random.default_rng().integers(1 << 40)}"
        native.query(VIEW, f"create temp table {table} as select * from {VIEW}")
        made = native.query(VIEW, f"select * from {table}")
        return nw.from_native(made), lambda: made.query(VIEW, f"drop table {table}")
    if name == "IBIS":
        made = native.cache()
        return nw.from_native(made), made.release
    if name == "DASK":
        return nw.from_native(native.persist()), lambda: None
    if name.startswith("PYSPARK"):
        made = native.localCheckpoint(eager=True)
        return nw.from_native(made), lambda: made.unpersist() and None
    return frame, lambda: None
