"""Base of the `Counts` of all engines whose columns are not simply arrays in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedTable
from deacs.greedy.engine import OrderedCounts
from deacs.information import PairInformation

__all__ = ["CountsElsewhere"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class CountsElsewhere(OrderedCounts, ABC):
    """Counts of a table that is stored elsewhere; terms of single features are counted once."""

    def __init__(self, table: CodedTable) -> None:
        self._table = table

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._table.n_features

    def relevance(self) -> Floats:
        """Return I(F; C) of every feature in bits."""
        return self._relevance

    @cached_property
    def _relevance(self) -> Floats:
        return self._count_relevance()

    def entropy(self) -> Floats:
        """Return H(F) of every feature in bits."""
        return self._entropy

    @cached_property
    def _entropy(self) -> Floats:
        return self._count_entropy()

    def redundancy(self, selected: int, candidates: Integers) -> Floats:
        """Return I(F; S) of candidates and one selected feature in bits."""
        return self._pair(selected, candidates, by_class=False).redundancy

    def pair_information(self, selected: int, candidates: Integers) -> PairInformation:
        """Return the joint information of candidates and one selected feature, in bits."""
        return self._pair(selected, candidates, by_class=True)

    @abstractmethod
    def _count_relevance(self) -> Floats: ...

    @abstractmethod
    def _count_entropy(self) -> Floats: ...

    @abstractmethod
    def _pair(self, selected: int, candidates: Integers, by_class: bool) -> PairInformation:
        """Return the information of candidates and one selected feature, by class or not."""
