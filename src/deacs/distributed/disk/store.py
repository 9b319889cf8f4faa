"""`CodedStore`: a coded table in a directory, mapped into memory, column after column.

Nothing from a file reaches compiled code unchecked: the catalogue, labels and weights are checked
when the store is opened, a column of codes before it is first counted.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock, CodedData, CodedTable
from deacs.coding.blocks import frozen
from deacs.coding.validity import check_block, check_labels, check_weights
from deacs.distributed.copies import with_codes
from deacs.distributed.disk.arrays import array_in
from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import (
    CODES,
    FEATURES,
    LABELS,
    WEIGHTS,
    code_type,
    damaged,
    reading,
)
from deacs.distributed.disk.manifest import Manifest, refuse_taken
from deacs.distributed.disk.mapping import MappedFile, mapped_files
from deacs.distributed.disk.uploading import unfinished_at
from deacs.exceptions import InputError, Parameter
from deacs.information.counting import members_of
from deacs.storage import Place, Remote, place_of

if TYPE_CHECKING:
    from deacs.distributed.disk.out_of_core import OutOfCoreEngine

__all__ = ["CodedStore"]

NS_CHECK = 0.5
"""Approximate cost of the checksum of a byte, for dividing work among threads."""

RELEASED = 1 << 26
"""About how many codes `verify` reads before it releases their memory."""


class CodedStore(CodedTable):
    """A coded table on disk. Every selector's `fit` takes it; columns are read when counted.

    Made by `CodedStore.write`, by `deacs.distributed.encode_files` or by `deacs encode`.

    Attributes
    ----------
    path : Path or Remote
        The directory, or the address.
    data : CodedData
        The table with its codes mapped from the files, all of them checked.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from deacs import DEACS, encode
    >>> from deacs.distributed import CodedStore
    >>> data = encode([["a", 0], ["b", 0], ["a", 1], ["b", 1]], y=[0, 1, 0, 1])
    >>> with TemporaryDirectory() as folder:
    ...     store = CodedStore.write(data, f"{folder}/store")
    ...     DEACS.published().fit(store).ranking_.tolist()
    [0]
    """

    def __init__(
        self,
        path: Place,
        manifest: Manifest,
        catalogue: Catalogue,
        files: dict[str, MappedFile],
        verify: bool,
    ) -> None:
        self.path = path
        self.classes = catalogue.classes
        if catalogue.about is not None:
            self.about = catalogue.about
        self.features = catalogue.features
        self.feature_names = catalogue.feature_names
        self.is_named = catalogue.is_named
        self._catalogue = catalogue
        self._manifest = manifest
        self._files = files
        self._verify = verify
        self._is_checked = np.zeros(len(catalogue.features), dtype=bool)

    def __reduce__(self) -> tuple[Any, tuple[Place]]:
        # Another process opens the files itself.
        return partial(CodedStore.open, verify=self._verify), (self.path,)

    @classmethod
    def open(cls, path: str | Path | Remote, *, verify: bool = True) -> CodedStore:
        """Open a store.

        Parameters
        ----------
        path : str or Path
            The directory, or an address such as `s3://bucket/visits.store`: columns are then read
            when they are first counted, and kept in a temporary file.
        verify : bool, default=True
            Whether to compare checksums: of labels and weights now, of a column when it is first
            read. False, if you trust your disk, saves less than half a nanosecond a byte; the
            ranges of codes, labels and weights are checked in any case.

        Raises
        ------
        InputError
            If there is no store, or if it is damaged.
        """
        place = place_of(path)
        manifest = Manifest.load(place)
        files = mapped_files(place / manifest.folder if manifest.folder else place, manifest.sizes)
        for name, check in manifest.checks.items():
            if (verify or name == FEATURES) and zlib.crc32(files[name].map) != check:
                raise damaged(place, f"{name} has changed")
        with reading(place, FEATURES):
            raw = files.pop(FEATURES).map[:]
            catalogue = Catalogue.load(raw, manifest.n_features, manifest.n_classes)
        store = cls(place, manifest, catalogue, files, verify)
        store.mapped  # noqa: B018  (labels, weights and the sizes of columns are checked)
        return store

    @classmethod
    def write(cls, data: CodedData, path: str | Path, *, overwrite: bool = False) -> CodedStore:
        """Write a coded table to a new directory, and open it.

        Parameters
        ----------
        data : CodedData
            The table; weights and ignored missing values are kept.
        path : str or Path
            The directory to make, or an address such as `s3://bucket/visits.store`.
        overwrite : bool, default=False
            Whether to replace an existing store. Nothing but a store is ever replaced.
        """
        if not isinstance(data, CodedData):
            raise InputError(
                Parameter("data"),
                f" must be CodedData, got {type(data).__name__}; make it with deacs.encode",
            )
        place = place_of(path)
        refuse_taken(place, overwrite)
        features = range(data.n_features)
        with unfinished_at(place, overwrite) as unfinished:
            widths, checks = unfinished.append(data.column(j) for j in features)
            np.save(unfinished.store / LABELS, data.labels)
            if data.weights is not None:
                np.save(unfinished.store / WEIGHTS, data.weights)
            catalogue = Catalogue(
                classes=data.classes,
                features=data.features,
                feature_names=data.feature_names,
                is_named=data.is_named,
                widths=widths,
                ignored=np.array([data.ignored(j) for j in features], dtype=np.int64),
                checks=checks,
                about=data.about,
                weight_scale=data.weight_scale,
            )
            unfinished.finish(data.n_rows, catalogue)
        return cls.open(place)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._manifest.n_rows

    @property
    def target(self) -> str | None:
        """The name of the class column, if it came from files."""
        return self._manifest.target

    @property
    def nbytes(self) -> int:
        """The bytes of all codes."""
        return sum(self._manifest.sizes.get(name, 0) for name in CODES.values())

    @property
    def engine(self) -> OutOfCoreEngine:
        """The engine that counts stores: within 2 GB of memory."""
        from deacs.distributed.disk.out_of_core import OutOfCoreEngine

        return OutOfCoreEngine()

    @property
    def data(self) -> CodedData:
        """The table with its codes mapped from the files, all of them checked."""
        return self.checked(range(self.n_features))

    rows_here = data

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return WEIGHTS in self._files

    @property
    def ignores_missing(self) -> bool:
        """Whether missing values are ignored; otherwise they are a value."""
        return bool((self._catalogue.ignored >= 0).any())

    def checked(
        self, features: Sequence[int] | NDArray[Any], n_jobs: int | None = None
    ) -> CodedData:
        """Return the mapped table after checking some columns; others must not be counted.

        Each is checked once: its checksum, unless the store was opened with `verify=False`, and
        its codes against its number of values. InputError names a column that was changed.
        """
        wanted = np.asarray(features, dtype=np.int64)
        wanted = wanted[~self._is_checked[wanted]]
        for block in self.mapped.blocks if len(wanted) else ():
            members = np.sort(members_of(block, wanted)[0])

            def work(part: slice, block: CodeBlock = block, members: Any = members) -> None:
                self._check(block, members[part])

            map_blocks(work, len(members), n_jobs, NS_CHECK * block.codes[0].nbytes)
        return self.mapped

    def _check(self, block: CodeBlock, members: NDArray[np.int64]) -> None:
        """Fetch and check columns of a block, given in ascending order; adjacent ones together."""
        runs = np.split(members, np.flatnonzero(np.diff(members) != 1) + 1)
        runs = [run for run in runs if len(run)]
        file, n_bytes = self._files[CODES[block.codes.itemsize]], block.codes[0].nbytes
        for run in runs:
            file.fetch(int(run[0]) * n_bytes, (int(run[-1]) + 1) * n_bytes)
        if self._verify:
            checks = self._catalogue.checks[block.features[members]].tolist()
            for member, check in zip(members.tolist(), checks, strict=True):
                if zlib.crc32(block.codes[member]) != check:
                    raise damaged(self.path, f"{self._codes_of(block, member)} have changed")
        for run in runs:
            here = slice(run[0], run[-1] + 1)
            try:
                check_block(block.codes[here], block.n_values[here], block.ignored[here])
            except InputError:
                for member in run.tolist():
                    only = slice(member, member + 1)
                    with reading(self.path, self._codes_of(block, member)):
                        check_block(block.codes[only], block.n_values[only], block.ignored[only])
        self._is_checked[block.features[members]] = True

    def _codes_of(self, block: CodeBlock, member: int) -> str:
        return f"the codes of column {self.feature_names[block.features[member]]!r}"

    @cached_property
    def mapped(self) -> CodedData:
        """The table with its codes mapped from the files, unchecked: see `checked`."""
        with reading(self.path, "codes"):
            blocks = self._blocks()
        with reading(self.path, LABELS):
            labels = self._rows(LABELS)
            check_labels(labels, self.n_classes)
        weights = None
        if WEIGHTS in self._files:
            with reading(self.path, WEIGHTS):
                weights = self._rows(WEIGHTS)
                check_weights(weights)
        scale = self._catalogue.weight_scale
        how = {"weights": weights, "weight_scale": scale, "check_codes": False}
        return with_codes(self, blocks, labels, **how)

    def _blocks(self) -> tuple[CodeBlock, ...]:
        widths, blocks = self._catalogue.widths, []
        needed = {CODES[width] for width in np.unique(widths).tolist()}
        if needed != set(self._files) & set(CODES.values()):
            raise InputError("the files of codes are not those that the columns need")
        for width in np.unique(widths).tolist():
            members = np.flatnonzero(widths == width)
            codes = np.frombuffer(self._files[CODES[width]].map, code_type(width))
            codes = codes.reshape(len(members), self.n_rows)
            blocks.append(CodeBlock.frozen(members, codes, self.n_values, self._catalogue.ignored))
        return tuple(blocks)

    def _rows(self, name: str) -> NDArray[Any]:
        rows = array_in(self._files[name].map)
        if rows.shape != (self.n_rows,):
            raise InputError(f"its shape is {rows.shape} instead of {(self.n_rows,)}")
        return rows

    def to_memory(self) -> CodedData:
        """Return a copy of the whole table in memory."""
        data = self.data
        copied = replace(
            data,
            blocks=tuple(replace(b, codes=frozen(b.codes.copy())) for b in data.blocks),
            labels=frozen(data.labels.copy()),
            weights=None if data.weights is None else frozen(data.weights.copy()),
            check_codes=False,
        )
        self.release()
        return copied

    def release(self) -> None:
        """Tell the system that mapped columns need not stay in memory."""
        for file in self._files.values():
            file.release()

    def verify(self) -> None:
        """Read everything and compare checksums; InputError names a damaged file or column."""
        again = CodedStore.open(self.path)
        at_once = max(RELEASED // self.n_rows, 1)
        for begin in range(0, self.n_features, at_once):
            again.checked(range(begin, min(begin + at_once, self.n_features)))
            again.release()
