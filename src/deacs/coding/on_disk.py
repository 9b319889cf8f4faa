"""Codes on disk: a folder of plain arrays that a fit maps, made whole or not at all.

| in `visits.codes` | what it holds |
|---|---|
| `table.json` | names, codings, classes; a CRC-32 of every column |
| `codes-1.npy`, `-2`, `-4` | codes of 1, 2, 4 bytes, (columns, rows): a `CodeBlock` each |
| `scores.npy` | the normal scores of columns that have an order, (columns, rows), int16 |
| `labels.npy`, `weights.npy`, `numbers.npy` | the target, weights, a numeric target, by row |

A writer works in a folder `NAME.xxxxxxxx.unfinished` of its own, with a journal, and renames it
when all is on disk. Nothing else is ever removed, replaced or followed; a place that is taken is
refused.
"""

from __future__ import annotations

import errno
import glob
import json
import math
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from typing import IO, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding.blocks import CODE_WIDTHS, CodeBlock
from deacs.coding.data import CodedData, FeatureCoding
from deacs.coding.order import OrderView, order_view
from deacs.exceptions import InputError, Parameter, StorageError
from deacs.tables import TARGETS, Labels, Target

__all__ = [
    "CodesWriter",
    "is_codes",
    "open_codes",
    "refuse_taken",
    "saying_full",
    "target_of",
    "write_codes",
]

TABLE, JOURNAL, UNFINISHED = "table.json", "journal.json", ".unfinished"
CODES = {np.dtype(width).itemsize: f"codes-{np.dtype(width).itemsize}.npy" for width in CODE_WIDTHS}
SCORES, LABELS, WEIGHTS, NUMBERS = "scores.npy", "labels.npy", "weights.npy", "numbers.npy"
FILES = {TABLE, JOURNAL, *CODES.values(), SCORES, LABELS, WEIGHTS, NUMBERS}
VALUES = "values-"
"""How the names of files begin that hold the values of a table on its way."""
FORMAT, VERSION = "deacs codes", 1
FULL = (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
PLAIN = (str, int, float, bool, type(None))
"""Types that a round trip through JSON preserves."""


def is_codes(path: Any) -> bool:
    """Whether this is the path of a folder of codes."""
    return isinstance(path, str | Path) and (Path(path) / TABLE).is_file()


def open_codes(path: str | Path) -> CodedData:
    """Map the codes of a folder, every column checked.

    Parameters
    ----------
    path : str or Path
        A folder that `deacs encode` or `deacs.encode(..., out=...)` wrote.

    Raises
    ------
    InputError
        If there are none, or if they are not what was written; the message names the column.
    """
    place = Path(path)
    found = _read(place)
    with _reading(place, TABLE):
        n_rows, columns = found["n_rows"], found["columns"]
        names = tuple(str(column["name"]) for column in columns)
        features = tuple(_coding(column["coding"]) for column in columns)
        classes, scale = _values(found["classes"]), float(found["weight_scale"])
        kind, outputs, members = found["about"]
        mask = None if members is None else np.array(members, dtype=np.bool_)
        about = Target(kind, _values(outputs), mask)
        if kind not in TARGETS[1:]:
            raise InputError(f"the target is of the kind {kind!r}")
        if not 0 < scale < math.inf or math.frexp(scale)[0] != 0.5:
            raise InputError(f"weights have the scale {scale}")
        n_values = np.array([feature.n_values for feature in features], dtype=np.int64)
        ignored = np.array([column["ignored"] for column in columns], dtype=np.int64)
        widths = np.array([column["width"] for column in columns])
        ordered = np.flatnonzero([column["score_check"] is not None for column in columns])
    blocks = []
    for width in np.unique(widths).tolist():
        of = np.flatnonzero(widths == width)
        codes = _mapped(place, CODES[width], (len(of), n_rows), f"u{width}")
        for row, j in zip(codes, of.tolist(), strict=True):
            _check(place, row, columns[j]["check"], f"column {names[j]!r}")
        blocks.append(CodeBlock.frozen(of, codes, n_values, ignored))
    scores = _mapped(place, SCORES, (len(ordered), n_rows), "i2")
    for row, j in zip(scores, ordered.tolist(), strict=True):
        _check(place, row, columns[j]["score_check"], f"the order of column {names[j]!r}")
    by_row: dict[str, NDArray[Any]] = {}
    for name, (kind, check) in found["by_row"].items():
        by_row[name] = _mapped(place, name, (n_rows,), kind)
        _check(place, by_row[name], check, name)
    with _reading(place, TABLE):
        return CodedData(
            blocks=tuple(blocks),
            labels=by_row[LABELS],
            classes=classes,
            features=features,
            feature_names=names,
            is_named=bool(found["is_named"]),
            weights=by_row.get(WEIGHTS),
            weight_scale=scale,
            order=OrderView(scores, ordered),
            about=about,
            numbers=by_row.get(NUMBERS),
        )


def target_of(path: str | Path) -> str:
    """Return the name of the target of codes on disk."""
    return str(_read(Path(path))["target"])


def write_codes(data: CodedData, path: str | Path, target: str = "") -> CodedData:
    """Write coded data with its order to a new folder, and return it mapped from there."""
    if data.transformed is not None:
        raise InputError(
            Parameter("discretizer"), " must be a name or None for codes on disk, got a transformer"
        )
    with saying_full(Path(path).parent), CodesWriter(Path(path)) as writer:
        writer.begin(data.targets, data.weights, data.weight_scale)
        writer.append((data, j) for j in range(data.n_features))
        writer.finish(target, data.is_named)
    return open_codes(path)


class CodesWriter:
    """Writes codes block by block; a context manager that removes what it made unless finished.

    Parameters
    ----------
    place : Path
        The folder to be made; nothing may be there.
    key : str, default=""
        Sources and settings in words. A folder that a killed run with the same key left is
        continued behind its last whole block; "" is never continued.
    """

    def __init__(self, place: Path, key: str = "") -> None:
        self.place, self._key = place, key
        self._about: dict[str, Any] = {"key": key, "columns": []}
        self._is_done = False
        self._journal: IO[str] | None = None

    @property
    def n_done(self) -> int:
        """How many columns are written."""
        return len(self._about["columns"])

    def __enter__(self) -> Self:
        refuse_taken(self.place)
        self.place.parent.mkdir(parents=True, exist_ok=True)
        self._continue()
        if self._journal is None:
            name = f"{self.place.name[:100]}."
            self.folder = Path(tempfile.mkdtemp(UNFINISHED, name, self.place.parent))
            self._journal = _locked(self.folder / JOURNAL, os.O_CREAT | os.O_EXCL)
            self._save()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, traceback: Any) -> None:
        if self._journal is not None:
            self._journal.close()
        if not self._is_done and not (self._key and kind is KeyboardInterrupt):
            _remove(self.folder)

    def spill(self, write: Callable[[str], None]) -> str:
        """Return how paths of values begin, written unless a killed run has done so."""
        begin = str(self.folder / VALUES)
        if "spilled" not in self._about:
            write(begin)
            self._about["spilled"] = True
            self._save()
        return begin

    def begin(self, labels: Labels, weights: NDArray[np.int64] | None, scale: float) -> None:
        """Write what has an entry for each row."""
        about, numbers = labels.target, labels.numbers
        if numbers is not None and numbers.dtype.kind not in "iuf":
            numbers = np.unique(numbers, return_inverse=True)[1]
        by_row = {LABELS: labels.codes, WEIGHTS: weights, NUMBERS: numbers}
        arrays = {name: np.ascontiguousarray(of) for name, of in by_row.items() if of is not None}
        for name, array in arrays.items():
            np.save(self.folder / name, array)
        members = None if about.membership is None else about.membership.tolist()
        self._about |= {
            "n_rows": len(labels.codes),
            "classes": _stored(labels.classes, "the target"),
            "about": [about.kind, _stored(about.names, "the target"), members],
            "weight_scale": scale,
            "by_row": {
                name: [array.dtype.str, zlib.crc32(array.data)] for name, array in arrays.items()
            },
        }

    def append(self, columns: Iterable[tuple[CodedData, int]]) -> None:
        """Append columns of tables with these labels, each with its order."""
        written = []
        for data, j in columns:
            view = order_view(data)
            scores = view.scores[view.features == j]
            written.append(
                {
                    "name": data.feature_names[j],
                    "coding": _described(data.features[j], data.feature_names[j]),
                    "width": data.column(j).itemsize,
                    "ignored": data.ignored(j),
                    "check": self._add(CODES[data.column(j).itemsize], data.column(j)),
                    "score_check": self._add(SCORES, scores[0]) if len(scores) else None,
                }
            )
        self._about["columns"] += written
        self._save()

    def _add(self, name: str, column: NDArray[Any]) -> int:
        """Append a column to a file, and return its checksum."""
        path = self.folder / name
        is_new = not path.exists()
        with path.open("ab") as file:
            if is_new:  # its shape is known at the end, and takes as many bytes
                file.write(_head(0, len(column), column.dtype))
            file.write(column.data)
        return zlib.crc32(column.data)

    def finish(self, target: str, is_named: bool) -> None:
        """Write the description, wait until all is on disk, and move the folder to its place."""
        for path in self.folder.glob(f"{VALUES}*"):
            path.unlink()
        columns, n_rows = self._about["columns"], self._about["n_rows"]
        widths = [column["width"] for column in columns]
        n_ordered = sum(column["score_check"] is not None for column in columns)
        heads = {CODES[w]: _head(widths.count(w), n_rows, np.dtype(f"u{w}")) for w in widths}
        heads[SCORES] = _head(n_ordered, n_rows, np.dtype("i2"))
        (self.folder / SCORES).touch()  # no column may have an order
        for name, head in heads.items():
            with (self.folder / name).open("r+b") as file:
                file.write(head)
        table = {**self._about, "format": FORMAT, "version": VERSION}
        table |= {"target": target, "is_named": is_named}
        (self.folder / TABLE).write_text(_checked(table))
        for path in [*self.folder.iterdir(), self.folder]:
            _to_disk(path)
        if sys.platform == "win32" and self._journal is not None:
            self._journal.close()  # it could not be moved; nobody takes a folder over there
        try:  # others may have written there
            if sys.platform != "win32":
                self.place.mkdir()  # takes the name: a rename would replace another's empty folder
            self.folder.rename(self.place)
        except FileExistsError:
            refuse_taken(self.place)
            raise
        self._is_done = True
        (self.place / JOURNAL).unlink()
        _to_disk(self.place.parent)

    def _save(self) -> None:
        """Note how much is whole, in a line of its own: a killed run may leave half of one."""
        sizes = {path.name: path.stat().st_size for path in self.folder.iterdir()}
        assert self._journal is not None
        self._journal.write(_checked({**self._about, "sizes": sizes}) + "\n")
        self._journal.flush()

    def _continue(self) -> None:
        """Take over the folder of a killed run with the same key; remove those of others."""
        begin = f"{self.place.name[:100]}."
        for folder in sorted(self.place.parent.glob(f"{glob.escape(begin)}*{UNFINISHED}")):
            journal = None if folder.is_symlink() else _locked(folder / JOURNAL)
            if journal is None:  # its writer is at work, or it is another's
                continue
            about = _last_line(journal)
            if about is None or about["key"] != self._key or not self._key or self._journal:
                journal.close()
                if about is not None:
                    _remove(folder)
                continue
            sizes = about.pop("sizes")
            self.folder, self._journal, self._about = folder, journal, about
            for path in folder.iterdir():
                if path.name in FILES - {JOURNAL}:
                    os.truncate(path, sizes[path.name]) if path.name in sizes else path.unlink()


def refuse_taken(place: Path) -> None:
    """Raise InputError if there is anything in the place of codes."""
    if os.path.lexists(place):
        what = "a symbolic link, which is not followed" if place.is_symlink() else "there already"
        raise InputError(f"{place} is {what}; name another folder, or remove it yourself")


@contextmanager
def saying_full(folder: Path) -> Iterator[None]:
    """Turn the error of a full disk into one that names the folder."""
    try:
        yield
    except Exception as error:
        # Polars says so in text only, NumPy that it wrote less.
        is_full = f"os error {errno.ENOSPC}" in str(error)
        if isinstance(error, OSError):
            is_full |= error.errno in FULL or "requested and" in str(error)
        if not is_full:
            raise
        raise StorageError(
            f"no space is left on the disk of {folder}; free some, or write to a folder on another "
            "disk"
        ) from error


def _head(n: int, n_rows: int, dtype: np.dtype[Any]) -> bytes:
    """Return the head of a `.npy` file, whose length does not depend on `n`."""
    said = {"descr": dtype.newbyteorder("<").str, "fortran_order": False, "shape": (n, n_rows)}
    text = f"{said!r}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def _checked(table: dict[str, Any]) -> str:
    """Return a description as a line of JSON that holds a checksum of itself."""
    text = json.dumps(table)
    return json.dumps({**table, "check": zlib.crc32(text.encode())})


def _unchecked(line: bytes | str) -> dict[str, Any]:
    """Read such a line; ValueError if it is not what was written."""
    found: dict[str, Any] = json.loads(line)
    check = found.pop("check")
    if check != zlib.crc32(json.dumps(found).encode()):
        raise ValueError("it is not what was written")
    return found


def _described(feature: FeatureCoding, owner: str) -> dict[str, Any]:
    known = {field.name: getattr(feature, field.name) for field in fields(feature)}
    return known | {"values": _stored(feature.values, owner)}


def _coding(stored: dict[str, Any]) -> FeatureCoding:
    """Return a coding that has a value, an interval or "missing" for every code."""
    feature = FeatureCoding(**{**stored, "values": _values(stored["values"])})
    n_values = len(feature.values) + (feature.kind == "continuous") + feature.has_missing
    if feature.n_values != n_values or feature.kind not in ("discrete", "continuous"):
        raise InputError(f"a feature of {feature.n_values} values describes {n_values} of them")
    return feature


def _stored(values: Any, owner: str) -> dict[str, Any]:
    array = np.asarray(values)
    listed = array.astype(np.int64).tolist() if array.dtype.kind in "mM" else array.tolist()
    if array.dtype == object and not all(type(value) in PLAIN for value in listed):
        strange = next(value for value in listed if type(value) not in PLAIN)
        raise InputError(
            f"{owner!r} has the value {strange!r} of type {type(strange).__name__}, which codes on "
            "disk do not hold; they take text, numbers and booleans: convert the column"
        )
    return {"type": "object" if array.dtype == object else array.dtype.str, "values": listed}


def _values(stored: dict[str, Any]) -> NDArray[Any]:
    kind, listed = np.dtype(stored["type"]), list(stored["values"])
    if not all(type(value) in PLAIN for value in listed):
        raise InputError("a value is neither text nor a number")
    if kind.kind in "mM":
        return np.array(listed, dtype=np.int64).view(kind)
    array = np.empty(len(listed), dtype=kind)
    array[:] = listed
    return array


def _damaged(place: Path, what: str) -> InputError:
    return InputError(f"the codes are damaged: {what} ({place}); encode the table again")


@contextmanager
def _reading(place: Path, what: str) -> Iterator[None]:
    """Turn any error into that of damaged codes: parsers raise all kinds on corrupt bytes."""
    try:
        yield
    except Exception as error:
        raise _damaged(place, f"{what}: {str(error) or type(error).__name__}") from error


def _read(place: Path) -> dict[str, Any]:
    """Read the description; InputError if there is none, or if it is damaged."""
    if not is_codes(place):
        raise InputError(f"{place} is no folder of codes: it has no {TABLE}; see deacs encode")
    with _reading(place, TABLE):
        found = _unchecked((place / TABLE).read_bytes())
        version = found["version"]
        if found["format"] != FORMAT:
            raise InputError("it is not a table of codes")
    if version != VERSION:
        raise InputError(
            f"{place} has codes of version {version}, and this deacs reads version {VERSION}; "
            "encode the table again, or use the deacs that wrote it"
        )
    return found


def _mapped(place: Path, name: str, shape: tuple[int, ...], kind: str) -> NDArray[Any]:
    """Map an array, which must be as described; NumPy refuses a file that is too short."""
    with _reading(place, name):
        mode: Literal["r"] | None = "r" if math.prod(shape) else None
        found = np.load(place / name, mmap_mode=mode, allow_pickle=False)
        if found.shape != shape or found.dtype != np.dtype(kind) or not found.flags.c_contiguous:
            raise InputError(f"it holds {found.dtype} of shape {found.shape}, not {kind} {shape}")
    return np.asarray(found)


def _check(place: Path, column: NDArray[Any], check: int, what: str) -> None:
    if zlib.crc32(column.data) != check:
        raise _damaged(place, f"{what} is not what was written")


def _to_disk(path: Path) -> None:
    """Wait until a file or directory is on disk, so that it survives a power failure."""
    if path.is_dir() and sys.platform == "win32":  # directories cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _locked(path: Path, flags: int = 0) -> IO[str] | None:
    """Open a journal that no other process holds; None if one does, or where nobody can tell."""
    try:
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | flags, 0o600)
        file = os.fdopen(handle, "r+", errors="replace")
    except OSError:
        if flags:
            raise
        return None
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        if not flags:
            file.close()
            return None
    return file


def _last_line(journal: IO[str]) -> dict[str, Any] | None:
    """Read the last whole line of a journal; None unless a writer wrote it."""
    for line in reversed(journal.read().splitlines()):
        with suppress(ValueError, KeyError, AttributeError, TypeError):
            return _unchecked(line)
    return None


def _remove(folder: Path) -> None:
    """Remove a writer's folder: its files one by one, by their names."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.name in FILES or path.name.startswith(VALUES):
                path.unlink()
        folder.rmdir()
