"""Normal scores from the definition: mean ranks of the rows, each as often as it counts."""

import numpy as np
from scipy.stats import norm, rankdata


def normal_scores(values, weights=None):
    values = np.asarray(values, dtype=np.float64)
    repeats = np.ones(len(values), dtype=int) if weights is None else np.asarray(weights)
    repeats = np.where(np.isnan(values), 0, repeats)
    repeated = values.repeat(repeats)
    quantiles = norm.ppf((rankdata(repeated) - 0.5) / max(len(repeated), 1))
    by_value = dict(zip(repeated.tolist(), quantiles.tolist(), strict=True))
    return np.rint([4096 * by_value.get(value, 0.0) for value in values.tolist()]).astype(int)
