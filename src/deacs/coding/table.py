"""`CodedTable`: the metadata of a coded table, wherever its columns are stored."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding.features import FeatureCoding
from deacs.exceptions import Note
from deacs.tables import Target

if TYPE_CHECKING:
    from deacs.coding.data import CodedData

__all__ = ["CodedTable"]


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
