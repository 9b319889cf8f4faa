r"""Relief: differences from the nearest row of the same class and of another class.

.. math::

    W(F) = \frac{1}{m} \sum_R \bigl[ \mathrm{diff}_F(R, M) - \mathrm{diff}_F(R, H) \bigr],

with :math:`H` the nearest row of R's class, and :math:`M` the nearest row of any other class.
K. Kira, L. A. Rendell, "A practical approach to feature selection", ML 1992, 249-256.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deacs.selection._instances import Instances, SampledSelector
from deacs.selection._neighbours import nearest_weights

__all__ = ["Relief"]


class Relief(SampledSelector):
    """Rank features by differences from the nearest hit and the nearest miss of each row.

    Parameters
    ----------
    n_samples, random_state
        The rows whose neighbours are sought, and the seed for drawing them; see `ReliefF`.

    Parameters and attributes of the whole family: see `deacs.selection.InstanceSelector`.
    `weights_` lie between -1 and 1.

    Notes
    -----
    Among rows equally near the first one counts. The original has two classes; with more, the
    nearest miss may be of any other class, and `ReliefF` is the better choice. With two classes
    Relief is `ReliefF(n_neighbors=1)`. As in all later members of the family, differences are not
    squared; missing values count as in `ReliefF`. See docs/papers/relief.md.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from deacs import Relief
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> Relief(n_features_to_select=2).fit(X, y).selected_names_
    ['worst texture', 'worst concave points']
    """

    def _weigh(self, instances: Instances) -> NDArray[np.float64]:
        rows = self._sampled(len(instances.labels))
        # Two groups of neighbours: 0 are the hits, 1 all misses.
        groups = 1 - np.eye(instances.n_classes, dtype=np.int64)
        gains = np.tile([-1.0, 1.0], (instances.n_classes, 1))
        return nearest_weights(instances, rows, groups, gains, 1, self.n_jobs)
