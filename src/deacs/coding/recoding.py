"""Recode columns whose cut points depend on the classes, for tests with shuffled classes.

Such a test must not take the cuts as given, since they were placed where the classes differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts
from deacs.coding.intervals import number_columns
from deacs.discretize.cuts import (
    NS_SORT,
    MdlpRule,
    columns_to_cut_by,
    equal_frequency_places,
    mdlp_rule,
)
from deacs.discretize.registry import DISCRETIZERS
from deacs.discretize.rows import Ordered, sort_columns
from deacs.kernels.threads import map_blocks
from deacs.tables import Column, Labels, Target

__all__ = ["Recoder", "recoder_of"]

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Recoder:
    """The order of values of some columns, which is all that the search for cuts needs.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The indices of the features.
    order : ndarray of int32 of shape (n, n_rows)
        The rows of each by ascending value, missing values last.
    ranks : ndarray of int32 of shape (n, n_rows)
        The rank of the value in each of these rows among the distinct values.
    n_present : ndarray of int of shape (n,)
        The number of rows with a value.
    rule : MdlpRule
        The rule for cuts.
    labels : ndarray of int32 of shape (n_rows,)
        The classes by which the columns were cut.
    about : Target
        The target; labels that overlap each make their own cuts.
    fallback : ndarray of uint8 of shape (n, n_rows), or None
        The codes of columns that get no cut; None: one code, and one for missing values.
    """

    features: Integers
    order: NDArray[np.int32]
    ranks: NDArray[np.int32]
    n_present: Integers
    rule: MdlpRule
    labels: NDArray[np.int32]
    about: Target
    fallback: NDArray[np.uint8] | None = None

    @classmethod
    def from_columns(
        cls,
        features: Sequence[int],
        columns: Sequence[Column],
        labels: Labels,
        *,
        max_cuts: int | None = None,
        min_samples: int = 1,
        fallback_bins: int = 1,
        n_jobs: int | None = None,
    ) -> Self:
        """Sort columns that `mdlp_cut_points` cuts."""
        shape = len(columns), len(labels.codes)
        order, ranks = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
        n_present = np.empty(len(columns), dtype=np.int64)
        fallback = None if fallback_bins == 1 else np.empty(shape, dtype=np.uint8)

        def work(part: slice) -> None:
            for k in range(part.start, part.stop):
                found = sort_columns(columns[k : k + 1])
                (order[k],), (ranks[k],), (n,) = found.order
                n_present[k] = n
                if fallback is not None:
                    is_last = np.zeros((1, shape[1]), dtype=np.bool_)
                    places = equal_frequency_places(found.values[0, :n], None, fallback_bins)
                    is_last[0, places] = True
                    fallback[k] = number_columns(found.order, np.zeros(1, np.int64), is_last)[0]

        map_blocks(work, len(columns), n_jobs, NS_SORT * shape[1])
        rule = mdlp_rule(labels, None, max_cuts, min_samples, len(columns))
        return cls(
            np.array(features, dtype=np.int64),
            order,
            ranks,
            n_present,
            rule,
            labels.codes,
            labels.target,
            fallback,
        )

    @classmethod
    def beside(
        cls, parts: Sequence[Recoder | None], starts: Integers, labels: NDArray[np.int32]
    ) -> Recoder | None:
        """Join recoders of consecutive columns; `starts` are their first columns."""
        found = [(p, start) for p, start in zip(parts, starts.tolist(), strict=True) if p]
        if not found:
            return None
        recoders = [part for part, _ in found]
        fallbacks = [part.fallback for part in recoders if part.fallback is not None]
        return replace(
            recoders[0],
            features=np.concatenate([part.features + start for part, start in found]),
            order=np.concatenate([part.order for part in recoders]),
            ranks=np.concatenate([part.ranks for part in recoders]),
            n_present=np.concatenate([part.n_present for part in recoders]),
            labels=labels,
            fallback=np.concatenate(fallbacks) if fallbacks else None,
        )

    @cached_property
    def _ordered(self) -> Ordered:
        return Ordered(self.order, self.ranks, self.n_present)

    @cached_property
    def _n_fallback(self) -> Integers:
        """The number of codes of each column under classes that give it no cut."""
        assert self.fallback is not None
        return np.asarray(self.fallback.max(axis=1, initial=0) + np.int64(1))

    def bins(self, feature: int, n_bins: int) -> Integers:
        """Divide the rows of a feature by rank into about equal bins; missing values are the last.

        Equal values share the bin of the first of them.
        """
        column = self.columns_of(np.array([feature]))[0]
        n = int(self.n_present[column])
        ranks = self.ranks[column, :n]
        bins = np.full(self.order.shape[1], n_bins, dtype=np.int64)
        bins[self.order[column, :n]] = np.searchsorted(ranks, ranks) * n_bins // max(n, 1)
        return bins

    def columns_of(self, features: Integers) -> Integers:
        """Return the positions of some features among these columns."""
        place = np.full(int(self.features.max(initial=0)) + 1, -1)
        place[self.features] = np.arange(len(self.features))
        found: Integers = place[features]
        return found

    def codes(
        self, columns: Integers, labels: NDArray[np.int32], n_jobs: int | None = None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Integers]:
        """Cut k of the columns by other labels of the same rows.

        Return codes of shape (k, n_rows) and the number of codes of each column. A missing value
        has the last code; codes are arbitrary in a column with one value only.
        """
        targets = columns_to_cut_by(self.about, labels)
        is_last = np.zeros((len(columns), len(labels)), dtype=np.bool_)

        def work(part: slice) -> None:
            for target in targets:
                cuts.cut_columns(self._ordered, columns[part], target, None, self.rule, is_last[part])

        map_blocks(work, len(columns), n_jobs, NS_SORT * len(labels))
        codes, n_values = number_columns(self._ordered, columns, is_last)
        if self.fallback is not None:
            has_missing = self.n_present[columns] < len(labels)
            uncut = np.flatnonzero(n_values == 1 + has_missing)
            codes[uncut] = self.fallback[columns[uncut]]
            n_values[uncut] = self._n_fallback[columns[uncut]]
        return codes, n_values


def recoder_of(
    features: Sequence[int],
    columns: Sequence[Column],
    labels: Labels,
    discretizer: Any,
    n_jobs: int | None = None,
) -> Recoder | None:
    """Keep the order of values of columns that MDLP cut, to cut them again under other classes."""
    if isinstance(discretizer, str):
        if discretizer not in ("mdlp", "auto"):
            return None
        rule: dict[str, Any] = {"fallback_bins": DISCRETIZERS[discretizer].fallback_bins}
    else:
        from deacs.discretize import MDLP

        if not isinstance(discretizer, MDLP):
            return None
        rule = {"max_cuts": discretizer.max_cuts, "min_samples": discretizer.min_samples}
    if not features:
        return None
    return Recoder.from_columns(features, columns, labels, n_jobs=n_jobs, **rule)
