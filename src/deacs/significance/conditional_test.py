r"""Test candidates for dependence on the class, given a grouping of the rows.

Null hypothesis: labels are exchangeable within groups. The level :math:`\alpha` is for all
candidates together: it bounds the probability that any candidate that is independent of the class
given the groups passes. Each of m candidates has an equal share of it. There are three kinds:

* *large* tables of fixed codes by the G-test, Bonferroni over m;
* *small* tables of fixed codes by shuffling labels within groups, against the largest score of all
  such candidates (P. H. Westfall, S. S. Young, "Resampling-based multiple testing", Wiley 1993);
* columns *cut* using the classes likewise, with new cut points in each shuffle: noise that may
  choose its cut points looks like a signal.

Half of the level goes to these tests. A hundredth goes to a bound that holds for any counts
(`deacs.significance.chance.log_stratified_bound`), by values or, of cut columns, by ranks: what
passes it needs no shuffling. The rest is a reserve: chi-square is an approximation, and the groups
were chosen by looking at the same rows.

*The statistic* is :math:`G = 2 N \ln 2 \cdot I(F; C | S)`. Under independence, and given the
margins of the tables (one of V values and K labels for each group of S), G is about chi-square with
:math:`\sum_g (V_g - 1)(K_g - 1)` degrees of freedom where counts are large; divided by the factor
of D. A. Williams (Biometrika 63 (1976) 33-37), more exactly so.

*Shuffles* are as few as a decision needs. Under the null hypothesis, the observed score is one of
n + 1 in random order, so the number R of n shuffles that reach it is at most r with probability
:math:`(r + 1) / (n + 1)`. Two early decisions save most of the work. A score that none of the first
:math:`n_1` shuffles reaches is accepted at once; others need all n, and the p-value is the
probability of either event,

.. math:: p(r) = \frac{1}{n_1 + 1} + \frac{1}{n + 1} \sum_{j=0}^{r}
    \left[1 - \binom{n - n_1}{j} \Big/ \binom{n}{j}\right],

the quotient being the probability that j of n shuffles all come after the first :math:`n_1`. As
soon as too many have reached a score, it is rejected (J. Besag, P. Clifford, "Sequential Monte
Carlo p-values", Biometrika 78 (1991) 301-304). Both depend on the order of shuffles alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc

from deacs._kernels import shuffles
from deacs._kernels.fixed_point import fixed_point
from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock, CodedData
from deacs.counts import Conditioning
from deacs.counts.counting import columns_of, members_of
from deacs.significance.chance import log_stratified_bound

__all__ = [
    "TEST_SHARE",
    "ConditionalTest",
    "Design",
    "GroupedRows",
    "Margins",
    "NullScores",
    "PValue",
    "Strata",
    "g_test",
    "standard_score",
    "strata_of",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = NDArray[np.int32]
Mask = NDArray[np.bool_]

LARGE = 100.0
"""The least expected count at which chi-square is accurate enough, also far out in its tail."""
TEST_SHARE = 0.5
"""The share of the level that goes to the tests."""
BOUND_SHARE = 0.01
"""The share of the level that goes to the bound."""
MOST_SHUFFLES = 1_000_000
"""The most shuffles before the first look; smaller levels are left to the bound alone."""
N_BINS = 16
"""Parts of the rows between which the bound splits a cut column."""

CELLS_AT_ONCE = 1 << 23
"""Codes that are scored before checking whether the largest score is already enough."""
FIRST_SHUFFLES = 1024
"""Shuffles whose seeds are made at once, to begin with."""
NS_MARGINS, NS_MASKS = 8.0, 3.0
"""Approximate cost per row of a feature, for dividing work among threads."""

TIE = 1e-7
"""Scores this close are equal: the same G from other cells differs by rounding alone."""
EARLY, ALL = 1.5, 5.0
"""Shuffles expected to reach a score whose p-value is the level: at the first look, and in all."""
ROUNDING = 1e-12


class PValue(NamedTuple):
    """A p-value; `is_bound`: only known not to be larger, by a bound or for lack of shuffles."""

    value: float
    is_bound: bool = False


class ConditionalTest:
    """Tests of all candidates given one grouping of the rows.

    Parameters
    ----------
    rows : GroupedRows
        The rows of the table in groups. Columns that were cut with the help of the classes need
        the table's `recoder`.
    candidates : ndarray of int of shape (n,)
        The features to test.
    alpha : float
        The level, for all candidates together.
    n_shuffles : int or None
        How often labels are shuffled if all candidates are of one kind; a kind with half of the
        candidates is shuffled twice as often. None: as often as it takes to decide.
    seed : SeedSequence
        Of the shuffles.
    level : float, optional
        P-values above this are of no interest; default: alpha, which shuffles resolve.
    n_dropped : int, default=0
        Candidates that an earlier look at the same rows ruled out. They have their share of the
        level too: those that are left were chosen among all.

    Notes
    -----
    Which kind a candidate is depends on the margins of its table alone, or on how it was coded:
    nothing that a shuffle changes.
    """

    def __init__(
        self,
        rows: GroupedRows,
        candidates: Integers,
        alpha: float,
        n_shuffles: int | None,
        seed: np.random.SeedSequence,
        level: float | None = None,
        n_dropped: int = 0,
    ) -> None:
        self._level = alpha if level is None else level
        self._n_dropped = n_dropped
        self._rows = rows
        self._candidates = candidates
        self._alpha = alpha
        self._n_shuffles = n_shuffles
        self._seed = seed
        by_classes = np.array([f.by_classes for f in rows.data.features], dtype=bool)
        self._is_cut: Mask = by_classes[candidates]
        self._nulls: dict[bool, NullScores] = {}

    def measured(self, candidate: int) -> PValue:
        """Return the p-value of one candidate (by its place), adjusted for all of them.

        Labels are shuffled only if the bound is too large, and only until this one is decided.
        """
        if self._observed[0][candidate] <= 0:
            return PValue(1.0)
        if self._is_large[candidate]:
            p = self._n_tested * float(self.approximate[candidate])
            return PValue(min(p / TEST_SHARE, 1.0))
        bounded = self._bound(candidate)
        is_cut = bool(self._is_cut[candidate])
        n_alike = int((self._is_cut if is_cut else self._is_small).sum())
        level = self._alpha * TEST_SHARE * n_alike / self._n_tested
        is_out_of_reach = self._n_shuffles is None and level * MOST_SHUFFLES < EARLY
        if bounded <= self._alpha or is_out_of_reach:
            return PValue(bounded, is_bound=True)
        if is_cut not in self._nulls:
            self._nulls[is_cut] = self._shuffled(is_cut, level)
        null, score = self._nulls[is_cut], self._scores[candidate]
        p = null.p_value(score) * self._n_tested / n_alike
        return PValue(min(p / TEST_SHARE, 1.0), null.is_unreached(score))

    @cached_property
    def p_values(self) -> Floats:
        """The adjusted p-values of all candidates; 1 for those ranked below one that fails."""
        p = np.ones(len(self._candidates))
        for k in np.flatnonzero(self._is_large).tolist():
            p[k] = self.measured(k).value
        for kind in (self._is_small, self._is_cut):
            places = np.flatnonzero(kind)
            for k in places[np.argsort(-self._scores[places], kind="stable")].tolist():
                p[k] = self.measured(k).value
                if p[k] > self._level:
                    break  # nor are those with lower scores
        return p

    @cached_property
    def approximate(self) -> Floats:
        """Unadjusted p-values by chi-square; too small for columns cut using the classes."""
        return g_test(*self._observed)

    @cached_property
    def _observed(self) -> tuple[Floats, Margins]:
        """G and the margins of all candidates."""
        return self._rows.observed(self._candidates)

    @cached_property
    def _scores(self) -> Floats:
        return standard_score(self._observed[0], self._observed[1].freedom)

    @cached_property
    def _is_large(self) -> Mask:
        return np.asarray(self._is_free & (self._observed[1].least >= LARGE))

    @cached_property
    def _is_small(self) -> Mask:
        return np.asarray(self._is_free & (self._observed[1].least < LARGE))

    @cached_property
    def _is_free(self) -> Mask:
        """Whether a candidate has fixed codes and at least one degree of freedom."""
        return np.asarray(~self._is_cut & (self._observed[1].freedom > 0))

    @cached_property
    def _n_tested(self) -> int:
        return int((self._is_free | self._is_cut).sum()) + self._n_dropped

    def _bound(self, candidate: int) -> float:
        """Return the p-value of one candidate by the bound."""
        feature, ordered = int(self._candidates[candidate]), bool(self._is_cut[candidate])
        rows, data = self._rows, self._rows.data
        values = data.recoder.bins(feature, N_BINS) if ordered else data.column(feature)  # type: ignore[union-attr]
        there = rows.strata.rows
        if data.ignored(feature) >= 0:
            there = there[data.column(feature)[there] != data.ignored(feature)]
        log_p = log_stratified_bound(
            values[there], data.labels[there], rows.groups[there], ordered=ordered
        )
        return min(math.exp(log_p) * self._n_tested / BOUND_SHARE, 1.0)

    def _shuffled(self, is_cut: bool, level: float) -> NullScores:
        """Return the largest scores of the candidates of one kind under shuffled labels."""
        mine = self._is_cut if is_cut else self._is_small
        design = Design.for_level(level)
        if self._n_shuffles is not None:
            share = int(mine.sum()) / self._n_tested
            design = Design(level, math.ceil((self._n_shuffles + 1) / share) - 1)
        features, enough = self._candidates[mine], float(self._scores[mine].max())
        labels = self._rows.shuffled_labels(self._seed, design.n_all)
        largest = partial(self._rows.largest_score, features, is_cut, enough)
        return NullScores(map(largest, labels), design)


class Strata(NamedTuple):
    """Rows by group of S, without groups that have only one label."""

    rows: NDArray[np.int32]
    """Row numbers, ordered by group."""
    starts: NDArray[np.int64]
    """Where each group begins in `rows`; one more entry closes the last."""


def strata_of(groups: NDArray[np.integer[Any]], labels: Labels) -> Strata:
    """Order rows by group; leave out groups with one label, and rows of groups below 0."""
    rows = np.argsort(groups, kind="stable")[int((groups < 0).sum()) :]
    n_groups = int(groups.max(initial=-1)) + 1
    lowest = np.full(n_groups, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(n_groups, -1, dtype=np.int32)
    np.minimum.at(lowest, groups[rows], labels[rows])
    np.maximum.at(highest, groups[rows], labels[rows])
    rows = rows[(lowest < highest)[groups[rows]]]
    begins = np.flatnonzero(np.diff(groups[rows], prepend=-1))
    return Strata(rows.astype(np.int32), np.append(begins, len(rows)).astype(np.int64))


class Runs(NamedTuple):
    """The labels that each group has."""

    starts: Integers
    """The first run of each group; one more entry closes the last."""
    labels: Integers
    """The label of each run."""
    planes: Integers
    """Where the bit-plane of each run begins; one more entry closes the last."""


class Margins(NamedTuple):
    """Margins of the tables of some features; one number for each feature."""

    freedom: Floats
    """Degrees of freedom: the sum over groups of (V - 1)(K - 1), values and labels that occur."""
    excess: Floats
    """By how much the mean of G exceeds the degrees of freedom, to first order."""
    least: Floats
    """The least expected count of any cell."""


class GroupedRows:
    """A table whose rows are in groups, within which labels are exchangeable.

    Parameters
    ----------
    data : CodedData
        The table; every row counts once.
    groups : ndarray of int of shape (n_rows,)
        The group of each row; -1: the row is ignored.
    n_jobs : int or None
        Threads; no answer depends on it.
    """

    def __init__(self, data: CodedData, groups: Integers, n_jobs: int | None = None) -> None:
        self.data = data
        self.n_jobs = n_jobs
        self.groups = groups
        self._observed = np.full((1 + len(Margins._fields), data.n_features), np.nan)

    @cached_property
    def strata(self) -> Strata:
        """The rows whose labels are exchangeable."""
        return strata_of(self.groups, self.data.labels)

    def observed(self, features: Integers) -> tuple[Floats, Margins]:
        """Return G and the margins of some features under the labels as they are.

        Every feature is counted once, however often it is tested given these groups.
        """
        new = features[np.isnan(self._observed[0, features])]
        if len(new):
            statistics = self._statistics(self._conditioning, self.data.blocks, new)
            margins = self.margins(self.data.blocks, new, self.data.labels)
            self._observed[:, new] = statistics, *margins
        statistics, *found = self._observed[:, features]
        return statistics, Margins(*found)

    def margins(self, blocks: tuple[CodeBlock, ...], features: Integers, labels: Labels) -> Margins:
        """Return the margins of some features' tables."""
        found = np.zeros((len(features), len(Margins._fields)))
        for block in blocks:
            members, places = members_of(block, features)
            found[places] = self._margins(block, members, labels)
        return Margins(*found.T)

    def _margins(self, block: CodeBlock, members: Integers, labels: Labels) -> Floats:
        margins, n_labels = np.empty((len(members), len(Margins._fields))), self.data.n_classes

        def work(part: slice) -> None:
            columns = columns_of(block, members[part])
            shuffles.table_margins(columns, self.strata, labels, n_labels, margins[part])

        map_blocks(work, len(members), self.n_jobs, NS_MARGINS * max(len(self.strata.rows), 1))
        return margins

    def largest_score(
        self, features: Integers, is_cut: bool, enough: float, labels: Labels
    ) -> float:
        """Return the largest score of some features under other labels, or the first of `enough`.

        Columns that were cut with the help of the classes are cut again.
        """
        largest, at_once = -math.inf, max(1, CELLS_AT_ONCE // self.data.n_rows)
        for begin in range(0, len(features), at_once):
            some, blocks = features[begin : begin + at_once], self.data.blocks
            if is_cut:
                blocks = (self._cut_again(some, labels),)
                some = np.flatnonzero(blocks[0].n_values > 1 + (blocks[0].ignored >= 0))
            scores = self.scores(blocks, some, labels)
            largest = max(largest, float(scores.max(initial=-math.inf)))
            if largest >= enough:
                break
        return largest

    def _cut_again(self, features: Integers, labels: Labels) -> CodeBlock:
        recoder = self.data.recoder
        assert recoder is not None
        columns = recoder.columns_of(features)
        codes, n_values = recoder.codes(columns, labels, self.n_jobs)
        has_missing = recoder.order.n_present[columns] < self.data.n_rows
        ignored = np.where(has_missing & self.data.ignores_missing, n_values - 1, -1)
        return CodeBlock(np.arange(len(n_values)), codes, n_values, ignored)

    def scores(self, blocks: tuple[CodeBlock, ...], features: Integers, labels: Labels) -> Floats:
        """Return the standard scores of some features under labels shuffled within the groups."""
        statistics, freedom = np.zeros((2, len(features)))
        planes = np.empty(self._runs.planes[-1], dtype=np.uint64)
        shuffles.fill_label_planes(self.strata, self._runs, labels, self.data.n_classes, planes)
        for block in blocks:
            members, places = members_of(block, features)
            if block.codes.itemsize == 1 and (block.ignored < 0).all():
                statistics[places], freedom[places] = self._by_masks(block, members, planes)
            elif len(members):
                conditioning, some = self._conditioning.relabelled(labels), features[places]
                statistics[places] = self._statistics(conditioning, (block,), some)
                freedom[places] = self._margins(block, members, labels)[:, 0]
        return standard_score(statistics, freedom)

    def _by_masks(
        self, block: CodeBlock, members: Integers, planes: NDArray[np.uint64]
    ) -> tuple[Floats, Integers]:
        """Return G, up to rounding, and the degrees of freedom."""
        sums, freedom = np.empty((2, len(members)), dtype=np.int64)
        fixed = fixed_point(self.data.n_rows, self.data.n_classes)

        def work(part: slice) -> None:
            columns, how = columns_of(block, members[part]), (self.strata, self._runs, planes)
            shuffles.strata_sums(columns, *how, fixed, sums[part], freedom[part])

        map_blocks(work, len(members), self.n_jobs, NS_MASKS * max(len(self.strata.rows), 1))
        units = np.maximum(sums - self._conditioning.base_sums("joint"), 0)
        return 2 * math.log(2) * 2.0**-fixed.scale_bits * units, freedom

    def shuffled_labels(self, seed: np.random.SeedSequence, n: int) -> Iterator[Labels]:
        """Shuffle the labels within the groups, n times at most."""
        done = 0
        while done < n:  # few are mostly enough; a longer state begins with the shorter one
            words = seed.generate_state(min(max(2 * done, FIRST_SHUFFLES), n), np.uint64)
            for word in words[done:]:
                labels = self.data.labels.copy()
                shuffles.shuffle_within(self.strata, word, labels)
                yield labels
            done = len(words)

    @cached_property
    def _conditioning(self) -> Conditioning:
        conditioning = Conditioning(self.data.labels, self.data.n_classes)
        n_groups = int(self.groups.max(initial=0)) + 1
        if self.groups.min(initial=0) < 0:
            groups = np.where(self.groups < 0, n_groups, self.groups).astype(np.uint32)
            conditioning.add(groups, n_groups + 1, n_groups)
        elif n_groups > 1:
            conditioning.add(self.groups.astype(np.uint32), n_groups)
        return conditioning

    def _statistics(
        self, conditioning: Conditioning, blocks: tuple[CodeBlock, ...], features: Integers
    ) -> Floats:
        """Return G = 2 ln 2 N I(F; C | S) of some features."""
        bits = conditioning.scores(blocks, features, "joint", self.n_jobs)[:, 0]
        n_present = conditioning.present_counts(blocks, features, self.n_jobs).sum(axis=1)
        return np.asarray(2 * math.log(2) * n_present * bits)

    @cached_property
    def _runs(self) -> Runs:
        """The labels of each group, which no shuffle changes."""
        rows, starts = self.strata
        n_labels, sizes = self.data.n_classes, np.diff(starts)
        places = np.arange(len(sizes)).repeat(sizes) * n_labels + self.data.labels[rows]
        found = np.unique(places)
        n_words = (sizes + 63) // 64
        return Runs(
            np.searchsorted(found, np.arange(len(starts)) * n_labels),
            found % n_labels,
            np.append(0, np.cumsum(n_words[found // n_labels])),
        )


@dataclass(frozen=True)
class Design:
    """The number of shuffles, and when to decide early.

    Attributes
    ----------
    level : float
        Scores with a p-value up to here are significant.
    n_all : int
        The number of shuffles.
    n_early : int
        The shuffles before the first look; 0: there is none.
    """

    level: float
    n_all: int
    n_early: int = 0

    @classmethod
    def for_level(cls, level: float) -> Design:
        """Return the usual design: a first look after 1.5 / level shuffles, 5 / level in all."""
        return cls(level, math.ceil(ALL / level) - 1, math.ceil(EARLY / level) - 1)

    @cached_property
    def p_values(self) -> Floats:
        """The p-value where 0, 1, ... of all shuffles reach a score, up to the first too large."""
        n, n_later = self.n_all, self.n_all - self.n_early
        early = 1 / (self.n_early + 1) if self.n_early else 0.0
        later = 1.0 if self.n_early else 0.0
        measured, found = 0.0, []
        for r in range(n + 1):
            measured += 1 - later
            found.append(early + measured / (n + 1))
            if found[-1] > self.level * (1 + ROUNDING):
                break
            later *= max(n_later - r, 0) / max(n - r, 1)
        return np.array(found)

    @property
    def too_many(self) -> int:
        """The number of shuffles reaching a score from which it is not significant."""
        return len(self.p_values) - 1


class NullScores:
    """The largest scores that chance makes, one for each shuffle, drawn on demand."""

    def __init__(self, draws: Iterator[float], design: Design) -> None:
        self._draws = draws
        self._design = design
        self._drawn: list[float] = []

    def p_value(self, score: float) -> float:
        """Return the p-value of a score; of those above the level an estimate."""
        design = self._design
        n_reached = 0
        for n in range(design.n_all):
            if n == len(self._drawn):
                self._drawn.append(next(self._draws))
            n_reached += self._drawn[n] >= score - TIE
            if n + 1 == design.n_early and n_reached == 0:
                return 1 / (design.n_early + 1)
            if n_reached >= design.too_many:
                return max(n_reached / (n + 1), float(design.p_values[-1]))
        return float(design.p_values[n_reached])

    def is_unreached(self, score: float) -> bool:
        """Whether no shuffle so far has reached a score: its p-value is the least there is."""
        return all(drawn < score - TIE for drawn in self._drawn)


def g_test(statistic: Floats, margins: Margins) -> Floats:
    """Return the p-value of G by chi-square, with Williams' factor; 1 without any freedom."""
    freedom = np.maximum(margins.freedom, 1.0)
    p = gammaincc(freedom / 2, statistic / (1 + margins.excess / freedom) / 2)
    return np.where(margins.freedom > 0, p, 1.0)


def standard_score(statistic: Floats, freedom: Floats) -> Floats:
    """Put G with any degrees of freedom on one scale: about normal, by Wilson and Hilferty (1931).

    Ascends with G; -inf without any freedom.
    """
    spread = 2.0 / (9.0 * np.maximum(freedom, 1.0))
    score = (np.cbrt(statistic / np.maximum(freedom, 1.0)) - 1.0 + spread) / np.sqrt(spread)
    return np.where(freedom > 0, score, -math.inf)
