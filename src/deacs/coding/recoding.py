"""Recode columns whose cut points depend on the classes, for tests with shuffled classes.

Such a test must not take the cuts as given, since they were placed where the classes differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts
from deacs._kernels.threads import map_blocks
from deacs.coding.cuts import (
    NS_SORT,
    Codes,
    MdlpRule,
    Ordered,
    columns_to_cut_by,
    equal_frequency_places,
    mdlp_rule,
    number_columns,
)
from deacs.tables import Labels

__all__ = ["Recoder"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Recoder:
    """The order of values of some columns, which is all that the search for cuts needs.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The indices of the features.
    order : Ordered
        The order of their values.
    rule : MdlpRule
        The rule for cuts.
    targets : Labels
        The classes by which the columns were cut; labels that overlap each make their own cuts.
    fallback_bins : int
        Into how many intervals of equal frequency columns without a cut are divided.
    """

    features: Integers
    order: Ordered
    rule: MdlpRule
    targets: Labels
    fallback_bins: int = 1

    @classmethod
    def of(
        cls,
        features: Sequence[int] | Integers,
        orders: Sequence[Ordered],
        targets: Labels,
        *,
        max_cuts: int | None = None,
        min_samples: int = 1,
        fallback_bins: int = 1,
    ) -> Recoder | None:
        """Keep the order of columns that `mdlp_cut_points` cut with these options, if any."""
        if len(features) == 0:
            return None
        order = Ordered(*map(np.concatenate, zip(*orders, strict=True)))
        rule = mdlp_rule(targets, None, max_cuts, min_samples, len(features))
        return cls(np.array(features, dtype=np.int64), order, rule, targets, fallback_bins)

    @classmethod
    def beside(
        cls, parts: Sequence[Recoder | None], starts: Integers, labels: NDArray[np.int32]
    ) -> Recoder | None:
        """Join recoders of consecutive columns; `starts` are their first columns."""
        found = [(p, start) for p, start in zip(parts, starts.tolist(), strict=True) if p]
        if not found:
            return None
        return replace(
            found[0][0],
            features=np.concatenate([part.features + start for part, start in found]),
            order=Ordered(*map(np.concatenate, zip(*(p.order for p, _ in found), strict=True))),
            targets=replace(found[0][0].targets, codes=labels),
        )

    @cached_property
    def _fallback(self) -> tuple[Codes, Integers]:
        """The codes of columns that get no cut, and their number."""
        is_last = np.zeros(self.order.rows.shape, dtype=np.bool_)
        for k, n in enumerate(self.order.n_present.tolist()):
            ranks = self.order.ranks[k, :n]
            is_last[k, equal_frequency_places(ranks, None, self.fallback_bins)] = True
        return number_columns(self.order, np.arange(len(is_last)), is_last)

    def bins(self, feature: int, n_bins: int) -> Integers:
        """Divide the rows of a feature by rank into about equal bins; missing values are the last.

        Equal values share the bin of the first of them.
        """
        column = self.columns_of(np.array([feature]))[0]
        n = int(self.order.n_present[column])
        ranks = self.order.ranks[column, :n]
        bins = np.full(self.order.rows.shape[1], n_bins, dtype=np.int64)
        bins[self.order.rows[column, :n]] = np.searchsorted(ranks, ranks) * n_bins // max(n, 1)
        return bins

    def columns_of(self, features: Integers) -> Integers:
        """Return the positions of some features among these columns."""
        return np.searchsorted(self.features, features)

    def codes(
        self, columns: Integers, labels: NDArray[np.int32], n_jobs: int | None = None
    ) -> tuple[Codes, Integers]:
        """Cut k of the columns by other labels of the same rows.

        Return codes of shape (k, n_rows) and the number of codes of each column. A missing value
        has the last code.
        """
        targets = columns_to_cut_by(self.targets.target, labels)
        is_last = np.zeros((len(columns), len(labels)), dtype=np.bool_)

        def work(part: slice) -> None:
            for target in targets:
                how = target, None, self.rule, is_last[part]
                cuts.cut_columns(self.order, columns[part], *how)

        map_blocks(work, len(columns), n_jobs, NS_SORT * len(labels))
        codes, n_values = number_columns(self.order, columns, is_last)
        if self.fallback_bins > 1:
            fallback, n_codes = self._fallback
            uncut = np.flatnonzero(~is_last.any(axis=1))
            codes[uncut], n_values[uncut] = fallback[columns[uncut]], n_codes[columns[uncut]]
        return codes, n_values
