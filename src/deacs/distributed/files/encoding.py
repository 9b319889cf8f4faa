"""`encode_files`: code files larger than memory as a `CodedStore`, one block of columns at a time.

1. *Split*: text files become columns on disk, a batch of rows at a time. Parquet needs no split.
2. *Code*: as many columns as fit in memory are read whole and coded by `encode`, and their codes
   are appended to the store.

So the store equals, byte for byte, that of `deacs.encode` on the same rows in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from deacs.coding import DISCRETIZERS, MISSING, Missing
from deacs.distributed.disk.manifest import refuse_taken
from deacs.distributed.disk.memory import read_size, size_in_words
from deacs.distributed.disk.store import CodedStore
from deacs.distributed.disk.uploading import unfinished_at
from deacs.distributed.files.coding import Coder, read_target
from deacs.distributed.files.columnar import Columns, TableFile, open_file
from deacs.distributed.files.finished_blocks import FinishedBlocks
from deacs.exceptions import InputError, Parameter
from deacs.storage import Place, at_hand, place_of
from deacs.tables import ONE_COLUMN_TARGETS, TargetOption
from deacs.tables.files import read_options
from deacs.tables.files.options import target_column

__all__ = ["encode_files"]

Progress = Callable[[str, float], None]

SHARE_OF_A_BATCH = 4
"""Reading a batch of rows may take this fraction (a quarter) of the memory."""
BYTES_A_ROW = 48
"""Memory for the labels and the work space of one column."""
BYTES_A_FIELD = 48
"""Memory for a number as read and as cut, and for its code."""
TEXT_COPIES = 2
"""A column of text is in memory as read, and again without surrounding spaces."""


def encode_files(
    paths: str | Path | Iterable[str | Path],
    target: str | int,
    out: str | Path,
    *,
    memory: int | str = "2GB",
    exclude: Sequence[str] = (),
    nominal: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    missing_markers: Sequence[str] | None = None,
    header: bool = True,
    strip: bool = False,
    discrete_features: Any = "auto",
    discretizer: str | None = "mdlp",
    missing: Missing = "category",
    target_kind: TargetOption = "auto",
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CodedStore:
    """Code files of any size into a store, for any number of fits.

    Parameters
    ----------
    paths : path or list of paths
        CSV, TSV or Parquet files, with the same columns if there are several; paths, or addresses
        such as `s3://bucket/part-1.csv`, which are copied to temporary files.
    target : str or int
        The class column, as in `deacs.read_table`.
    out : str or Path
        The directory of the store, or its address, such as `s3://bucket/visits.store`. None of
        the files may lie in it.
    memory : int or str, default="2GB"
        About how much memory to use. One column must fit: 96 bytes a row, and twice its size as
        read.
    exclude, nominal, delimiter, encoding, missing_markers, header, strip
        As in `deacs.read_table`.
    discrete_features, discretizer, missing
        As in `deacs.encode`, but a discretizer only by name, or None.
    target_kind : {"auto", "classes", "numbers"}, default="auto"
        The kind of target, as `target` of `deacs.encode`.
    overwrite : bool, default=False
        Whether to replace an existing store. Nothing but a store is ever replaced.
    n_jobs : int or None, default=None
        The number of threads; the result does not depend on it.
    progress : callable, optional
        Called with the name of the current stage and the fraction of it that is done.

    Returns
    -------
    CodedStore
        Equal to `deacs.encode` of the same rows in memory.

    Notes
    -----
    Text files are read once, and a compressed copy of them stays on disk until the store is
    finished; Parquet files are read one block of columns at a time.

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
    place = place_of(out)
    given = [place_of(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    _refuse_inputs_within(place, given)
    refuse_taken(place, overwrite)
    _refuse_options(discretizer, missing, target_kind)
    how = read_options(
        target=target,
        exclude=exclude,
        nominal=nominal,
        delimiter=delimiter,
        encoding=encoding,
        missing_markers=missing_markers,
        header=header,
        strip=strip,
    )
    n_bytes = read_size(memory)
    if not given:
        raise InputError(Parameter("paths"), " must name at least one file, got none")
    tell = progress or (lambda what, share: None)
    with ExitStack() as opened:
        local = [opened.enter_context(at_hand(file)) for file in given]
        files = [open_file(f, how, str(name)) for f, name in zip(local, given, strict=True)]
        target = target_column(target, files[0].names, files[0].advice)
        names = _features_of_all(files, target)
        unfinished = opened.enter_context(unfinished_at(place, overwrite))
        columns = _columns_of_all(files, unfinished.work, n_bytes // SHARE_OF_A_BATCH, tell)
        labels = read_target(columns, target, target_kind)
        others = {"discretizer": discretizer, "n_jobs": n_jobs}
        coder = Coder(columns, names, labels, discrete_features, missing, others, nominal)
        blocks = FinishedBlocks(unfinished, labels)
        begin = 0
        for end in _ends_of_blocks(columns, names, n_bytes):
            tell(f"coding {names[begin]}", begin / len(names))
            blocks.add(names[begin:end], coder.code(begin, end))
            begin = end
        blocks.finish(target)
    return CodedStore.open(place)


def _refuse_inputs_within(out: Place, given: Sequence[Place]) -> None:
    """Raise InputError if a file is the output, lies in it or would hold it, links resolved."""
    store = _resolved(out)
    for place in given:
        file = _resolved(place)
        if file == store or store in file.parents or file in store.parents:
            raise InputError(
                Parameter("out"),
                f" must be a folder apart from the files, but {place} and {out} lie one in the "
                "other; name another",
            )


def _resolved(place: Place) -> Path:
    return Path(os.path.realpath(str(place).removeprefix("file://")))


def _refuse_options(discretizer: Any, missing: Any, target_kind: Any) -> None:
    if discretizer not in (None, *DISCRETIZERS):
        raise InputError(
            Parameter("discretizer"),
            f" must be one of {', '.join(DISCRETIZERS)} or None, got {discretizer!r}; "
            "transformers need the whole table: use deacs.encode",
        )
    if missing not in MISSING:
        raise InputError(
            Parameter("missing"), f" must be one of {', '.join(MISSING)}, got {missing!r}"
        )
    if target_kind not in ONE_COLUMN_TARGETS:
        raise InputError(
            Parameter("target_kind"),
            f" must be one of {', '.join(ONE_COLUMN_TARGETS)}, got {target_kind!r}",
            accepted=ONE_COLUMN_TARGETS,
        )


def _features_of_all(files: Sequence[TableFile], target: str) -> list[str]:
    """Return the names of the features, after checking that all files have them."""
    first = files[0]
    for file in files[1:]:
        for one, other in ((first, file), (file, first)):
            lacking = [name for name in one.names if name not in set(other.names)]
            if lacking:
                raise InputError(
                    f"all files must have the same columns, but {other.name} has no column "
                    f"{lacking[0]!r}, which {one.name} has; leave it out with ",
                    Parameter("exclude"),
                    ", or add it",
                    columns=lacking,
                )
    names = [name for name in first.names if name != target]
    if not names:
        raise InputError(
            f"{first.name} must have at least one column besides the target {target!r}, got none"
        )
    return names


def _columns_of_all(
    files: Sequence[TableFile], work: Path, memory: int, tell: Progress
) -> list[Columns]:
    """Split text files into columns, one file after another."""
    columns = []
    for k, file in enumerate(files):

        def share(of_file: float, k: int = k, name: str = Path(file.name).name) -> None:
            tell(f"splitting {name}", (k + of_file) / len(files))

        columns.append(file.columns(work / f"file-{k:06}", memory, share))
    if sum(each.n_rows for each in columns) == 0:
        raise InputError("the files must have at least one row, got only headers")
    return columns


def _ends_of_blocks(columns: Sequence[Columns], names: Sequence[str], memory: int) -> list[int]:
    """Return where each block of columns ends; each fits in memory."""
    n_rows = sum(each.n_rows for each in columns)
    free, ends, taken = memory - BYTES_A_ROW * n_rows, [], 0
    for j in range(len(names)):
        size = sum(each.sizes[names[j]] for each in columns)
        needed = BYTES_A_FIELD * n_rows + TEXT_COPIES * size
        if needed > free:
            raise InputError(
                Parameter("memory"),
                f" must be at least {size_in_words(memory + needed - free)} for {n_rows:,} rows of "
                f"column {names[j]!r}, which is coded as a whole, got {size_in_words(memory)}",
                columns=[names[j]],
            )
        if taken + needed > free:
            ends.append(j)
            taken = 0
        taken += needed
    return [*ends, len(names)]
