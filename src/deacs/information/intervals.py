r"""Bootstrap confidence intervals for label scores :math:`R(F; c_i | S)`.

The plug-in estimate :math:`\hat R` is too large, by about its expectation :math:`E` over all
permutations of F within the groups of S, which is a sum of hypergeometric means. A bootstrap
sample, rows drawn with replacement, is too large again, so its percentiles are wrong twice. The
interval takes only the spread from the bootstrap,

.. math:: \bigl[\hat R - E + q_{\alpha/2}(R^* - \bar R^*),\;
                \hat R - E + q_{1-\alpha/2}(R^* - \bar R^*)\bigr], \quad \text{not below } 0,

with S fixed. B. Efron, R. J. Tibshirani, "An introduction to the bootstrap" (1993); the
expectation: N. X. Vinh, J. Epps, J. Bailey, "Information theoretic measures for clusterings
comparison", JMLR 11 (2010) 2837-2854.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, named_features
from deacs.exceptions import InputError, Parameter
from deacs.information.counting import LabelScore
from deacs.information.scores_of_samples import ScoresOfSamples, Sums
from deacs.kernels.threads import map_blocks

__all__ = ["LabelScoreIntervals", "label_score_intervals"]

MOST_ROWS = 1 << 29
"""The most rows that are drawn one by one, at a fifth of a microsecond each."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

NUMBERS_AT_ONCE = 1 << 18
NS_A_PATTERN = 50.0
"""Approximate cost of a pattern of values per sample and step."""


@dataclass(frozen=True, eq=False)
class LabelScoreIntervals:
    """Label scores of selected features with their intervals, in bits.

    Attributes
    ----------
    estimate : ndarray of shape (n_selected, n_classes)
        The plug-in estimates, `DEACS.label_scores_`.
    chance : ndarray of shape (n_selected, n_classes)
        Their expectation if the feature were independent of the label.
    low, high : ndarray of shape (n_selected, n_classes)
        The ends of the intervals. If `low` is 0, the feature may be independent of the label.
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
    """Return intervals for R(F; c_i | S), with S the features ranked before F.

    Parameters
    ----------
    data : CodedData
        The rows; see `deacs.encode`.
    ranking : names or indices of features
        In the order of their selection, e.g. `selector.ranking_`.
    label_score : {"one-vs-rest", "divergence"}, default="one-vs-rest"
        The kind of score; see `DEACS`.
    n_resamples : int, default=1000
        The number of bootstrap samples.
    confidence : float, default=0.95
        The nominal coverage of each interval.
    random_state : int, numpy.random.Generator or None, default=None
        Draws the samples.
    n_jobs : int or None, default=None
        Threads over samples; the result does not depend on it.

    Returns
    -------
    LabelScoreIntervals
        One row for each feature of `ranking`, one column for each class.

    Notes
    -----
    The intervals are for these features and these cut points. Both were chosen on the same rows
    because they did well there; only on held-out rows are the intervals unbiased by the choice.
    A weight counts as that many rows. Time grows with n_resamples * n_selected and the number of
    distinct rows; rows whose class S determines take no time.

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
    if label_score not in get_args(LabelScore):
        raise InputError(
            Parameter("label_score"),
            f" must be one of {', '.join(get_args(LabelScore))}, got {label_score!r}",
            accepted=get_args(LabelScore),
        )
    if not isinstance(data, CodedData):
        raise InputError(
            f"data must be CodedData, got {type(data).__name__}; code the table by deacs.encode"
        )
    features = named_features(list(ranking), data.feature_names, "ranking")
    if not features:
        raise InputError(Parameter("ranking"), " must name at least one feature, got none")
    if data.membership is not None:
        raise InputError(
            f"data must have one class in each row, got {data.about.kind}; intervals of outputs "
            "that share rows are not available"
        )
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    n_total = int(weights.sum())
    if not data.weights_are_counts:
        raise InputError(
            "data must have whole weights, got weights with fractions; encode the table without "
            "them"
        )
    if n_total >= MOST_ROWS:
        raise InputError(
            f"data must stand for fewer than {MOST_ROWS} rows, got {n_total}, each of which would "
            "be drawn; divide the weights, or encode the table without them"
        )
    patterns, counts = _patterns(data, features, weights)
    steps = list(_steps(data, features, patterns, label_score))
    seeds = np.random.default_rng(random_state).integers(2**63, size=n_resamples)
    found = _resampled(steps, counts, seeds, data.n_classes, n_jobs)
    estimate = np.concatenate([step.scores(counts[None]) for step in steps])
    chance = np.array([step.chance(counts) for step in steps])
    ends = [(1 - confidence) / 2, (1 + confidence) / 2]
    spread = np.quantile(found - found.mean(axis=0), ends, axis=0)
    low, high = np.maximum(estimate - chance + spread, 0.0)
    return LabelScoreIntervals(estimate, chance, low, high)


def _resampled(
    steps: Sequence[ScoresOfSamples],
    counts: Integers,
    seeds: Integers,
    n_classes: int,
    n_jobs: int | None,
) -> Floats:
    """Return the scores of bootstrap samples, shape (n_resamples, n_steps, n_classes)."""
    found = np.empty((len(seeds), len(steps), n_classes))
    at_once = max(1, NUMBERS_AT_ONCE // len(counts))
    n_total = counts.sum()

    def work(part: slice) -> None:
        for begin in range(part.start, part.stop, at_once):
            mine = slice(begin, min(begin + at_once, part.stop))
            generators = [np.random.default_rng(seed) for seed in seeds[mine]]
            drawn = np.array([g.multinomial(n_total, counts / n_total) for g in generators])
            for k, step in enumerate(steps):
                found[mine, k] = step.scores(drawn)

    map_blocks(work, len(seeds), n_jobs, NS_A_PATTERN * len(steps) * len(counts))
    return found


def _patterns(
    data: CodedData, features: Sequence[int], weights: Integers
) -> tuple[NDArray[np.intp], Integers]:
    """Return one row of every distinct kind, and the weight of each."""
    columns = [data.column(j) for j in features]
    kinds = Sums(data.labels, *columns)
    return kinds.first, kinds(weights[None])[0]


def _steps(
    data: CodedData, features: Sequence[int], patterns: NDArray[np.intp], kind: LabelScore
) -> Iterator[ScoresOfSamples]:
    """Yield the groups of the patterns at each step, without those whose class S determines."""
    labels = data.labels[patterns]
    group = np.zeros(len(patterns), dtype=np.int64)
    counted = rows = np.arange(len(patterns))
    for feature in features:
        column = data.column(feature)[patterns]
        present = column != data.ignored(feature)
        counted, rows = counted[present[counted]], rows[present[rows]]
        yield ScoresOfSamples(labels, group, column, counted, rows, data.n_classes, kind)
        group = Sums(group, column).owner
        # A group with one label adds nothing to any later score.
        n_labels = np.bincount(Sums(group[rows], labels[rows]).keys[0], minlength=len(group))
        rows = rows[n_labels[group[rows]] > 1]
