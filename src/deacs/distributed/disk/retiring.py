"""What S tells of tall tables: settled rows are taken out, so that the rest may fit in memory."""

import numpy as np
from numpy.typing import NDArray

from deacs.information import Conditioning

__all__ = ["RetiringRows"]


class RetiringRows(Conditioning):
    """A `Conditioning` that can forget the rows whose class S settles, and number the rest anew.

    Every score stays as it is: sums run over the rows that are left, and what they are divided
    by was counted at the beginning. Not for tables that ignore missing values, where a settled
    row still counts among those in which a feature is present.
    """

    def forget_settled(self) -> NDArray[np.int32]:
        """Number the rows that are left from 0, in their order; return which ones they were."""
        rows = np.sort(self._groups.rows)
        place = np.empty(self.n_rows, dtype=np.int32)
        place[rows] = np.arange(len(rows), dtype=np.int32)
        self._groups = self._groups._replace(rows=place[self._groups.rows])
        self._labels = self._labels[rows]
        if self._weights is not None:
            self._weights = self._weights[rows]
        self.n_rows = len(rows)
        return rows
