r"""Stability selection: keep the features that a selector selects on most halves of the rows.

.. math:: \hat\Pi(F) = \frac{1}{2B} \sum_{b=1}^{B} [F \in \hat S(A_b)] + [F \in \hat S(\bar A_b)],
          \qquad \hat S = \{F : \hat\Pi(F) \ge \tau\}

with B random splits of the rows into halves :math:`A_b` and :math:`\bar A_b`. With q features
selected per half on average, of p, the expected number of features in :math:`\hat S` whose
probability of selection on a half is below q / p, no better than chance, is at most
:math:`q^2 / ((2\tau - 1) p)`.

N. Meinshausen, P. Bühlmann, "Stability selection", JRSS B 72 (2010) 417-473; R. D. Shah,
R. J. Samworth, "Variable selection with error control: another look at stability selection",
JRSS B 75 (2013) 55-80.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from deacs.coding import CodedData, encode
from deacs.exceptions import InputError, Note, Parameter
from deacs.selection._base import BaseSelector, ranked_path
from deacs.selection._coded import CodedSelector
from deacs.selection.deacs import DEACS
from deacs.selection.loop import Path
from deacs.selection.row_subsets import (
    SAMPLINGS,
    RowSubsets,
    Sampling,
    places_on_resamples,
    weights_for,
)
from deacs.selection.source import Source
from deacs.selection.stopping import n_features_wanted

__all__ = ["StabilitySelection", "nogueira"]

OF_CODING = ("discrete_features", "discretizer", "missing", "target")
ROUNDING = 1e-9
"""0.07 * 100 is more than 7 in floats."""


class StabilitySelection(BaseSelector):
    """Keep the features that a selector selects on most halves of the rows.

    Parameters
    ----------
    selector : a selector of this library, default=None
        Selects on each half; None: `DEACS()`. Its `n_features_to_select` is q, the number of
        features per half; criteria that rank all features need it. If it is None, the number
        given here is used, if any.
    n_features_to_select : int, float or None, default=None
        How many of the most frequent features to keep: a number, or a share in (0, 1]. None: all
        that reach `threshold`.
    threshold : float, default=0.6
        The least frequency of a kept feature, in (0, 1]. Above 0.5 the error is bounded.
    n_resamples : int, default=100
        The number of resamples; even for "pairs".
    sampling : {"pairs", "halves", "bootstrap"}, default="pairs"
        Complementary pairs of halves of the rows; independent halves; or as many rows as there
        are, drawn with replacement. All are stratified by class.
    encode_once : bool, default=False
        Whether to cut columns once, on all rows. This is faster, but cut points that used the class
        of every row make a column cut by chance look stable. False: each resample is cut
        separately.
    random_state : int, RandomState or None, default=None
        The seed for drawing rows.
    n_jobs : int or None, default=None
        Threads over resamples; None means 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    frequencies_ : ndarray of shape (n_features_in_,)
        The share of resamples on which each feature was selected.
    selections_ : ndarray of bool of shape (n_resamples, n_features_in_)
        The features selected on each resample; `nogueira` measures their stability.
    error_bound_ : float
        Bound on the expected number of kept features that are no better than chance:
        q**2 / ((2 threshold - 1) n_features_in_), q the mean number per resample. NaN if it does
        not hold: for `"bootstrap"`, a threshold of 0.5 or less, or a given number of features.
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices, the most frequent first; among ties, the one selected earlier on average,
        then the lower column.
    scores_ : ndarray of shape (n_selected,)
        Their frequencies.
    stop_reason_ : {"threshold", "n_features_to_select"}
        Why the ranking ended.
    selector_ : a selector
        Fitted to all rows, for comparison.
    notes_ : list of str
        Caveats that a careful reader should know.
    classes_, n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Features in the selector's `include` have frequency 1 and come first. A column that is constant
    or uncut in a resample does not count as selected there: criteria that rank all features end
    with such columns, the lower ones first, which would make them look stable. A resample with
    only one class selects nothing. Whether a column is discrete is decided on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS, StabilitySelection
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> stable = StabilitySelection(DEACS(3), n_resamples=20, random_state=0).fit(X, y)
    >>> stable.selected_names_
    ['flavanoids', 'color_intensity', 'proline']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "selector": [HasMethods(["fit", "truncate", "get_params"]), None],
        "n_features_to_select": [Real, None],
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "n_resamples": [Interval(Integral, 2, None, closed="left")],
        "sampling": [StrOptions(set(SAMPLINGS))],
        "encode_once": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        selector: Any = None,
        n_features_to_select: float | None = None,
        *,
        threshold: float = 0.6,
        n_resamples: int = 100,
        sampling: Sampling = "pairs",
        encode_once: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.selector = selector
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold
        self.n_resamples = n_resamples
        self.sampling = sampling
        self.encode_once = encode_once
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Select on resamples, and keep the features that are selected most often.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features), or CodedData
            As the selector takes it. `CodedData` is resampled as it was coded, on all rows.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts. A whole number is that many rows, which need not fall into
            the same half; a row of any other weight (and each, where all are more than 2**24 rows)
            is drawn whole, and counts so much there.
        """
        self._validate_params()
        selector = DEACS() if self.selector is None else clone(self.selector)
        if selector.get_params(deep=False).get("n_features_to_select", 0) is None:
            selector.set_params(n_features_to_select=self.n_features_to_select)
        weights = weights_for(selector, sample_weight)
        self.selector_ = clone(selector).fit(X, y, **weights)
        self._take_names(self.selector_)
        n_features = self.n_features_in_
        n_wanted = n_features_wanted(self.n_features_to_select, n_features)
        places = places_on_resamples(
            selector,
            self._subsets(X, y, sample_weight, selector),
            sampling=self.sampling,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        self.selections_ = places >= 0
        counts = self.selections_.sum(axis=0)
        self.frequencies_ = counts / self.n_resamples
        # Among features with equal counts the sum of places orders as the mean does.
        earliness = np.where(self.selections_, places, 0).sum(axis=0)
        order = np.lexsort((np.arange(n_features), earliness, -counts))
        if n_wanted is None:
            n_wanted = int((counts >= self.threshold * self.n_resamples - ROUNDING).sum())
            stop_reason = "threshold"
        else:
            stop_reason = "n_features_to_select"
        ranking = order[:n_wanted].astype(np.int64)
        path = ranked_path(ranking, self.frequencies_[ranking], stop_reason)
        self.error_bound_ = self._error_bound()
        source = self.selector_.result_.source
        path.notes = [*self._notes(path, source), *self.selector_.notes_]
        # Frequencies are of columns, whether or not the selector has groups.
        self.result_ = self._result(replace(source, grouping=None, units=None), path)
        return self

    def _subsets(self, X: Any, y: Any, sample_weight: Any, selector: Any) -> RowSubsets:
        """Return what is resampled: the table, or the table in codes."""
        if not self.encode_once or isinstance(X, CodedData):
            return RowSubsets(X, y, selector, sample_weight)
        if not isinstance(selector, CodedSelector):
            raise InputError(
                f"encode_once must be False for {type(selector).__name__}, which measures "
                "distances between values; codes have none"
            )
        how = {name: getattr(selector, name) for name in OF_CODING}
        data = encode(X, y, sample_weight=sample_weight, n_jobs=self.n_jobs, **how)
        return RowSubsets(data, None, selector)

    def _error_bound(self) -> float:
        bounded = self.sampling != "bootstrap" and self.threshold > 0.5
        if not bounded or self.n_features_to_select is not None:
            return float("nan")
        q = self.selections_.sum() / self.n_resamples
        return float(q**2 / ((2 * self.threshold - 1) * self.n_features_in_))

    def _notes(self, path: Path, source: Source) -> list[Note]:
        if len(path.steps) == 0 and self.n_features_in_:
            best = int(np.argmax(self.frequencies_))
            return [
                Note(
                    "Nothing was kept: no feature was selected in enough resamples. The most "
                    f"frequent, {source.names[best]!r}, was in "
                    f"{self.frequencies_[best]:.0%} of them; a lower ",
                    Parameter("threshold"),
                    " keeps more, and errs more often.",
                    kind="nothing",
                    columns=[source.names[best]],
                )
            ]
        if len(self.selector_.ranking_) == self.n_features_in_ > 1:
            return [
                Note(
                    f"On all rows the selector takes all {self.n_features_in_} features, so "
                    "frequencies say little; give the selector ",
                    Parameter("n_features_to_select"),
                    ".",
                    kind="all",
                )
            ]
        return []

    def _columns(self) -> dict[str, Any]:
        return {**super()._columns(), "frequency": self.scores_}


def nogueira(selections: NDArray[np.bool_] | Sequence[Iterable[int]], n_features: int) -> float:
    r"""Return how much selections agree beyond chance, whatever their sizes.

    With :math:`\hat p_f` the share of the :math:`M` selections that hold feature :math:`f` of
    :math:`d`, and :math:`\bar k` their mean size,

    .. math:: \hat\Phi = 1 - \frac{\frac{1}{d} \sum_f \frac{M}{M - 1} \hat p_f (1 - \hat p_f)}
              {\frac{\bar k}{d} (1 - \frac{\bar k}{d})},

    which is 1 if all selections are equal and about 0 if they are random; for selections of equal
    size it is Kuncheva's index. S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature
    selection algorithms", Journal of Machine Learning Research 18 (2018) 174, 1-54.

    Parameters
    ----------
    selections : array of bool of shape (M, d), or M lists of column indices
        The features in each selection; M is 2 or more.
    n_features : int
        d.

    Returns
    -------
    float
        NaN if all selections hold all features, or none.

    Examples
    --------
    >>> nogueira([[0, 1], [1, 2], [0, 2]], n_features=3)
    -0.5
    """
    M = len(selections)
    if M < 2:
        raise InputError(Parameter("selections"), f" must be two or more, got {M}")
    Z = np.zeros((M, n_features))
    for row, selection in zip(Z, selections, strict=True):
        row[np.asarray(selection, dtype=bool if isinstance(selections, np.ndarray) else int)] = 1
    p = Z.mean(axis=0)
    spread = p.mean() * (1 - p.mean())
    return float(1 - M / (M - 1) * (p * (1 - p)).mean() / spread) if spread else float("nan")
