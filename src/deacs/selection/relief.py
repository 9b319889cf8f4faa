r"""The Relief family: features that differ between near rows of different classes, not one.

ReliefF: with the :math:`k` nearest rows of a row :math:`R` in its own class, the hits :math:`H`,
and in each other class :math:`c`, the misses :math:`M(c)`, the weight of a feature :math:`F` is

.. math::

    W(F) = \frac{1}{m} \sum_R \Bigl[ -\frac{1}{k} \sum_{H} \mathrm{diff}_F(R, H)
    + \sum_{c \ne c(R)} \frac{P(c)}{1 - P(c(R))} \frac{1}{k} \sum_{M(c)} \mathrm{diff}_F(R, M)
    \Bigr]

RReliefF: with :math:`N_C` the mean difference of a numeric target between a row and its :math:`k`
nearest rows, :math:`N_F` that of feature :math:`F`, and :math:`N_{CF}` the mean of their product,

.. math:: W(F) = \frac{N_{CF}}{N_C} - \frac{a\,(N_F - N_{CF})}{1 - a\,N_C},

where :math:`a` is the total influence of a row's neighbours: 1 in the paper, 1/5 in Orange.

MultiSURF: a row is near :math:`R` if its distance is below :math:`\mu_R - \sigma_R / 2`, the mean
and the standard deviation of the distances of :math:`R` from all other rows; of :math:`K` classes,

.. math::

    W(F) = \frac{1}{n} \sum_R \Bigl[ -\frac{1}{|H|} \sum_{H} \mathrm{diff}_F(R, H)
    + \sum_{c} (K - 1) \frac{|M(c)|}{|M|^2} \sum_{M(c)} \mathrm{diff}_F(R, M) \Bigr].

I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", ECML 1994, 171-182;
M. Robnik-Šikonja, I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF",
Machine Learning 53 (2003) 23-69; R. J. Urbanowicz, R. S. Olson, P. Schmitt, M. Meeker, J. H. Moore,
"Benchmarking relief-based feature selection methods for bioinformatics data mining", Journal of
Biomedical Informatics 85 (2018) 168-188.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from deacs._kernels import neighbours
from deacs._kernels.threads import map_blocks
from deacs.coding import CodedData, CodedTable
from deacs.coding.copies import copies_note
from deacs.coding.encode import encode_table
from deacs.coding.kinds import discrete_mask
from deacs.coding.notes import declared_in, warn_of
from deacs.exceptions import InputError, Note, Parameter, TableWarning
from deacs.selection._base import BaseSelector, ranked_path
from deacs.selection._points import Instances, as_numbers, by_value, from_codes, to_unit_range
from deacs.selection.loop import Path
from deacs.selection.notes import table_notes
from deacs.selection.options import is_number, is_whole
from deacs.selection.source import Source
from deacs.selection.stopping import included_features, n_features_wanted
from deacs.tables import (
    Labels,
    Table,
    Target,
    TargetOption,
    in_memory,
    read_columns,
    read_labels,
)
from deacs.tables.targets import above_least

__all__ = ["InstanceSelector", "MultiSURF", "RReliefF", "ReliefF"]

NS_A_BYTE = 0.05
"""Approximate cost per row, feature and query, for dividing work among threads."""
NS_A_DIFFERENCE = 0.3
"""Approximate cost per row, feature and neighbour, for dividing work among threads."""
MOST_NOTED = 100
"""How many of the first features are looked at for leaks."""
TIED = 1e-12
"""Weights this close are equal; the lower column comes first."""


class InstanceOptions(TypedDict, total=False):
    """The keyword parameters that the whole Relief family shares."""

    include: Sequence[str | int] | None
    discrete_features: Any
    n_jobs: int | None


class SampledOptions(InstanceOptions, total=False):
    """The same, with those that draw rows."""

    n_samples: float | None
    random_state: Any


class InstanceSelector(BaseSelector):
    """A selector of the Relief family: it weighs features by differences of neighbouring rows.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, or a share in (0, 1]; None ranks them all.
    include : list of names or indices, optional
        Features to rank first, in this order.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`. Discrete values are equal or not, numbers
        differ by their distance as a share of the column's range.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (n_features_in_,)
        W(F) of every column.
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices, the largest weight first; weights within 1e-12 are equal, and the lower
        column comes first.
    scores_ : ndarray of shape (n_selected,)
        The weights of the ranked columns.
    notes_ : list of str
        Caveats that a careful reader should know.
    stop_reason_ : {"n_features_to_select", "exhausted"}
        Why the ranking ended; "exhausted" if all features are ranked.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; not with a numeric target.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.
    """

    target: ClassVar[TargetOption] = "classes"
    """The kind of target; the same for all selectors of a class."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_features_to_select": [Integral, Real, None],
        "include": ["array-like", str, Integral, None],
        "discrete_features": ["array-like", str, "boolean"],
        "n_jobs": [Integral, None],
    }
    _shares_options = True

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        include: Sequence[str | int] | None = None,
        discrete_features: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.discrete_features = discrete_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Weigh and rank the features.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        """
        self._validate_params()
        source, instances = self._read_instances(X, y)
        self.weights_ = self._weigh(instances)
        path = self._ranked(source)
        path.notes = instances.notes(path.ranking)
        self.result_ = self._result(source, path)
        known = X.notes if isinstance(X, CodedData) else ()
        warn_of(note for note in path.notes if note not in known)
        return self

    @abstractmethod
    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        """Return a weight for each feature."""

    def _read_instances(self, X: Any, y: Any) -> tuple[Source, Instances]:
        """Begin `fit`: turn the table into points, and store names and classes."""
        if isinstance(X, CodedTable) and not isinstance(X, CodedData):
            raise InputError(
                f"{type(self).__name__} measures distances between rows in memory, got "
                f"{type(X).__name__}; use store.to_memory(), or a selector that counts"
            )
        target = None
        if isinstance(X, CodedData):
            if self.target == "numbers":
                raise InputError(
                    f"{type(self).__name__} measures how far targets are apart, and CodedData has "
                    "their intervals only; pass the table itself"
                )
            self._name_as(X, y=y)
            if X.weights is not None:
                raise InputError(
                    f"{type(self).__name__} counts every row once, but this CodedData has "
                    "weights; encode the table without ",
                    Parameter("sample_weight"),
                )
            coded = [from_codes(X, j) for j in range(X.n_features)]
            notes: Any = partial(table_notes, X)
            labels, names = Labels(X.labels, X.classes), list(X.feature_names)
        else:
            X = in_memory(X)
            self._require_target(X, y)
            table = read_columns(X)
            names = table.names
            labels = read_labels(y, table.n_rows, self.target)
            target = labels.numbers
            discrete = discrete_mask(table, self.discrete_features)
            declared = declared_in(self.discrete_features, names)
            coded = [
                by_value(column) if is_discrete else as_numbers(column)
                for column, is_discrete in zip(table.columns, discrete, strict=True)
            ]
            validate_data(self, X, y, skip_check_array=True)
            notes = partial(_notes, table, labels, discrete, declared)
        # Distances need the number itself, so there are no thresholds to name.
        about = labels.target if target is None else Target("numbers", np.empty(0))
        if isinstance(X, CodedData):
            rows: dict[str, Any] = {"coded": X}
        else:
            coding = {"discrete_features": self.discrete_features, "target": self.target}
            rows = {"X": X, "y": y, "coding": coding}
        source = self._source(X, names, about, **rows)
        columns = np.array([column for column, _ in coded])
        n_values = np.array([n for _, n in coded], dtype=np.int64)
        columns[n_values < 0] = to_unit_range(columns[n_values < 0])
        scaled = None if target is None else to_unit_range(above_least(target)[np.newaxis])[0]
        codes = labels.codes if target is None else np.zeros_like(labels.codes)
        return source, Instances(columns, n_values, codes, int(codes.max()) + 1, scaled, notes)

    def _ranked(self, source: Source) -> Path:
        """Rank the features by weight."""
        weights = self.weights_
        n_wanted = n_features_wanted(self.n_features_to_select, len(weights))
        order = np.argsort(-weights, kind="stable")
        fresh = np.diff(weights[order], prepend=np.inf) < -TIED
        ranking = order[np.lexsort((order, np.cumsum(fresh)))]
        included = included_features(self.include, source.names, n_wanted)
        ranking = np.array([*included, *ranking[~np.isin(ranking, included)]], dtype=np.int64)
        stop_reason = "exhausted" if n_wanted is None else "n_features_to_select"
        return ranked_path(ranking[:n_wanted], weights[ranking[:n_wanted]], stop_reason)


class SampledSelector(InstanceSelector):
    """A selector that seeks the neighbours of all rows, or of a sample of them."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InstanceSelector._parameter_constraints,
        "n_samples": [Real, None],
        "random_state": ["random_state"],
    }
    _shares_options = True

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_samples: float | None = None,
        random_state: Any = None,
        **options: Unpack[InstanceOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.n_samples = n_samples
        self.random_state = random_state

    def _sampled(self, n_rows: int) -> NDArray[np.int64]:
        """Draw rows by `n_samples`: None is all rows, an int their number, a float their share."""
        given = self.n_samples
        if given is None:
            return np.arange(n_rows)
        wanted = 0
        if is_whole(given):
            wanted = int(given)
        elif is_number(given) and 0 < given <= 1:
            wanted = max(1, int(float(given) * n_rows))
        if not 1 <= wanted <= n_rows:
            raise InputError(
                f"n_samples must be None, an int between 1 and {n_rows} (the number of rows) or a "
                f"float in (0, 1], got {given!r}"
            )
        return np.sort(check_random_state(self.random_state).choice(n_rows, wanted, replace=False))


class ReliefF(SampledSelector):
    """Rank features by how well they separate neighbouring rows of different classes.

    Parameters
    ----------
    n_neighbors : int, default=10
        k, the neighbours of a row in each class; a smaller class contributes all its rows.
    n_samples : int, float or None, default=None
        m, the rows whose neighbours are sought: a number, or a share in (0, 1]; None: all of them.
        They are drawn without replacement; the neighbours may be any rows.
    random_state : int, RandomState or None, default=None
        The seed for drawing rows if `n_samples` is given.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.
    `weights_` lie between -1 and 1.

    Notes
    -----
    Equals Weka's `ReliefFAttributeEval` with all rows, including ties among neighbours: rows are
    visited in order, and a strictly nearer row replaces the first of the farthest of k. A missing
    number differs from a number by as much as any number can; two missing numbers by 1; a missing
    nominal value by 1 - 1 / (number of values). `CodedData` is read as nominal.

    Time grows with n_samples * n_rows * n_features, memory with n_rows * n_features. See
    docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import ReliefF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = ReliefF(n_features_to_select=3).fit(X, y)
    >>> selector.selected_names_
    ['od280/od315_of_diluted_wines', 'flavanoids', 'proline']
    >>> selector.transform(X).shape
    (178, 3)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SampledSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int = 10,
        **options: Unpack[SampledOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.n_neighbors = n_neighbors

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = self._sampled(len(instances.labels))
        # Every class is a group of neighbours.
        groups = np.tile(np.arange(instances.n_classes), (instances.n_classes, 1))
        priors = np.bincount(instances.labels) / len(instances.labels)
        gains = priors / (1.0 - priors[:, None])
        np.fill_diagonal(gains, -1.0)
        return _nearest_weights(instances, rows, groups, gains, self.n_neighbors, self.n_jobs)


class RReliefF(SampledSelector):
    """Rank features by how well they separate neighbouring rows whose numeric targets differ.

    Parameters
    ----------
    n_neighbors : int, default=50
        k, the neighbours of a row; a smaller table contributes all its rows.
    influence : float, default=0.2
        The total weight of a row's neighbours: 0.2 is Orange's choice, 1.0 the paper's. The smaller
        it is, the less a feature is penalised for differing if the target does not; columns
        spread evenly over their range then rank high, informative or not.
    n_samples, random_state
        The rows whose neighbours are sought, and the seed for drawing them; see `ReliefF`.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.
    `weights_` lie between -1 and 1.

    Notes
    -----
    Equals Orange's `RReliefF` if all rows are used, no value is missing and no two rows are equal;
    as there, among rows equally far away the later ones count as nearer. Differences of features
    are those of `ReliefF`; the difference of two targets is a share of their range. See
    docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from deacs import RReliefF
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> RReliefF(n_features_to_select=3, influence=1.0).fit(X, y).selected_names_
    ['bmi', 's5', 'bp']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SampledSelector._parameter_constraints,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "influence": [Interval(Real, 0, 1, closed="right")],
    }
    target: ClassVar[TargetOption] = "numbers"

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        n_neighbors: int = 50,
        influence: float = 0.2,
        **options: Unpack[SampledOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.n_neighbors = n_neighbors
        self.influence = influence

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = self._sampled(len(instances.labels))
        of_target, of_features, of_both = _nearest_differences(
            instances, rows, self.n_neighbors, self.n_jobs
        )
        # Where no neighbour's target differs, or all of them do by the whole range, one side is
        # a mean over nothing.
        a = self.influence
        here = of_both / of_target if of_target > 0 else np.zeros_like(of_both)
        rest = 1.0 - a * of_target
        elsewhere = a * (of_features - of_both) / rest if rest > 0 else np.zeros_like(of_both)
        return np.asarray(here - elsewhere)


class MultiSURF(InstanceSelector):
    """Rank features by differences from all rows closer than average; nothing to tune.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.

    Notes
    -----
    Equals skrebate's `MultiSURF` on tables without missing values, given the same kinds of
    columns. As there, a table with both kinds of columns has two rules of its own: in a distance
    the share of unequal discrete features counts as much as all features together, and in a weight
    a difference of numbers above the column's standard deviation counts as 1. Missing values count
    as in `ReliefF`. A distance within 1e-12 of the threshold is not near.

    Time grows with n_rows**2 * n_features, memory with n_rows * n_features. See
    docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import MultiSURF
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> MultiSURF(n_features_to_select=3).fit(X, y).selected_names_
    ['proline', 'alcohol', 'color_intensity']
    """

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        return _near_weights(instances, self.n_jobs)


def _nearest_weights(
    instances: Instances,
    rows: NDArray[np.int64],
    groups: NDArray[np.int64],
    gains: NDArray[np.float64],
    n_neighbors: int,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return each feature's mean over `rows` of gains times mean differences from neighbours.

    For a row of class c, `groups[c, d]` is the group of rows of class d, and `gains[c, g]` the
    weight of the mean difference from its `n_neighbors` nearest rows of group g.
    """
    n_features, n_rows = instances.columns.shape
    points, sketch = instances.points(), instances.sketch()
    k = min(n_neighbors, n_rows - 1)
    weights = np.zeros((-(-len(rows) // neighbours.BLOCK_ROWS), n_features))

    def work(part: slice) -> None:
        where = instances.labels, groups, gains, points, sketch
        neighbours.add_nearest(part.start, part.stop, rows, *where, k, weights)

    map_blocks(work, len(weights), n_jobs, NS_A_BYTE * neighbours.BLOCK_ROWS * n_rows * n_features)
    return np.asarray(weights.sum(axis=0) / len(rows))


def _nearest_differences(
    instances: Instances,
    rows: NDArray[np.int64],
    n_neighbors: int,
    n_jobs: int | None,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return mean differences of `rows` from their nearest rows: in the target, features and both.

    The last is the mean product of the two. Among rows equally far away, later ones count first.
    """
    n_features, n_rows = instances.columns.shape
    points, sketch = instances.points(), instances.sketch()
    target = instances.target
    assert target is not None
    k, n_blocks = min(n_neighbors, n_rows - 1), -(-len(rows) // neighbours.BLOCK_ROWS)
    of_target = np.zeros(n_blocks)
    of_features, of_both = np.zeros((2, n_blocks, n_features))

    def work(part: slice) -> None:
        means = of_target, of_features, of_both
        neighbours.add_nearest_of_numbers(
            part.start, part.stop, rows, target, points, sketch, k, *means
        )

    map_blocks(work, n_blocks, n_jobs, NS_A_BYTE * neighbours.BLOCK_ROWS * n_rows * n_features)
    n = len(rows)
    return of_target.sum() / n, of_features.sum(axis=0) / n, of_both.sum(axis=0) / n


def _near_weights(instances: Instances, n_jobs: int | None) -> NDArray[np.float64]:
    n_features, n_rows = instances.columns.shape
    scales, ramps = _rules_of_mixed_tables(instances)
    points = instances.points(ramps)
    weights = np.zeros((-(-n_rows // neighbours.NEAR_ROWS), n_features))

    def work(part: slice) -> None:
        how = instances.labels, instances.n_classes, instances.columns, scales, points
        neighbours.add_near(part.start, part.stop, *how, weights)

    map_blocks(
        work, len(weights), n_jobs, NS_A_DIFFERENCE * neighbours.NEAR_ROWS * n_rows * n_features
    )
    return np.asarray(weights.sum(axis=0) / n_rows)


def _rules_of_mixed_tables(
    instances: Instances,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return what a difference counts in a distance, and above what it counts as 1 in a weight."""
    numeric = instances.numeric
    if numeric.all() or not numeric.any():
        return np.ones(len(numeric)), None
    scales = np.where(numeric, 1.0, len(numeric) / (~numeric).sum())
    ramps = np.full(len(numeric), np.inf)
    for j in np.flatnonzero(numeric):
        known = instances.columns[j][~np.isnan(instances.columns[j])]
        ramps[j] = known.std() if len(known) else np.inf
    return scales, ramps


def _notes(
    table: Table,
    labels: Labels,
    discrete: NDArray[np.bool_],
    declared: Collection[str],
    ranking: NDArray[np.int64],
) -> list[Note]:
    """Return notes on the first features of a ranking and all columns of text, coded for that."""
    text = [j for j, column in enumerate(table.columns) if column.kind == "nominal"]
    chosen = list(dict.fromkeys([*ranking[:MOST_NOTED].tolist(), *text]))
    columns = Table(tuple(table.columns[j] for j in chosen), table.n_rows)
    with warnings.catch_warnings(action="ignore", category=TableWarning):  # the selector warns
        data = encode_table(columns, labels, discrete=discrete[chosen], declared=declared)
        by_value = encode_table(table, labels, discrete=np.ones(len(table.columns), dtype=bool))
    copies = copies_note(by_value)
    ranked = [k for k, j in enumerate(chosen) if j in set(ranking.tolist())]
    notes = table_notes(data, ranked, n_features=len(table.columns))
    return notes if copies is None else [*notes, copies]
