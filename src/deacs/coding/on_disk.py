"""Codes on disk: a folder of plain arrays that a fit maps, made whole or not at all.

| in `visits.codes` | what it holds |
|---|---|
| `table.json` | names, codings, classes; the size of every file, a CRC-32 of every column |
| `codes-1.npy`, `-2`, `-4` | codes of 1, 2, 4 bytes, (columns, rows): a `CodeBlock` each |
| `scores.npy` | the normal scores of columns that have an order, (columns, rows), int16 |
| `labels.npy`, `weights.npy`, `numbers.npy` | the target, weights, a numeric target, by row |

A writer works in a folder `NAME.xxxxxxxx.unfinished` of its own and renames it when all is on disk.
Nothing else is ever removed, replaced or followed; a place that is taken is refused.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding.blocks import CODE_WIDTHS, CodeBlock
from deacs.coding.data import CodedData, FeatureCoding
from deacs.coding.order import OrderView, order_view
from deacs.exceptions import InputError, Parameter, StorageError
from deacs.tables import TARGETS, Labels, Target

__all__ = ["CodesWriter", "is_codes", "open_codes", "saying_full", "target_of", "write_codes"]

TABLE, JOURNAL, UNFINISHED = "table.json", "journal.json", ".unfinished"
CODES = {np.dtype(width).itemsize: f"codes-{np.dtype(width).itemsize}.npy" for width in CODE_WIDTHS}
SCORES, LABELS, WEIGHTS, NUMBERS = "scores.npy", "labels.npy", "weights.npy", "numbers.npy"
BY_ROW = (LABELS, WEIGHTS, NUMBERS)
FILES = (TABLE, *CODES.values(), SCORES, *BY_ROW)
FORMAT, VERSION = "deacs codes", 1
FULL = (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
AT_ONCE = 1 << 24
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
        n_rows, features = found["n_rows"], tuple(map(_coding, found["features"]))
        about = _target(found["about"])
        classes, scale = _values(found["classes"]), float(found["weight_scale"])
        names, checks = tuple(map(str, found["names"])), found["checks"]
        ignored = np.array(found["ignored"], dtype=np.int64)
        widths, ordered = found["widths"], np.array(found["ordered"], dtype=np.int64)
        is_whole = len(features) == len(names) == len(checks) == len(widths) == len(ignored)
        if not is_whole or not 0 < scale < math.inf or math.frexp(scale)[0] != 0.5:
            raise InputError("its parts do not fit each other")
        n_values = np.array([feature.n_values for feature in features], dtype=np.int64)
        members = {w: np.flatnonzero(np.array(widths) == w) for w in sorted(set(widths))}
    blocks = []
    for width, of in members.items():
        codes = _mapped(place, CODES[width], (len(of), n_rows), f"u{width}", found["sizes"])
        for row, j in zip(codes, of.tolist(), strict=True):
            _check(place, row, checks[j], f"column {names[j]!r}")
        blocks.append(CodeBlock.frozen(of, codes, n_values, ignored))
    scores = _mapped(place, SCORES, (len(ordered), n_rows), "i2", found["sizes"])
    for row, check, j in zip(scores, found["score_checks"], ordered.tolist(), strict=True):
        _check(place, row, check, f"the order of column {names[j]!r}")
    by_row: dict[str, NDArray[Any]] = {}
    for name, (kind, check) in found["by_row"].items():
        by_row[name] = _mapped(place, name, (n_rows,), kind, found["sizes"])
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
            about=about or Target("classes", classes),
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
    with CodesWriter(Path(path)) as writer:
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
        self.n_done = 0
        """How many columns are written."""
        self._is_done = False
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        refuse_taken(self.place)
        with saying_full(self.place.parent):
            self.place.parent.mkdir(parents=True, exist_ok=True)
            if not self._continues():
                name = f"{self.place.name[:100]}."
                self.folder = Path(tempfile.mkdtemp(UNFINISHED, name, self.place.parent))
                self._lock = _locked(self.folder / JOURNAL, create=True)
                self.codes.mkdir()
                self._about: dict[str, Any] = {"columns": []}
                self._save()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, traceback: Any) -> None:
        if self._lock is not None:
            self._lock.close()
        if self._is_done or not (self._key and kind is KeyboardInterrupt):
            _remove(self.folder)
        if _is_of_a_full_disk(error):
            raise _full(self.place.parent) from error

    @property
    def codes(self) -> Path:
        """The folder of codes, until it is moved to its place."""
        return self.folder / "codes"

    @property
    def spilled(self) -> Path:
        """A folder for the values of a table that cannot be read by the column."""
        return self.folder / "values"

    def spill(self, write: Callable[[Path], None]) -> Path:
        """Return the folder of values, which is written unless a killed run has done so."""
        if "spilled" not in self._about:
            _remove_files(self.spilled)
            self.spilled.mkdir()
            write(self.spilled)
            self._about["spilled"] = True
            self._save()
        return self.spilled

    def begin(self, labels: Labels, weights: NDArray[np.int64] | None, scale: float) -> None:
        """Write what has an entry for each row."""
        about = labels.target
        by_row = {LABELS: labels.codes, WEIGHTS: weights, NUMBERS: labels.numbers}
        arrays = {name: np.asarray(of) for name, of in by_row.items() if of is not None}
        if labels.numbers is not None and arrays[NUMBERS].dtype.kind not in "iuf":
            arrays[NUMBERS] = np.unique(labels.numbers, return_inverse=True)[1]
        for name, array in arrays.items():
            np.save(self.codes / name, array)
        self._about |= {
            "n_rows": len(labels.codes),
            "classes": _stored(labels.classes, "the target"),
            "about": None
            if about.kind == "classes"
            else {
                "kind": about.kind,
                "names": _stored(about.names, "the target"),
                "membership": None if about.membership is None else about.membership.tolist(),
            },
            "weight_scale": scale,
            "by_row": {
                name: [array.dtype.str, zlib.crc32(array.tobytes())]
                for name, array in arrays.items()
            },
        }

    def append(self, columns: Iterable[tuple[CodedData, int]]) -> None:
        """Append columns of tables with these labels, each with its order."""
        described = []
        for data, j in columns:
            feature, codes = data.features[j], data.column(j)
            view = order_view(data)
            at = np.flatnonzero(view.features == j)
            described.append(
                {
                    "name": data.feature_names[j],
                    "coding": _described(feature, data.feature_names[j]),
                    "width": codes.itemsize,
                    "ignored": data.ignored(j),
                    "check": zlib.crc32(codes.data),
                    "score_check": None,
                }
            )
            self._add(CODES[codes.itemsize], codes)
            if len(at):
                self._add(SCORES, view.scores[at[0]])
                described[-1]["score_check"] = zlib.crc32(view.scores[at[0]].data)
        self._about["columns"] += described
        self.n_done += len(described)
        self._save()

    def _add(self, name: str, column: NDArray[Any]) -> None:
        path = self.codes / name
        is_new = not path.exists()
        with path.open("ab") as file:
            if is_new:  # its shape is known at the end, and takes as many bytes
                file.write(_head(0, len(column), column.dtype))
            file.write(column.data)

    def finish(self, target: str, is_named: bool) -> None:
        """Write the description, wait until all is on disk, and move the folder to its place."""
        columns, n_rows = self._about.pop("columns"), self._about["n_rows"]
        ordered = [j for j, column in enumerate(columns) if column["score_check"] is not None]
        widths = [column["width"] for column in columns]
        for name, dtype, n in [
            *((CODES[w], np.dtype(f"u{w}"), widths.count(w)) for w in set(widths)),
            (SCORES, np.dtype("i2"), len(ordered)),
        ]:
            with (self.codes / name).open("r+b" if n else "wb") as file:
                file.write(_head(n, n_rows, dtype))
        self._about.pop("spilled", None)
        self._about |= {
            "format": FORMAT,
            "version": VERSION,
            "target": target,
            "is_named": is_named,
            "names": [column["name"] for column in columns],
            "features": [column["coding"] for column in columns],
            "widths": widths,
            "ignored": [column["ignored"] for column in columns],
            "checks": [column["check"] for column in columns],
            "ordered": ordered,
            "score_checks": [columns[j]["score_check"] for j in ordered],
            "sizes": {path.name: path.stat().st_size for path in self.codes.iterdir()},
        }
        self._about["check"] = _check_of(self._about)
        (self.codes / TABLE).write_text(json.dumps(self._about))
        for entry in [*self.codes.iterdir(), self.codes]:
            _to_disk(entry)
        refuse_taken(self.place)  # once more: others may have written there
        _rename_to_free(self.codes, self.place)
        _to_disk(self.place.parent)
        self._is_done = True

    def _save(self) -> None:
        """Note how much is whole, in a line of its own: a killed run may leave half of one."""
        sizes = {path.name: path.stat().st_size for path in self.codes.iterdir()}
        journal = {"key": self._key, "sizes": sizes, "n_done": self.n_done, "about": self._about}
        assert self._lock is not None
        self._lock.write(json.dumps(journal | {"check": _check_of(journal)}) + "\n")
        self._lock.flush()

    def _continues(self) -> bool:
        """Take over the folder of a killed run with the same key; remove those of others."""
        for folder in sorted(self.place.parent.glob(f"{_quoted(self.place.name[:100])}.*")):
            if not folder.name.endswith(UNFINISHED) or not _is_of_a_killed_run(folder):
                continue
            lock = _locked(folder / JOURNAL)
            if lock is None:  # its writer is at work
                continue
            journal = _journal(lock)
            if journal is None or not self._key or journal["key"] != self._key or self._lock:
                lock.close()
                if journal is not None:
                    _remove(folder)
                continue
            self.folder, self._lock = folder, lock
            self.n_done, self._about = journal["n_done"], journal["about"]
            for path in self.codes.iterdir():
                if path.name in journal["sizes"]:
                    os.truncate(path, journal["sizes"][path.name])
                else:
                    path.unlink()
        return self._lock is not None


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
        if _is_of_a_full_disk(error):
            raise _full(folder) from error
        raise


def _full(folder: Path) -> StorageError:
    return StorageError(
        f"no space is left on the disk of {folder}; free some, or write to a folder on another disk"
    )


def _is_of_a_full_disk(error: BaseException | None) -> bool:
    """Return whether a disk was full; polars says so in text only, NumPy that it wrote less."""
    if isinstance(error, OSError) and (error.errno in FULL or "requested and" in str(error)):
        return True
    return isinstance(error, Exception) and f"os error {errno.ENOSPC}" in str(error)


def _head(n: int, n_rows: int, dtype: np.dtype[Any]) -> bytes:
    """Return the head of a `.npy` file, whose length does not depend on `n`."""
    said = {"descr": dtype.newbyteorder("<").str, "fortran_order": False, "shape": (n, n_rows)}
    text = f"{said!r}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def _quoted(name: str) -> str:
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _check_of(table: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(table, sort_keys=True).encode())


def _described(feature: FeatureCoding, owner: str) -> dict[str, Any]:
    return {
        "kind": feature.kind,
        "values": _stored(feature.values, owner),
        "n_values": feature.n_values,
        "has_missing": feature.has_missing,
        "by_classes": feature.by_classes,
        "is_uncut": feature.is_uncut,
    }


def _coding(stored: dict[str, Any]) -> FeatureCoding:
    """Return a coding that has a value, an interval or "missing" for every code."""
    is_cut = stored["kind"] == "continuous"
    kind: Literal["discrete", "continuous"] = "continuous" if is_cut else "discrete"
    values, n_values = _values(stored["values"]), int(stored["n_values"])
    flags = tuple(bool(stored[name]) for name in ("has_missing", "by_classes", "is_uncut"))
    if n_values != len(values) + is_cut + flags[0]:
        raise InputError(f"a feature of {n_values} values describes {len(values)} of them")
    return FeatureCoding(kind, values, n_values, *flags)


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


def _target(stored: dict[str, Any] | None) -> Target | None:
    if stored is None:
        return None
    membership = stored["membership"]
    if stored["kind"] not in TARGETS[1:]:
        raise InputError(f"the target is of the kind {stored['kind']!r}")
    mask = None if membership is None else np.array(membership, dtype=np.bool_)
    return Target(stored["kind"], _values(stored["names"]), mask)


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
        found: dict[str, Any] = json.loads((place / TABLE).read_bytes())
        check, version = found.pop("check"), found["version"]
        if found["format"] != FORMAT or check != _check_of(found):
            raise InputError("it is not what was written")
    if version != VERSION:
        raise InputError(
            f"{place} has codes of version {version}, and this deacs reads version {VERSION}; "
            "encode the table again, or use the deacs that wrote it"
        )
    return found


def _mapped(
    place: Path, name: str, shape: tuple[int, ...], kind: str, sizes: dict[str, int]
) -> NDArray[Any]:
    """Map an array, which must be as described."""
    with _reading(place, name):
        size = (place / name).stat().st_size
        if size != sizes[name]:
            raise InputError(f"it has {size:,} bytes instead of {sizes[name]:,}")
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


def _rename_to_free(folder: Path, place: Path) -> None:
    """Rename a folder to a name that nobody has taken; InputError if someone has."""
    try:
        if sys.platform != "win32":
            place.mkdir()  # takes the name: a rename alone would replace another's empty folder
    except FileExistsError as error:
        raise InputError(f"{place} was made by another in the meantime; name another") from error
    try:
        folder.rename(place)
    except BaseException:
        with suppress(OSError):  # what the rename has put there, or another, is not empty
            place.rmdir()
        raise


def _is_of_a_killed_run(folder: Path) -> bool:
    """Whether this is a folder, not a link, that holds what writers write and nothing else."""
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return False
        for entry in folder.iterdir():
            if entry.name in ("codes", "values"):
                if not stat.S_ISDIR(entry.lstat().st_mode):
                    return False
                for file in entry.iterdir():
                    known = file.name in FILES if entry.name == "codes" else _is_value(file.name)
                    if not known or not stat.S_ISREG(file.lstat().st_mode):
                        return False
            elif entry.name != JOURNAL or not stat.S_ISREG(entry.lstat().st_mode):
                return False
    except OSError:
        return False
    return (folder / JOURNAL).is_file()


def _is_value(name: str) -> bool:
    return name.startswith("part-") and name.endswith(".parquet")


def _locked(path: Path, create: bool = False) -> IO[str] | None:
    """Open a journal that no other process holds; None if one does, or where nobody can tell."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | (os.O_CREAT | os.O_EXCL if create else 0)
    file = os.fdopen(os.open(path, flags, 0o600), "r+")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        if not create:
            file.close()
            return None
    return file


def _journal(file: IO[str]) -> dict[str, Any] | None:
    """Read the last whole line of a journal; None unless a writer wrote it."""
    for line in reversed(file.read().splitlines()):
        try:
            found: dict[str, Any] = json.loads(line)
            if found.pop("check") == _check_of(found):
                return found
        except (ValueError, KeyError, AttributeError, TypeError):
            continue
    return None


def _remove(folder: Path) -> None:
    """Remove a writer's folder: its files one by one, by their names."""
    _remove_files(folder / "codes")
    _remove_files(folder / "values")
    with suppress(OSError):
        (folder / JOURNAL).unlink()
    with suppress(OSError):
        folder.rmdir()


def _remove_files(folder: Path) -> None:
    names: Iterable[str] = FILES
    if folder.name == "values" and folder.is_dir() and not folder.is_symlink():
        names = [path.name for path in folder.iterdir() if _is_value(path.name)]
    for name in names:
        with suppress(OSError):
            (folder / name).unlink()
    with suppress(OSError):
        folder.rmdir()
