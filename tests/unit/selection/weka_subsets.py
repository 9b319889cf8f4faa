"""Numbers of other programs from tests/golden/weka-subsets.json, and the tables they are of."""

import json
from pathlib import Path

import pytest
from sklearn import datasets

from deacs import encode
from tests.real_data import nominal_columns, read_set

FOUND = json.loads((Path(__file__).parents[2] / "golden" / "weka-subsets.json").read_text())["sets"]
"""By set, then by program."""

SHIPPED = [name for name in FOUND if hasattr(datasets, f"load_{name}")]
NAMES = [
    *SHIPPED,
    *(pytest.param(n, marks=pytest.mark.real_data) for n in FOUND if n not in SHIPPED),
]
"""The sets that scikit-learn ships, and those that DEACS_DATA has."""


def coded_set(name):
    """A set in codes, kinds of columns as its documentation has them."""
    if name in SHIPPED:
        return encode(*getattr(datasets, f"load_{name}")(return_X_y=True))
    X, y = read_set(name)
    X = X.drop("name") if name == "flags" else X
    return encode(X, y, discrete_features=nominal_columns(name, X))
