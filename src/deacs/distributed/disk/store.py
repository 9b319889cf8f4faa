"""`CodedStore`: a coded table in a directory, mapped into memory, column after column."""

from __future__ import annotations

import mmap
import shutil
import zlib
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, CodedTable
from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import (
    FEATURES,
    LABELS,
    WEIGHTS,
    check_file,
    code_type,
    codes_file,
    damaged,
    finish_store,
    partial_place,
    read_manifest,
    refuse_taken,
)

if TYPE_CHECKING:
    from deacs.distributed.disk.out_of_core import OutOfCoreEngine

__all__ = ["CodedStore"]


class CodedStore(CodedTable):
    """A coded table on disk. Every selector's `fit` takes it; columns are read when counted.

    Made by `CodedStore.write`, by `deacs.distributed.encode_files` or by `deacs encode`.

    Attributes
    ----------
    path : Path
        The directory.
    data : CodedData
        The table with its codes mapped from the files: reading is left to the system.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from deacs import DEACS, encode
    >>> from deacs.distributed import CodedStore
    >>> data = encode([["a", 0], ["b", 0], ["a", 1], ["b", 1]], y=[0, 1, 0, 1])
    >>> with TemporaryDirectory() as folder:
    ...     store = CodedStore.write(data, f"{folder}/store")
    ...     DEACS().fit(store).ranking_.tolist()
    [0]
    """

    def __init__(self, path: Path, manifest: dict[str, Any], catalogue: Catalogue) -> None:
        self.path = path
        self.classes = catalogue.classes
        self.features = catalogue.features
        self.feature_names = catalogue.feature_names
        self.is_named = catalogue.is_named
        self._catalogue = catalogue
        self._manifest = manifest
        self._maps: list[mmap.mmap] = []

    def __reduce__(self) -> tuple[Any, tuple[Path]]:
        # Another process opens the files for itself.
        return CodedStore.open, (self.path,)

    @classmethod
    def open(cls, path: str | Path, *, verify: bool = False) -> CodedStore:
        """Open a store.

        Parameters
        ----------
        path : str or Path
            The directory.
        verify : bool, default=False
            Whether to read everything and compare checksums. Without it, sizes are compared, and
            the checksums of what is read anyway.
        """
        place = Path(path)
        manifest = read_manifest(place)
        for name, size in manifest["sizes"].items():
            found = (place / name).stat().st_size if (place / name).is_file() else None
            if found != size:
                came = "it is not there" if found is None else f"it has {found:,}"
                raise damaged(place, f"{name} should have {size:,} bytes, but {came}")
        check_file(place, FEATURES, manifest)
        store = cls(place, manifest, Catalogue.load(place / FEATURES))
        if verify:
            store.verify()
        return store

    @classmethod
    def write(cls, data: CodedData, path: str | Path, *, overwrite: bool = False) -> CodedStore:
        """Write a coded table to a directory that is not there yet, and open it.

        Parameters
        ----------
        data : CodedData
            The table; weights and ignored missing values are kept.
        path : str or Path
            The directory to make.
        overwrite : bool, default=False
            Whether a store that is there gives way.
        """
        place = Path(path)
        refuse_taken(place, overwrite)
        partial = partial_place(place)
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        widths = np.empty(data.n_features, dtype=np.uint8)
        ignored, checks = np.empty(data.n_features, np.int64), np.empty(data.n_features, np.uint32)
        for block in data.blocks:
            widths[block.features], ignored[block.features] = block.codes.itemsize, block.ignored
        for width in np.unique(widths).tolist():
            with (partial / codes_file(width)).open("xb") as file:
                for feature in np.flatnonzero(widths == width).tolist():
                    column = data.column(feature).astype(code_type(width)).tobytes()
                    checks[feature] = zlib.crc32(column)
                    file.write(column)
        np.save(partial / LABELS, data.labels)
        if data.weights is not None:
            np.save(partial / WEIGHTS, data.weights)
        catalogue = Catalogue(
            *(data.classes, data.features, data.feature_names, data.is_named),
            *(widths, ignored, checks),
        )
        finish_store(partial, place, data.n_rows, catalogue)
        return cls.open(place)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self._manifest["n_rows"])

    @property
    def target(self) -> str | None:
        """The name of the class column, if it came from files."""
        target: str | None = self._manifest["target"]
        return target

    @property
    def nbytes(self) -> int:
        """The bytes of all codes."""
        return sum(n for name, n in self._manifest["sizes"].items() if name.startswith("codes-"))

    @property
    def engine(self) -> OutOfCoreEngine:
        """The engine that counts stores: within 2 GB of memory."""
        from deacs.distributed.disk.out_of_core import OutOfCoreEngine

        return OutOfCoreEngine()

    @cached_property
    def data(self) -> CodedData:
        """The table with its codes, labels and weights mapped from the files."""
        blocks = []
        for width in np.unique(self._catalogue.widths).tolist():
            members = np.flatnonzero(self._catalogue.widths == width)
            mapped = self._mapped(self.path / codes_file(width))
            codes = np.frombuffer(mapped, code_type(width)).reshape(len(members), self.n_rows)
            blocks.append(CodeBlock.frozen(members, codes, self.n_values, self._catalogue.ignored))
        weights = self._rows(WEIGHTS) if WEIGHTS in self._manifest["sizes"] else None
        return self._with(tuple(blocks), self._rows(LABELS), weights)

    def to_memory(self) -> CodedData:
        """Read the whole table."""
        data = self.data
        blocks = tuple(
            CodeBlock(block.features, _read_only(block.codes.copy()), block.n_values, block.ignored)
            for block in data.blocks
        )
        self.release()
        weights = None if data.weights is None else _read_only(data.weights.copy())
        return self._with(blocks, _read_only(data.labels.copy()), weights)

    def release(self) -> None:
        """Tell the system that mapped columns need not stay in this process's memory."""
        for mapped in self._maps:
            if hasattr(mmap, "MADV_DONTNEED"):
                mapped.madvise(mmap.MADV_DONTNEED)

    def verify(self) -> None:
        """Read everything and compare checksums; InputError names the file or column amiss."""
        for name in self._manifest["checks"]:
            check_file(self.path, name, self._manifest)
        for block in self.data.blocks:
            for feature, column in zip(block.features.tolist(), block.codes, strict=True):
                if zlib.crc32(column) != self._catalogue.checks[feature]:
                    name = self.feature_names[feature]
                    raise damaged(self.path, f"the codes of column {name!r} have changed")
            self.release()

    def _with(
        self,
        blocks: tuple[CodeBlock, ...],
        labels: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
    ) -> CodedData:
        return CodedData(
            blocks=blocks,
            labels=labels,
            classes=self.classes,
            features=self.features,
            feature_names=self.feature_names,
            is_named=self.is_named,
            weights=weights,
            check_codes=False,
        )

    def _rows(self, name: str) -> NDArray[Any]:
        return np.asarray(np.load(self.path / name, mmap_mode="r"))

    def _mapped(self, path: Path) -> mmap.mmap:
        with path.open("rb") as file:
            self._maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        return self._maps[-1]


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
