r"""Equal-width discretisation: intervals of equal length.

With the least and greatest finite values :math:`a` and :math:`b`, the cut points are

.. math:: a + (b - a) \, k / n_{bins}, \quad k = 1 .. n_{bins} - 1.

J. Dougherty, R. Kohavi, M. Sahami, "Supervised and unsupervised discretization of continuous
features", ICML 1995, 194-202, compare it with equal frequency and with entropy cuts.
"""

from deacs.discretize._base import EqualBins
from deacs.discretize.cuts import equal_width_cut_points

__all__ = ["EqualWidth"]


class EqualWidth(EqualBins):
    """Cut the range of each column into equal parts; classes are ignored.

    Parameters
    ----------
    n_bins : int, default=10
        The number of intervals (at most 65,536).
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
    The range is that of the finite values; infinities fall in the outer intervals, missing values
    stay NaN. Rows of weight zero are ignored; other weights have no effect. Equal cut points, in
    a range with fewer floats than intervals, are merged.

    Examples
    --------
    >>> from deacs.discretize import EqualWidth
    >>> EqualWidth(n_bins=4).fit([[0.0], [1.0], [8.0]]).cut_points_
    [array([2., 4., 6.])]
    """

    _cut_points = staticmethod(equal_width_cut_points)
