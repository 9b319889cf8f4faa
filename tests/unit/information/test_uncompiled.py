"""Counting by NumPy, before numba is loaded: the bits of the kernel."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CodedData, encode
from deacs.greedy.engine import LocalCounts
from deacs.information import counting, uncompiled
from tests.tables_of_codes import coded_tables


def both(data, selected=()):
    """Return scores by the kernel and by NumPy, and how often NumPy counted."""
    n_counted = 0

    def watched(*arguments):
        nonlocal n_counted
        found = uncompiled.count_uncompiled(*arguments)
        n_counted += found is not None
        return found

    found = []
    for modules in ({"numba": None}, {}):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(uncompiled, "sys", SimpleNamespace(modules=modules))
            patch.setattr(uncompiled, "_spent", [0.0])
            patch.setattr(counting, "count_uncompiled", watched)
            counts = LocalCounts(data, estimator="excess")
            found.append([counts.label_scores(np.arange(data.n_features))])
            for feature in selected:
                counts.condition_on(feature)
                found[-1].append(counts.label_scores(np.arange(data.n_features)))
    return *found, n_counted


@given(coded_tables(), st.integers(0, 2))
def test_numpy_gives_the_bits_of_the_kernel(table, n_given):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y)
    compiled, by_numpy, n_counted = both(data, range(min(n_given, len(columns))))
    np.testing.assert_array_equal(compiled, by_numpy)
    assert (n_counted > 0) == (data.n_values > 1).any()  # constants are not counted


@pytest.mark.parametrize(("n_labels", "n_values"), [(2, 2), (4, 30), (26, 6)])
def test_groups_of_all_sizes_and_several_parts_of_the_table(n_labels, n_values, monkeypatch):
    monkeypatch.setattr(uncompiled, "MOST_CELLS", 10**9)
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_labels, 1500)
    codes = rng.integers(0, n_values, (1500, 100))
    codes[:, ::3] = (codes[:, ::3] + y[:, np.newaxis]) % n_values
    data = CodedData.from_codes(codes, y)  # more cells than are counted at once
    compiled, by_numpy, n_counted = both(data, [0, 50, 7])
    np.testing.assert_array_equal(compiled, by_numpy)
    assert n_counted == 4


@pytest.mark.parametrize(
    "how", ["weights", "missing", "labels", "MOST_CODES", "MOST_CELLS", "impatient"]
)
def test_the_kernel_counts_the_rest(how, monkeypatch):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    y = rng.integers(0, 2, (60, 3) if how == "labels" else 60)
    weights = rng.integers(1, 4, 60) if how == "weights" else None
    if how == "missing":
        X[::5] = np.nan
    if how.startswith("MOST"):
        monkeypatch.setattr(uncompiled, how, 20)
    if how == "impatient":
        monkeypatch.setattr(uncompiled, "PATIENCE", -1.0)
    missing = "ignore" if how == "missing" else "category"
    data = encode(X, y, discrete_features=True, missing=missing, sample_weight=weights)
    compiled, by_numpy, n_counted = both(data, [0])
    np.testing.assert_array_equal(compiled, by_numpy)
    assert n_counted == 0
