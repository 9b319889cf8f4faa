r"""Stability: how much a selector's selections agree across resamples.

With :math:`M` selections among :math:`d` features, :math:`\hat p_f` the share of selections that
contain feature :math:`f`, and :math:`\bar k` their mean size, Nogueira's measure is

.. math:: \hat\Phi = 1 - \frac{\frac{1}{d} \sum_f \frac{M}{M - 1} \hat p_f (1 - \hat p_f)}
          {\frac{\bar k}{d} (1 - \frac{\bar k}{d})},

which is 1 if all selections are equal and about 0 if they are random. For selections of equal size
it is Kuncheva's index, the mean over pairs of :math:`(r d - k^2) / (k d - k^2)` with :math:`r`
features in common.

S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", JMLR 18
(2018) 174, 1-54; L. I. Kuncheva, "A stability index for feature selection", AIA 2007, 390-395.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["Stability", "jaccard", "kuncheva", "nogueira", "resampled_selections", "stability"]

Selections = NDArray[np.bool_] | Sequence[Iterable[int]]


@dataclass(frozen=True)
class Stability:
    """Nogueira's measure with its asymptotic confidence interval.

    Attributes
    ----------
    value : float
        The estimate, from -1 / (M - 1) to 1; above 0.75 selections agree well, below 0.4 poorly
        (the benchmarks of Fleiss' kappa, which it equals).
    variance : float
        The variance of the estimate. To compare two selectors, divide the difference of their
        values by the root of the sum of their variances: a standard normal test statistic.
    low, high : float
        The ends of the interval.
    """

    value: float
    variance: float
    low: float
    high: float


def nogueira(
    selections: Selections, n_features: int | None = None, confidence: float = 0.95
) -> Stability:
    """Return Nogueira's measure; selections may differ in size.

    Parameters
    ----------
    selections : array of bool of shape (M, d), or M lists of column indices
        The features in each selection; M is 2 or more.
    n_features : int, optional
        d; needed if selections are lists.
    confidence : float, default=0.95
        The confidence level of the interval.

    Returns
    -------
    Stability
        NaN if all selections contain all features, or none.

    Examples
    --------
    >>> from deacs.experiments.stability import nogueira
    >>> nogueira([[0, 1], [1, 2], [0, 2]], n_features=3).value
    -0.5
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, got {confidence!r}; e.g. 0.95")
    Z = _matrix(selections, n_features).astype(np.float64)
    M, d = Z.shape
    p, k = Z.mean(axis=0), Z.sum(axis=1)
    share = p.mean()
    spread = share * (1 - share)
    if spread == 0:
        return Stability(*[float("nan")] * 4)
    value = 1 - M / (M - 1) * (p * (1 - p)).mean() / spread
    phi = Z @ p / d - share * k / d + value / 2 * (2 * share * k / d - k / d - share + 1)
    phi /= spread
    variance = 4 / M**2 * ((phi - phi.mean()) ** 2).sum()
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(variance)
    return Stability(float(value), float(variance), float(value - reach), float(value + reach))


def kuncheva(selections: Selections, n_features: int | None = None) -> float:
    """Return Kuncheva's index: the mean over pairs of (r d - k^2) / (k d - k^2).

    Parameters
    ----------
    selections : array of bool of shape (M, d), or M lists of column indices
        The features in each selection, k in every one; M is 2 or more.
    n_features : int, optional
        d; needed if selections are lists.

    Returns
    -------
    float
        From -1 to 1; NaN if k is 0 or d.

    Examples
    --------
    >>> from deacs.experiments.stability import kuncheva
    >>> round(kuncheva([[0, 1], [1, 2]], n_features=4), 3)
    0.0
    """
    Z = _matrix(selections, n_features).astype(np.float64)
    sizes = Z.sum(axis=1)
    k, d = sizes[0], Z.shape[1]
    if (sizes != k).any():
        raise InputError(
            f"selections must hold equally many features for Kuncheva's index, got from "
            f"{int(sizes.min())} to {int(sizes.max())}; nogueira() takes any sizes"
        )
    if k in (0, d):
        return float("nan")
    in_common = (Z @ Z.T)[np.triu_indices(len(Z), 1)]
    return float((in_common * d - k**2).mean() / (k * d - k**2))


def jaccard(selections: Selections) -> float:
    """Return Jaccard's index: the mean over pairs of |intersection| / |union|.

    It grows with the size of the selections, even if they are random; `nogueira` does not.

    Parameters
    ----------
    selections : array of bool of shape (M, d), or M lists of column indices
        The features in each selection.

    Returns
    -------
    float
        From 0 to 1. Pairs of empty selections are left out; NaN if there is no other pair.

    Examples
    --------
    >>> from deacs.experiments.stability import jaccard
    >>> jaccard([[0, 1], [1, 2]])
    0.3333333333333333
    """
    Z = _matrix(selections, None, needs_d=False, least=1).astype(np.float64)
    in_common, sizes = Z @ Z.T, Z.sum(axis=1)
    first, second = np.triu_indices(len(Z), 1)
    union = sizes[first] + sizes[second] - in_common[first, second]
    shares = in_common[first, second][union > 0] / union[union > 0]
    return float(shares.mean()) if len(shares) else float("nan")


def resampled_selections(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    n_resamples: int = 50,
    sampling: str = "bootstrap",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> NDArray[np.bool_]:
    """Select on resamples of the rows; return the matrix that the measures take.

    Parameters
    ----------
    selector : a selector
        Cloned and fitted to every resample, with new cut points. Kinds of columns are decided on
        all rows. Set its `n_features_to_select` unless it stops by itself.
    X, y : as `selector.fit` takes them
        The table; y is None if X is CodedData, whose cut points then come from all rows.
    sample_weight : array-like of shape (n_rows,), optional
        The weight of each row; see `StabilitySelection.fit`.
    n_resamples : int, default=50
        M, 2 or more.
    sampling : {"bootstrap", "halves", "pairs"}, default="bootstrap"
        As many rows as there are, drawn with replacement; halves; or complementary halves. All
        within each class.
    random_state : int, RandomState or None, default=None
        The seed of the draws.
    n_jobs : int or None, default=None
        The number of threads over resamples; results do not depend on it.

    Returns
    -------
    ndarray of bool of shape (n_resamples, n_features)
        The features in each selection.
    """
    from deacs.selection import SAMPLINGS, RowSubsets, places_on_resamples, weights_for

    if sampling not in SAMPLINGS:
        raise InputError(f"sampling must be one of {', '.join(SAMPLINGS)}, got {sampling!r}")
    if n_resamples < 2:
        raise InputError(f"n_resamples must be 2 or more, got {n_resamples}")
    table = RowSubsets(X, y, selector, **weights_for(selector, sample_weight))
    places = places_on_resamples(
        selector, table, sampling=sampling, n_resamples=n_resamples,
        random_state=random_state, n_jobs=n_jobs,
    )  # fmt: skip
    return np.asarray(places >= 0)


def stability(selector: Any, X: Any, y: Any = None, *, confidence: float = 0.95, **how: Any) -> Any:
    """Return the stability of a selector on a table, by resampling its rows.

    Parameters
    ----------
    selector, X, y, **how
        As in `resampled_selections`.
    confidence : float, default=0.95
        As in `nogueira`. The interval is about other resamples of these rows, which are more alike
        than new tables would be.

    Returns
    -------
    Stability
        Nogueira's measure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from deacs import MIM
    >>> from deacs.experiments.stability import stability
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> stability(MIM(2), X, y, n_resamples=20, random_state=0).value
    1.0
    """
    return nogueira(resampled_selections(selector, X, y, **how), confidence=confidence)


def _matrix(
    selections: Selections, n_features: int | None, *, needs_d: bool = True, least: int = 2
) -> NDArray[np.bool_]:
    """Return selections as a matrix of bool."""
    if isinstance(selections, np.ndarray):
        if selections.ndim != 2 or selections.dtype != bool:
            raise InputError(
                "selections must be a matrix of bool, one row each, or lists of column indices, "
                f"got {selections.dtype} of shape {selections.shape}"
            )
        Z = selections
    else:
        lists = [np.fromiter(selection, dtype=np.int64) for selection in selections]
        if n_features is None and needs_d:
            raise InputError(
                "n_features must be given if selections are lists of column indices, got None"
            )
        largest = max((int(indices.max(initial=-1)) for indices in lists), default=-1)
        d = largest + 1 if n_features is None else n_features
        if largest >= d or any((indices < 0).any() for indices in lists):
            raise InputError(
                f"selections must hold column indices from 0 to {d - 1}, got others; correct them "
                f"or n_features={d}"
            )
        Z = np.zeros((len(lists), d), dtype=bool)
        for row, indices in zip(Z, lists, strict=True):
            row[indices] = True
    if len(Z) < least:
        raise InputError(f"selections must be two or more, got {len(Z)}; select on more resamples")
    return Z
