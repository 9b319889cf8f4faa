"""`encode_files`: files larger than memory to a `CodedStore`, in two streaming passes.

1. *Learn*: every batch of rows leaves its sorted runs of numbers (with labels) and its distinct
   text on disk; then kinds are decided, categories numbered and cuts found, a column at a time.
2. *Code*: every batch is read again and its codes are written to their places.

The store equals, byte for byte, what `deacs.encode` makes of the same rows in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from deacs.coding import MISSING, Missing
from deacs.discretize.cuts import DISCRETIZERS
from deacs.distributed.disk.layout import refuse_taken
from deacs.distributed.disk.memory import read_size
from deacs.distributed.disk.store import CodedStore
from deacs.distributed.disk.unfinished import UnfinishedStore
from deacs.distributed.files.batches import Batch, TableFile, open_table
from deacs.distributed.files.coding_pass import code_batches
from deacs.distributed.files.journal import Journal
from deacs.distributed.files.learning import learn_batch
from deacs.distributed.files.plan import joined_types, make_plan
from deacs.distributed.files.spill import SpilledBatch, write_batch
from deacs.exceptions import InputError
from deacs.tables.files.names import refuse_unknown
from deacs.tables.files.options import Options

__all__ = ["encode_files"]

Progress = Callable[[str, float], None]

SHARE_OF_A_BATCH = 4
"""A batch, as it is read and sorted, takes a quarter of the memory."""


def encode_files(
    paths: str | Path | Iterable[str | Path],
    target: str,
    out: str | Path,
    *,
    memory: int | str = "2GB",
    exclude: Sequence[str] = (),
    nominal: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    missing_markers: Sequence[str] | None = None,
    header: bool = True,
    discrete_features: Any = "auto",
    discretizer: str | None = "mdlp",
    missing: Missing = "category",
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CodedStore:
    """Code files of any size into a store, once for any number of fits.

    Parameters
    ----------
    paths : path or list of paths
        CSV, TSV or Parquet, one table in one or many files with the same columns.
    target : str
        The class column.
    out : str or Path
        The directory of the store. A run that was killed goes on when it is called again.
    memory : int or str, default="2GB"
        About how much memory it may take. Distinct text of all columns must fit.
    exclude, nominal, delimiter, encoding, missing_markers, header
        As in `deacs.read_table`.
    discrete_features, discretizer, missing
        As in `deacs.encode`; a discretizer by name, or None.
    overwrite : bool, default=False
        Whether a store that is there gives way.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.
    progress : callable, optional
        Called with what is being done and the share of it that is done.

    Returns
    -------
    CodedStore
        Equal to `deacs.encode` of the same rows in memory.

    Notes
    -----
    Disk beside the store: 9 to 10 bytes for each number at most (a value and a label), less where
    values repeat; removed at the end. Files are read twice, and by a third pass where a text
    column looks like numbers in some batches.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from deacs.distributed import encode_files
    >>> with TemporaryDirectory() as folder:
    ...     part = Path(folder) / "part.csv"
    ...     _ = part.write_text("size,colour,kind\\n1.5,red,a\\n2.5,blue,b\\n0.5,red,a\\n")
    ...     store = encode_files([part, part], "kind", Path(folder) / "store")
    ...     store, store.data.column(1).tolist()
    (<CodedStore: 6 rows, 2 features, 2 classes>, [1, 0, 1, 1, 0, 1])
    """
    place = Path(out)
    refuse_taken(place, overwrite)
    _refuse_options(discretizer, missing)
    how = Options(
        exclude=tuple(name for name in exclude if name != target),
        nominal=tuple(nominal),
        delimiter=delimiter,
        encoding=encoding,
        missing_markers=None if missing_markers is None else tuple(missing_markers),
        header=None if header else False,
    )
    n_bytes = read_size(memory)
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    tables = [open_table(Path(path), how, n_bytes // SHARE_OF_A_BATCH) for path in given]
    names = _names_of_all(tables, target)
    tell = progress or (lambda what, share: None)
    settings = [target, n_bytes, how, discrete_features, discretizer, missing]
    share = n_bytes // SHARE_OF_A_BATCH
    with UnfinishedStore(place) as unfinished:
        journal = Journal.open(unfinished, [table.path for table in tables], settings)
        batches = _learn(tables, target, names, journal, n_jobs, tell)
        plan = make_plan(
            *(tables, batches, names, discrete_features, discretizer, missing),
            *(share, journal, n_jobs, tell),
        )
        code_batches(_numbered(tables), plan, journal, n_jobs, tell)
        journal.finish(plan, target)
    return CodedStore.open(place)


def _refuse_options(discretizer: Any, missing: Any) -> None:
    if discretizer is not None and discretizer not in DISCRETIZERS:
        raise InputError(
            f"discretizer must be one of {', '.join(DISCRETIZERS)} or None, got {discretizer!r}; "
            "transformers need the whole table: use deacs.encode"
        )
    if missing not in MISSING:
        raise InputError(f"missing must be one of {', '.join(MISSING)}, got {missing!r}")


def _names_of_all(tables: Sequence[TableFile], target: str) -> list[str]:
    """Return the features, which all files must have."""
    if not tables:
        raise InputError("paths must name at least one file, got none")
    first = tables[0]
    refuse_unknown([target], first.names, "target", first.advice)
    for table in tables[1:]:
        for one, other in ((first, table), (table, first)):
            lacking = [name for name in one.names if name not in set(other.names)]
            if lacking:
                raise InputError(
                    f"all files must have the same columns, but {other.path} has no column "
                    f"{lacking[0]!r}, which {one.path} has; leave it out with exclude=, or add it"
                )
    names = [name for name in first.names if name != target]
    if not names:
        raise InputError(f"{first.path} has no column beside the target {target!r}")
    return names


def _numbered(tables: Sequence[TableFile]) -> Iterator[tuple[int, TableFile, Batch]]:
    number = 0
    for table in tables:
        for batch in table.batches():
            yield number, table, batch
            number += 1


def _learn(
    tables: Sequence[TableFile],
    target: str,
    names: list[str],
    journal: Journal,
    n_jobs: int | None,
    tell: Progress,
) -> list[SpilledBatch]:
    """Leave what every batch tells on disk; again where a text column was taken for numbers."""
    total = sum(table.size for table in tables)
    while True:
        batches, owners, behind = [], [], 0
        for number, table, batch in _numbered(tables):
            place = journal.batch(number)
            if not place.is_dir():
                frame = batch.read()
                learned = learn_batch(table, frame, target, names, journal.types, n_jobs)
                write_batch(place, *learned)
            batches.append(SpilledBatch(place))
            owners.append(table)
            tell(f"learning from {table.path.name}", min((behind + batch.end) / total, 1.0))
            if batch.end >= table.size:
                behind += table.size
        types, wrong = joined_types(batches, owners, [*names, target])
        if not wrong:
            return batches
        journal.note_types(types)
        for number in wrong:
            shutil.rmtree(batches[number].place)
