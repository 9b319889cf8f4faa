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

from deacs.coding.blocks import CODE_WIDTHS, narrowest
from deacs.discretize.cuts import NS_SORT, equal_frequency_places, mdlp_rule
from deacs.discretize.rows import ascending
from deacs.kernels.cuts import MdlpRule
from deacs.kernels.recoding import Ordered, recode, recoding_scratch
from deacs.kernels.threads import map_blocks
from deacs.tables import Column, Labels, Target

__all__ = ["Recoder"]

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
    n_labels : int
        The number of classes.
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
    n_labels: int
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
        n_rows = len(labels.codes)
        order = np.empty((len(columns), n_rows), dtype=np.int32)
        ranks = np.zeros((len(columns), n_rows), dtype=np.int32)
        n_present = np.empty(len(columns), dtype=np.int64)
        fallback = None if fallback_bins == 1 else np.empty(order.shape, dtype=np.uint8)

        def work(part: slice) -> None:
            for k in range(part.start, part.stop):
                rows, values, _ = ascending(columns[k])
                n = n_present[k] = len(values)
                order[k, :n] = rows
                np.cumsum(values[1:] > values[:-1], out=ranks[k, 1:n])
                missing = columns[k].missing
                if missing is not None:
                    order[k, n:] = np.flatnonzero(missing)
                if fallback is not None:
                    at = equal_frequency_places(values, None, fallback_bins)
                    codes = np.searchsorted(at, np.arange(n))
                    fallback[k, order[k]] = np.append(codes, np.full(n_rows - n, len(at) + 1))

        map_blocks(work, len(columns), n_jobs, NS_SORT * n_rows)
        overlap = labels.target.membership is not None
        n_labels = 2 if overlap else len(labels.classes)
        rule = mdlp_rule(n_labels, n_rows, None, max_cuts, min_samples, len(columns))
        return cls(
            np.array(features, dtype=np.int64),
            order,
            ranks,
            n_present,
            rule,
            labels.codes,
            n_labels,
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
        if self.about.membership is None:
            codes, n_values = self._cut(columns, labels.astype(narrowest(self.n_labels)), n_jobs)
        else:
            codes, n_values = self._cut_by_each(columns, labels, n_jobs)
        if self.fallback is not None:
            has_missing = self.n_present[columns] < len(labels)
            uncut = np.flatnonzero(n_values == 1 + has_missing)
            codes[uncut] = self.fallback[columns[uncut]]
            n_values[uncut] = self._n_fallback[columns[uncut]]
        return codes, n_values

    def _cut_by_each(
        self, columns: Integers, labels: NDArray[np.int32], n_jobs: int | None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Integers]:
        """Cut by each label separately; an interval is where all of their codes are equal."""
        total = np.zeros((len(columns), len(labels)), dtype=np.int64)
        for i in range(len(self.about.names)):
            has = self.about.rows_of(i, labels).astype(np.uint8)
            codes, n_values = self._cut(columns, has, n_jobs)
            total[n_values > 1] += codes[n_values > 1]
        # Codes count the cuts below a value, so sums of them ascend with the values.
        dense = [np.unique(column, return_inverse=True)[1] for column in total]
        n_all = np.array([column.max(initial=0) + 1 for column in dense], dtype=np.int64)
        joint = np.array(dense, dtype=narrowest(int(n_all.max(initial=1))))
        return joint.reshape(total.shape), n_all

    def _cut(
        self, columns: Integers, labels: NDArray[np.unsignedinteger[Any]], n_jobs: int | None
    ) -> tuple[NDArray[np.unsignedinteger[Any]], Integers]:
        n_values = np.zeros(len(columns), dtype=np.int64)
        for width in CODE_WIDTHS:
            codes = np.empty((len(columns), len(labels)), dtype=width)
            self._fill(columns, labels, codes, n_values, n_jobs)
            if n_values.max(initial=0) <= np.iinfo(width).max:
                break
        return codes, n_values

    def _fill(
        self,
        columns: Integers,
        labels: NDArray[np.unsignedinteger[Any]],
        codes: NDArray[np.unsignedinteger[Any]],
        n_values: Integers,
        n_jobs: int | None,
    ) -> None:
        n_rows = len(labels)
        ordered = Ordered(self.order, self.ranks, self.n_present, self.rule)

        def work(part: slice) -> None:
            scratch = recoding_scratch(n_rows, self.n_labels, labels.dtype)
            recode(ordered, columns[part], labels, scratch, codes[part], n_values[part])

        map_blocks(work, len(columns), n_jobs, NS_SORT * n_rows)
