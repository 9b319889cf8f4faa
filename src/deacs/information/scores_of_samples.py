r"""Label scores of many samples of the same rows, and their expectation by chance.

With :math:`X(n) = n \log_2 n` and the counts of a sample,

.. math:: N R_i = \sum_{g, f} [X(n_{fi}) + X(n_f - n_{fi}) - X(n_f)]
                - \sum_g [X(n_i) + X(n_g - n_i) - X(n_g)],

in floats, since samples differ by more than rounding errors. The expectation by chance takes the
mean of each term over all permutations of F within the groups, :math:`n_{fi}` being hypergeometric.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.information.counting import LabelScore
from deacs.information.joint import joint_codes

__all__ = ["ScoresOfSamples", "Sums"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class ScoresOfSamples:
    """Rows grouped to score F given S.

    `labels`, `groups` and `values` are the label, the group of S and the value of F of each row;
    `counted` the rows in which S and F are present, `rows` those of them whose class S does not
    determine.
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
        self._counted_labels = Sums(labels[counted])
        self._cells = Sums(labels[rows], groups[rows], values[rows])
        label, group, value = self._cells.keys
        self._values, self._runs, self._labels = (
            Sums(group, value),
            Sums(label, group),
            Sums(label),
        )
        self._run_labels, self._groups = (Sums(key) for key in self._runs.keys)

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
        """Return the number of rows that a score averages: all that count, or those of a label."""
        by_label = np.zeros((len(drawn), self._n_labels), dtype=np.int64)
        by_label[:, self._counted_labels.keys[0]] = self._counted_labels(drawn[:, self._counted])
        if self._kind == "one-vs-rest":
            by_label = by_label.sum(axis=1, keepdims=True)
        return np.maximum(by_label, 1)


class Sums:
    """Sums over entries with equal keys, in every row of a matrix.

    `keys` are those of each sum, ascending; `owner` is the sum to which each entry belongs, `first`
    the first entry of each sum.
    """

    def __init__(self, *keys: NDArray[Any]) -> None:
        self.owner, n_sums = joint_codes(keys, len(keys[0]))
        self._order = np.argsort(self.owner, kind="stable")
        self._starts = np.searchsorted(self.owner[self._order], np.arange(n_sums))
        self.first = self._order[self._starts]
        self.keys = [key[self.first].astype(np.int64) for key in keys]

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the sums in every row, shape (n_rows, n_sums)."""
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
    """Return the term of a cell of `of` rows, `inside` of them with the label."""
    if kind == "divergence":
        return _x(inside) - inside * np.log2(np.maximum(of, 1))
    return _x(inside) + _x(of - inside) - _x(of)


def _x(n: Integers) -> Floats:
    """X(n) = n log2 n."""
    return np.asarray(n * np.log2(np.maximum(n, 1)))
