r"""Interactions: pairs of columns more informative about the class together than in sum.

.. math:: \mathrm{syn}(F, G; C) = I(F, G; C) - I(F; C) - I(G; C) = I(F; C \mid G) - I(F; C)

in bits, minus its expectation under independence,
:math:`(V_F - 1)(V_G - 1)(K - 1) / (2 N \ln 2)`; for one class against the rest, K = 2.

*Search.* As :math:`I(F; C | G) \le \min(H(F), H(C))`, no pair with F has more synergy than
:math:`b_F = \min(H(F), H(C)) - I(F; C)`. Columns are taken by descending b, each against those
after it, until b falls below the n-th largest synergy: the result is exact over all pairs.

*Significance.* Positive synergy requires that F depends on C given G, that G depends on C given F,
that F depends on G within some class, and that the estimate exceeds its standard error. All are
tested, the first three by a bound that holds for any counts (`deacs.significance.chance`); the
largest p-value (an intersection-union test) is multiplied by the number of all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from deacs._frames import frame
from deacs.coding import CodedData, Missing, encode
from deacs.counts import Conditioning, Pairs, bits_by_chance, values_counted
from deacs.exceptions import InputError
from deacs.selection.options import is_whole
from deacs.significance.chance import log_stratified_bound

__all__ = ["Interaction", "Interactions", "find_interactions"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Interaction:
    """Two columns and their synergy.

    Attributes
    ----------
    features, names : tuple of two
        The columns.
    synergy : float
        Joint information about the class beyond the sum of both, in bits, corrected for chance.
    label_synergy : ndarray of shape (n_classes,)
        The same about each class against the rest.
    alone : tuple of two floats
        Information of each column alone about the class, in bits.
    p_value : float
        Adjusted for all pairs of columns; NaN for weighted rows.
    """

    features: tuple[int, int]
    names: tuple[str, str]
    synergy: float
    label_synergy: Floats
    alone: tuple[float, float]
    p_value: float


class Interactions(Sequence[Interaction]):
    """Pairs of columns in descending order of synergy.

    Attributes
    ----------
    is_exact : bool
        Whether no other pair has a larger synergy; if not, the budget ended the search.
    n_counted, n_pairs : int
        The number of pairs counted, and of all pairs.
    classes : tuple of str
        The classes of `label_synergy`.
    """

    def __init__(
        self,
        found: Sequence[Interaction],
        classes: Sequence[str],
        *,
        n_counted: int,
        n_pairs: int,
        is_exact: bool,
    ) -> None:
        self._found = tuple(found)
        self.classes = tuple(classes)
        self.n_counted = n_counted
        self.n_pairs = n_pairs
        self.is_exact = is_exact

    def __getitem__(self, place: Any) -> Any:
        return self._found[place]

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        lines = [
            f"{' & '.join(pair.names)}: {pair.synergy:.3f} bits beyond "
            f"{pair.alone[0]:.3f} + {pair.alone[1]:.3f}, p = {pair.p_value:.2g}"
            for pair in self._found
        ]
        if not self.is_exact:
            lines.append(f"(of {self.n_counted:,} of {self.n_pairs:,} pairs: the budget is spent)")
        return "\n".join(lines) or "no pair has positive synergy"

    def to_frame(self, library: str | None = None) -> Any:
        """Return one row for each pair."""
        columns: dict[str, Any] = {
            "first": [pair.names[0] for pair in self._found],
            "second": [pair.names[1] for pair in self._found],
            "synergy": [pair.synergy for pair in self._found],
            "first_alone": [pair.alone[0] for pair in self._found],
            "second_alone": [pair.alone[1] for pair in self._found],
            "p_value": [pair.p_value for pair in self._found],
        }
        for i, label in enumerate(self.classes):
            columns[f"synergy[{label}]"] = [float(pair.label_synergy[i]) for pair in self._found]
        return frame(columns, library)


def find_interactions(
    X: Any,
    y: Any = None,
    n: int = 20,
    *,
    budget: int | None = None,
    discrete_features: Any = "auto",
    discretizer: Any = "auto",
    missing: Missing = "category",
    n_jobs: int | None = None,
) -> Interactions:
    """Return the pairs of columns with the largest synergy about the classes.

    Parameters
    ----------
    X : table of shape (n_rows, n_features), or CodedData
        The columns. Numbers are cut into intervals; `discretizer="auto"` also cuts columns that are
        uninformative alone.
    y : array-like of shape (n_rows,)
        The classes; None if X is CodedData.
    n : int, default=20
        The largest number of pairs to return; only pairs with positive synergy are.
    budget : int, optional
        The largest number of pairs to count. None: as many as an exact result takes.
    discrete_features, discretizer, missing, n_jobs
        As in `DEACS`.

    Examples
    --------
    >>> import numpy as np
    >>> from deacs import find_interactions
    >>> X = np.random.default_rng(0).integers(0, 2, (400, 30))
    >>> y = X[:, 3] ^ X[:, 17]
    >>> best = find_interactions(X, y, n=1)[0]
    >>> best.features, round(best.synergy, 2), best.p_value < 0.001
    ((3, 17), 1.0, True)
    """
    if not is_whole(n) or n < 1:
        raise InputError(f"n must be a whole number from 1 on, got {n!r}", parameter="n")
    if budget is not None and not (is_whole(budget) and budget >= 1):
        raise InputError(f"budget must be a number of pairs, got {budget!r}", parameter="budget")
    if isinstance(X, CodedData):
        if y is not None:
            raise InputError(
                "y must be None when X is CodedData, which holds the classes; give y to "
                "deacs.encode"
            )
        data = X
    else:
        data = encode(
            X,
            y,
            discrete_features=discrete_features,
            discretizer=discretizer,
            missing=missing,
            n_jobs=n_jobs,
        )
    search = _Search(data, n, budget, n_jobs)
    search.run()
    pairs = [_interaction(data, pair, synergy, search) for pair, synergy in search.best()]
    return Interactions(
        pairs,
        [str(name) for name in data.about.names],
        n_counted=search.n_counted,
        n_pairs=search.n_pairs,
        is_exact=search.is_exact,
    )


class _Search:
    """Search over all pairs by descending upper bound, keeping the n best."""

    def __init__(self, data: CodedData, n: int, budget: int | None, n_jobs: int | None) -> None:
        self._data = data
        self._n = n
        self._budget = math.inf if budget is None else budget
        self._pairs = Pairs(data, n_jobs)
        self.relevance = self._pairs.relevance
        self._n_values = values_counted(data)
        self.n_pairs = data.n_features * (data.n_features - 1) // 2
        self.n_counted = 0
        self.is_exact = True
        self._found: list[tuple[float, int, int]] = []

    def run(self) -> None:
        """Count pairs until no other can be among the n best, or the budget is spent."""
        data = self._data
        uncertain = Conditioning(data.labels, data.n_classes, data.weights).entropy()
        bounds = np.minimum(self._pairs.entropy, uncertain) - self.relevance
        if data.ignores_missing:
            bounds[:] = np.inf  # a pair is counted on other rows than its columns are
        order = np.argsort(-bounds, kind="stable")
        for place, feature in enumerate(order.tolist()):
            others = order[place + 1 :]
            least = self._found[-1][0] if len(self._found) == self._n else 0.0
            if bounds[feature] <= least or len(others) == 0:
                return
            # Later columns have lower bounds.
            others = others[bounds[others] > least]
            if self.n_counted + len(others) > self._budget:
                others = others[: int(self._budget - self.n_counted)]
                self.is_exact = False
            self._count(feature, others)
            if not self.is_exact:
                return

    def _count(self, feature: int, others: Integers) -> None:
        self.n_counted += len(others)
        if len(others) == 0:
            return
        given = self._pairs.information(feature, others).conditional
        by_chance = self.by_chance(feature, others) * (self._data.n_classes - 1)
        synergy = given - self.relevance[others] - by_chance
        best = np.argsort(-synergy, kind="stable")[: self._n]
        self._found += [
            (float(synergy[k]), feature, int(others[k])) for k in best if synergy[k] > 0
        ]
        self._found.sort(key=lambda pair: (-pair[0], sorted(pair[1:])))
        del self._found[self._n :]

    def by_chance(self, feature: int, others: Any) -> Any:
        """Return the expected synergy about two classes under independence, in bits."""
        freedom = (self._n_values[feature] - 1) * (self._n_values[others] - 1)
        return bits_by_chance(self._data, freedom)

    def best(self) -> list[tuple[tuple[int, int], float]]:
        """Return pairs and their synergy."""
        return [((min(a, b), max(a, b)), synergy) for synergy, a, b in self._found]


def _interaction(
    data: CodedData, pair: tuple[int, int], synergy: float, search: _Search
) -> Interaction:
    first, second = pair
    alone = Conditioning.of(data)
    given = Conditioning.of(data)
    given.add(data.column(second), int(data.n_values[second]), data.ignored(second))
    place = np.array([first])
    bits = [c.scores(data.blocks, place, "one-vs-rest")[0] for c in (given, alone)]
    p = math.nan
    if data.weights is None:
        p = min(1.0, search.n_pairs * _p_value(data, first, second))
    return Interaction(
        pair,
        (data.feature_names[first], data.feature_names[second]),
        synergy,
        bits[0] - bits[1] - search.by_chance(first, second),
        (float(search.relevance[first]), float(search.relevance[second])),
        p,
    )


def _p_value(data: CodedData, first: int, second: int) -> float:
    """Return the p-value of one pair, not adjusted: the largest of four."""
    f, g, c = data.column(first), data.column(second), data.labels
    there = (f != data.ignored(first)) & (g != data.ignored(second))
    f, g, c = (codes[there].astype(np.int64) for codes in (f, g, c))
    needed = (_dependent(f, c, g), _dependent(g, c, f), _dependent(f, g, c))
    return max(*needed, _beyond_zero(f, g, c))


def _dependent(a: Integers, b: Integers, groups: Integers) -> float:
    """Bound the p-value of the dependence of a and b within groups."""
    numbers = np.unique(groups)
    logs = [
        log_stratified_bound(
            a[mine], b[mine], np.zeros(int(mine.sum()), dtype=np.int64), ordered=False
        )
        for mine in (groups == number for number in numbers)
    ]
    return min(1.0, len(numbers) * math.exp(min(logs, default=0.0)))


def _beyond_zero(f: Integers, g: Integers, c: Integers) -> float:
    """Return the one-sided p-value of a positive synergy, by a normal approximation."""
    joint = np.zeros((f.max() + 1, g.max() + 1, c.max() + 1))
    np.add.at(joint, (f, g, c), 1.0)
    p = joint / len(f)
    fg, fc, gc = (p.sum(axis=axis, keepdims=True) for axis in (2, 1, 0))
    one_f, one_g, one_c = (p.sum(axis=axes, keepdims=True) for axes in ((1, 2), (0, 2), (0, 1)))
    seen = p > 0
    ratio = np.divide(p * one_f * one_g * one_c, fg * fc * gc, out=np.ones_like(p), where=seen)
    bits = np.where(seen, np.log2(ratio), 0.0)
    mean = float((p * bits).sum())
    chance = (p.shape[0] - 1) * (p.shape[1] - 1) * (p.shape[2] - 1) / (2 * len(f) * math.log(2))
    variance = float((p * bits**2).sum()) - mean**2
    if variance <= 0:  # all rows contribute the same, so there is no error
        return 0.0 if mean > chance else 1.0
    return float(ndtr(-(mean - chance) / math.sqrt(variance / len(f))))
