r"""Equal-frequency discretisation: intervals with about equally many rows.

With :math:`W(v)` the weight of the rows up to the value :math:`v`, and :math:`W` that of all, the
:math:`k`-th cut lies behind the value, other than the greatest, that minimises

.. math:: | W(v) - W k / n_{bins} |, \quad k = 1 .. n_{bins} - 1,

half-way to the next value. J. Dougherty, R. Kohavi, M. Sahami, "Supervised and unsupervised
discretization of continuous features", ICML 1995, 194-202.
"""

from deacs.discretize._base import EqualBins
from deacs.discretize.cuts import equal_frequency_cut_points

__all__ = ["EqualFrequency"]


class EqualFrequency(EqualBins):
    """Cut each column into intervals with about equally many rows; classes are ignored.

    Parameters
    ----------
    n_bins : int, default=10
        The largest number of intervals (at most 65,536).
    output : {"codes", "labels"}, default="codes"
        Whether `transform` returns the number of the interval or its name, such as `(2.5, 7.1]`.
    n_jobs : int or None, default=None
        Number of threads; None is 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    cut_points_ : list of ndarray of float
        The cut points of each column, ascending; empty for a constant column.
    n_bins_ : ndarray of int of shape (n_features_in_,)
        The number of intervals of each column.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    Equal values stay in one interval, so a frequent value may fill several, and there are then
    fewer intervals; of two equally good cuts the lower one is taken. Missing values and rows of
    weight zero are ignored. All comparisons are between integers, so integer weights are exactly
    equivalent to repeating the rows.

    Examples
    --------
    >>> from deacs.discretize import EqualFrequency
    >>> EqualFrequency(n_bins=3).fit([[1.0], [2.0], [3.0], [10.0], [20.0], [30.0]]).cut_points_
    [array([ 2.5, 15. ])]
    """

    _cut_points = staticmethod(equal_frequency_cut_points)
