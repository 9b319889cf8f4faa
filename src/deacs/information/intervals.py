r"""Intervals for label scores: how much of :math:`R(F; c_i | S)` is there in the population.

The plug-in estimate :math:`\hat R` is too large, by about what it would be if F told nothing: its
expectation :math:`E` over all permutations of F within the groups of S, which is a sum of
hypergeometric means. A bootstrap sample, rows drawn with replacement, is too large again, so its
percentiles are wrong twice. The interval takes only the spread from the bootstrap,

.. math:: \bigl[\hat R - E + q_{\alpha/2}(R^* - \bar R^*),\;
                \hat R - E + q_{1-\alpha/2}(R^* - \bar R^*)\bigr], \quad \text{not below } 0,

with S fixed. B. Efron, R. J. Tibshirani, "An introduction to the bootstrap" (1993); the
expectation: N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings
comparison", JMLR 11 (2010) 2837-2854.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, named_features
from deacs.exceptions import InputError
from deacs.information.conditioning import LabelScore
from deacs.information.joint import joint_codes
from deacs.kernels.threads import map_blocks

__all__ = ["LabelScoreIntervals", "label_score_intervals"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_ROWS = 1 << 27
"""Weights with a larger total are fractions that were brought to whole counts, not rows."""
NUMBERS_AT_ONCE = 1 << 18
NS_A_PATTERN = 50.0
"""About what a pattern of values costs in one sample and step."""


@dataclass(frozen=True, eq=False)
class LabelScoreIntervals:
    """Label scores of selected features with their intervals, in bits.

    Attributes
    ----------
    estimate : ndarray of shape (n_selected, n_classes)
        The plug-in estimates, `DEACS.label_scores_`.
    chance : ndarray of shape (n_selected, n_classes)
        What they would be on average if the feature told nothing.
    low, high : ndarray of shape (n_selected, n_classes)
        The ends of the intervals. Where `low` is 0 the feature may tell nothing of the label.
    """

    estimate: Floats
    chance: Floats
    low: Floats
    high: Floats


def label_score_intervals(
    data: CodedData,
    ranking: Sequence[Any] | Integers,
    *,
    label_score: LabelScore = "one-vs-rest",
    n_resamples: int = 1000,
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> LabelScoreIntervals:
    """Return intervals for R(F; c_i | S), S being the features that stand before F.

    Parameters
    ----------
    data : CodedData
        The rows; see `deacs.encode`.
    ranking : names or indices of features
        In the order of their selection, e.g. `selector.ranking_`.
    label_score : {"one-vs-rest", "divergence"}, default="one-vs-rest"
        Which score; see `DEACS`.
    n_resamples : int, default=1000
        How many bootstrap samples.
    confidence : float, default=0.95
        The probability that an interval is to hold the score in the population, each by itself.
    random_state : int, numpy.random.Generator or None, default=None
        Draws the samples.
    n_jobs : int or None, default=None
        Threads over samples; the answer does not depend on it.

    Returns
    -------
    LabelScoreIntervals
        One row for each feature of `ranking`, one column for each class.

    Notes
    -----
    The intervals are for these features and these cut points. Both were chosen on the same rows
    because they did well there; on rows that took no part in the choice the intervals are honest.
    A weight counts as that many rows. Time grows with n_resamples * n_selected and the number of
    rows that differ; rows that S settles cost nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from deacs import encode
    >>> from deacs.information import label_score_intervals
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = np.c_[np.where(rng.random(200) < 0.9, y, 1 - y), rng.integers(0, 3, 200)]
    >>> found = label_score_intervals(encode(X, y), [0, 1], random_state=0)
    >>> found.low[:, 0] > 0
    array([ True, False])
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, got {confidence!r}; e.g. 0.95")
    if n_resamples < 2:
        raise InputError(f"n_resamples must be 2 or more, got {n_resamples!r}; e.g. 1000")
    features = named_features(list(ranking), data.feature_names, "ranking")
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    n_total = int(weights.sum())
    if n_total > MOST_ROWS:
        raise InputError(
            f"data must have whole weights, got a total of {n_total}, as fractions are coded; "
            "encode the table without them"
        )
    patterns, counts = _patterns(data, features, weights)
    steps = list(_steps(data, features, patterns, label_score))
    seeds = np.random.default_rng(random_state).integers(2**63, size=n_resamples)
    found = np.empty((n_resamples, len(features), data.n_classes))
    at_once = max(1, NUMBERS_AT_ONCE // len(patterns))

    def work(part: slice) -> None:
        for begin in range(part.start, part.stop, at_once):
            mine = slice(begin, min(begin + at_once, part.stop))
            generators = [np.random.default_rng(seed) for seed in seeds[mine]]
            drawn = np.array([g.multinomial(n_total, counts / n_total) for g in generators])
            for k, step in enumerate(steps):
                found[mine, k] = step.scores(drawn)

    map_blocks(work, n_resamples, n_jobs, NS_A_PATTERN * len(features) * len(patterns))
    estimate = np.concatenate([step.scores(counts[None]) for step in steps])
    chance = np.array([step.chance(counts) for step in steps])
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    spread = np.quantile(found - found.mean(axis=0), ends, axis=0)
    low, high = np.maximum(estimate - chance + spread, 0.0)
    return LabelScoreIntervals(estimate, chance, low, high)


def _patterns(
    data: CodedData, features: Sequence[int], weights: Integers
) -> tuple[NDArray[np.intp], Integers]:
    """Return one row of every kind, and how often each kind counts."""
    kinds = _Sums(data.labels, *(data.column(j) for j in features))
    return kinds.first, kinds(weights[None])[0]


def _steps(
    data: CodedData, features: Sequence[int], patterns: NDArray[np.intp], kind: LabelScore
) -> Iterator[_Step]:
    """Yield how the patterns stand at each step; those that S settles leave."""
    labels = data.labels[patterns]
    group = np.zeros(len(patterns), dtype=np.int64)
    counted = rows = np.arange(len(patterns))
    for feature in features:
        column = data.column(feature)[patterns]
        present = column != data.ignored(feature)
        counted, rows = counted[present[counted]], rows[present[rows]]
        yield _Step(labels, group, column, counted, rows, data.n_classes, kind)
        group = _Sums(group, column).owner
        # A group with one label adds nothing to any score for ever.
        n_labels = np.bincount(_Sums(group[rows], labels[rows]).keys[0], minlength=len(group))
        rows = rows[n_labels[group[rows]] > 1]


class _Step:
    """How rows stand when F is scored given S.

    Parameters
    ----------
    labels, groups, values : ndarray of int of shape (n_rows,)
        Every row's label, group of S, and value of F.
    counted, rows : ndarray of int
        Rows in which S and F are present; those of them that can tell something.
    n_labels, kind
        The number of labels, and which score.
    """

    def __init__(
        self,
        labels: NDArray[Any],
        groups: NDArray[Any],
        values: NDArray[Any],
        counted: NDArray[np.intp],
        rows: NDArray[np.intp],
        n_labels: int,
        kind: LabelScore,
    ) -> None:
        self._counted, self._rows, self._n_labels, self._kind = counted, rows, n_labels, kind
        self._counted_labels = _Sums(labels[counted])
        self._cells = _Sums(labels[rows], groups[rows], values[rows])
        label, group, value = self._cells.keys
        self._values, self._runs, self._labels = (
            _Sums(group, value),
            _Sums(label, group),
            _Sums(label),
        )
        self._run_labels, self._groups = (_Sums(key) for key in self._runs.keys)

    def scores(self, drawn: Integers) -> Floats:
        """Return the scores in every sample, shape (n_samples, n_labels)."""
        n_fi, n_f, n_i, n_g = self._counts(drawn)
        sums = np.zeros((len(drawn), self._n_labels))
        terms = _term(n_fi, n_f[:, self._values.owner], self._kind)
        base = _term(n_i, n_g[:, self._groups.owner], self._kind)
        sums[:, self._labels.keys[0]] = self._labels(terms) - self._run_labels(base)
        return np.maximum(sums / self._totals(drawn), 0.0)

    def chance(self, counts: Integers) -> Floats:
        """Return the expected scores if F were permuted within groups, shape (n_labels,)."""
        _, n_f, n_i, n_g = (table[0] for table in self._counts(counts[None]))
        # Every label of a group meets every value of that group.
        group_of_run = self._groups.owner
        group_of_value = np.searchsorted(self._groups.keys[0], self._values.keys[0])
        first = np.searchsorted(group_of_value, np.arange(len(n_g)))
        n_values = np.bincount(group_of_value, minlength=len(n_g))
        met = n_values[group_of_run]
        run = np.repeat(np.arange(len(n_i)), met)
        value = np.arange(len(run)) + np.repeat(first[group_of_run] - (np.cumsum(met) - met), met)
        means = _mean_terms(n_g[group_of_run][run], n_i[run], n_f[value], self._kind)
        label_of_run = self._runs.keys[0]
        base = _term(n_i, n_g[group_of_run], self._kind)
        sums = np.bincount(label_of_run[run], means, self._n_labels)
        sums -= np.bincount(label_of_run, base, self._n_labels)
        chance: Floats = np.maximum(sums / self._totals(counts[None])[0], 0.0)
        return chance

    def _counts(self, drawn: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return n_fi, n_f, n_i and n_g of what occurs, each of shape (n_samples, ...)."""
        n_fi = self._cells(drawn[:, self._rows])
        n_i = self._runs(n_fi)
        return n_fi, self._values(n_fi), n_i, self._groups(n_i)

    def _totals(self, drawn: Integers) -> Integers:
        """Return how many rows a score is a mean of: all that count, or those of each label."""
        by_label = np.zeros((len(drawn), self._n_labels), dtype=np.int64)
        by_label[:, self._counted_labels.keys[0]] = self._counted_labels(drawn[:, self._counted])
        if self._kind == "one-vs-rest":
            by_label = by_label.sum(axis=1, keepdims=True)
        return np.maximum(by_label, 1)


class _Sums:
    """Sums over entries with equal keys, in every row of a matrix.

    Attributes
    ----------
    keys : list of ndarray
        The keys of each sum, ascending.
    owner : ndarray
        Which sum each entry belongs to.
    first : ndarray
        The first entry of each sum.
    """

    def __init__(self, *keys: NDArray[Any]) -> None:
        self.owner, n_sums = joint_codes(keys, len(keys[0]))
        self._order = np.argsort(self.owner, kind="stable")
        self._starts = np.searchsorted(self.owner[self._order], np.arange(n_sums))
        self.first = self._order[self._starts]
        self.keys = [key[self.first].astype(np.int64) for key in keys]

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        if len(self.first) == 0:
            return values[:, :0]
        return np.asarray(np.add.reduceat(values[:, self._order], self._starts, axis=1))


def _mean_terms(n_g: Integers, n_i: Integers, n_f: Integers, kind: LabelScore) -> Floats:
    """Return the mean terms of n_f rows drawn from n_g, of which n_i have the label."""
    from scipy.special import gammaln

    triples, place = np.unique(np.stack([n_g, n_i, n_f]), axis=1, return_inverse=True)
    n, k, m = triples
    lowest, highest = np.maximum(0, k + m - n), np.minimum(k, m)
    sizes = highest - lowest + 1
    owner = np.repeat(np.arange(len(n)), sizes)
    starts = np.cumsum(sizes) - sizes
    h = np.arange(len(owner)) - np.repeat(starts - lowest, sizes)

    def log_choose(a: Integers, b: Integers) -> Floats:
        chosen: Floats = gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1)
        return chosen

    log_p = log_choose(k[owner], h) + log_choose((n - k)[owner], m[owner] - h)
    log_p -= log_choose(n, m)[owner]
    means = np.bincount(owner, np.exp(log_p) * _term(h, m[owner], kind), len(n))
    return np.asarray(means[place.ravel()])


def _term(inside: Integers, of: Integers, kind: LabelScore) -> Floats:
    """What a cell of `of` rows adds, `inside` of them with the label; DESIGN's X(n) in floats."""
    if kind == "divergence":
        return _x(inside) - inside * np.log2(np.maximum(of, 1))
    return _x(inside) + _x(of - inside) - _x(of)


def _x(n: Integers) -> Floats:
    return np.asarray(n * np.log2(np.maximum(n, 1)))
