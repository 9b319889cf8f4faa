r"""DEAFS: rank features at once by super-efficiency over all conditional information terms.

The outputs of feature F_i are I(F_i; C) and I(F_i; C | F_j) for every other feature F_j. The method
is that of Y. Zhang, A. Yang, C. Xiong, Z. Zhang, "Feature selection using data envelopment
analysis", Knowledge-Based Systems 64 (2014) 70-80, as described in the DEA-CS paper (see
docs/papers/dea-selector.md).
"""

from __future__ import annotations

import warnings
from typing import Unpack

from deacs.exceptions import DiscriminationWarning
from deacs.greedy.loop import Path
from deacs.selection._filter import FilterOptions
from deacs.selection.dea_selector import DEASelector
from deacs.selection.result import Source

__all__ = ["DEAFS"]


class DEAFS(DEASelector):
    """Rank features by information about the class, alone and given every other feature.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    `scores_` is the super-efficiency.

    Warns
    -----
    DiscriminationWarning
        Always: n features compete on n + 1 outputs, where the rule of thumb of DEA requires three
        times as many units as inputs and outputs. `DEACS` has one output for each class instead.

    Notes
    -----
    n(n - 1) / 2 pairs are counted, and the table of outputs takes 8 n**2 bytes: practical up to
    about 5,000 features.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEAFS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     DEAFS(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    """

    def __init__(
        self, n_features_to_select: float | None = None, **options: Unpack[FilterOptions]
    ) -> None:
        super().__init__(
            ("relevance", "conditional"), n_features_to_select, mode="one-shot", **options
        )

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        path = super()._path(source, begun)
        for note in (note for note in path.notes if note.kind == "crowded"):
            # Past _path, fit and scikit-learn's wrapper, to the caller's line.
            warnings.warn(note, DiscriminationWarning, stacklevel=4)
        return path
