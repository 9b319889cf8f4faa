"""Which candidates of a step tell more of the class, given S, than chance does.

The level is that of one step: the chance that any candidate passes which is independent of the
class given S. Features are selected until none passes, and the first false one ends what could be
controlled: if each step's level holds, the chance that a selection has any false feature is no
larger. See docs/papers/stopping.md for what that takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.exceptions import InputError
from deacs.information import joint_codes
from deacs.information.conditional_test import BOUND_SHARE, ConditionalTest

__all__ = ["Significance", "StepTest"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Significance:
    """Tests of candidates, step by step, at one level.

    Parameters
    ----------
    data : CodedData
        The table. Columns that were cut with the help of the classes need its `recoder`.
    alpha : float, default=0.05
        The level of each step's test, for all candidates together.
    n_permutations : int or None, default=None
        How often labels are shuffled. None: as often as it takes to decide, 10 / alpha times at
        most, 3 / alpha times where no shuffle comes near; p-values are no smaller than that.
    random_state : int, RandomState, Generator or None, default=None
        The seed of the shuffles.
    n_jobs : int or None, default=None
        Threads; the answer does not depend on it.
    """

    def __init__(
        self,
        data: Any,
        alpha: float = 0.05,
        n_permutations: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self._data = _testable(data)
        if not 0 < alpha < 1:
            raise InputError(f"alpha must lie between 0 and 1 (0.05 is usual), got {alpha!r}")
        fewest = math.ceil(1 / (alpha * (1 - BOUND_SHARE))) - 1
        if n_permutations is not None and n_permutations < fewest:
            raise InputError(
                f"n_permutations must be at least {fewest} for alpha={alpha}, or nothing could "
                f"ever be significant, got {n_permutations!r}"
            )
        self.alpha = alpha
        self._n_shuffles = n_permutations
        self._entropy = _entropy(random_state)
        self._n_jobs = n_jobs

    def given(self, conditions: Sequence[Sequence[int]], candidates: Integers) -> StepTest:
        """Test candidates given each of some sets of features.

        Parameters
        ----------
        conditions : sequence of sequences of int
            Sets of selected features, each taken jointly: S itself, or its blocks. A candidate
            must be significant given each of them (an intersection-union test: no correction).
        candidates : ndarray of int of shape (n,)
            The features that are left.
        """
        n_selected = len({j for condition in conditions for j in condition})
        tests = [
            ConditionalTest(
                self._data,
                self._groups(condition),
                candidates,
                self.alpha,
                self._n_shuffles,
                np.random.SeedSequence(self._entropy, spawn_key=(n_selected, k)),
                self._n_jobs,
            )
            for k, condition in enumerate(conditions or [[]])
        ]
        return StepTest(tests, self.alpha)

    def _groups(self, features: Sequence[int]) -> Integers:
        """Number the joint values of some features; -1 where one is missing and ignored."""
        data = self._data
        groups, _ = joint_codes([data.column(j) for j in features], data.n_rows)
        for j in features:
            if data.ignored(j) >= 0:
                groups[data.column(j) == data.ignored(j)] = -1
        return groups


class StepTest:
    """The candidates of one step, tested given one or more sets of selected features."""

    def __init__(self, tests: Sequence[ConditionalTest], alpha: float) -> None:
        self._tests = tests
        self._alpha = alpha

    def p_value(self, candidate: int) -> float:
        """Return the p-value of one candidate (by place), adjusted for all of them."""
        return max(test.p_value(candidate) for test in self._tests)

    @cached_property
    def p_values(self) -> Floats:
        """The p-values of all candidates, each adjusted for all of them."""
        found: Floats = np.max([test.p_values for test in self._tests], axis=0)
        return found


def _testable(data: Any) -> CodedData:
    """Refuse tables of which chance cannot be told."""
    what = 'n_features_to_select="auto"'
    if not isinstance(data, CodedData):
        raise InputError(f"{what} needs a table in memory, got {type(data).__name__}")
    if data.weights is not None:
        raise InputError(
            f"{what} tests rows that count once, got sample_weight; leave it out, or repeat rows"
        )
    recut = set() if data.recoder is None else set(data.recoder.features.tolist())
    lost = [j for j, f in enumerate(data.features) if f.by_classes and j not in recut]
    if lost:
        raise InputError(
            f"{what} must place cut points again that were placed with the help of the classes, "
            f"as those of {data.feature_names[lost[0]]!r}, but their values are not there; give "
            "the table itself to fit, or encode(..., recodable=True), or use the discretizer "
            "'mdlp', or one that does not look at the classes, such as 'equal-frequency'"
        )
    return data


def _entropy(random_state: Any) -> int:
    """A seed from what scikit-learn takes for one, or from a Generator."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    entropy = np.random.SeedSequence(random_state).entropy
    assert isinstance(entropy, int)
    return entropy
