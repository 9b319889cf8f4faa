"""Products of the order view against sums of integers, and least squares; at every level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs._kernels import at_level, levels

KERNELS = [at_level("order", level) for level in levels()]


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 7, 64, 1001]), st.booleans())
def test_products_are_exact_at_every_level(seed, n_rows, is_weighted):
    rng = np.random.default_rng(seed)
    limits = np.iinfo(np.int16)
    scores = rng.choice([limits.min, limits.max, -1, 0, 5], (6, n_rows)).astype(np.int16)
    column = scores[0] * rng.integers(1, 1 << 20, n_rows) if is_weighted else scores[0]
    expected = (scores.astype(object) * column.astype(object)).sum(axis=1).tolist()
    for kernels in KERNELS:
        products = np.full(6, 99)
        kernels.inner_products(scores, column, products)
        assert products.tolist() == expected


@given(st.integers(0, 2**32 - 1), st.sampled_from([np.uint8, np.uint16, np.uint32]), st.booleans())
def test_sums_by_code_are_exact_at_every_level(seed, dtype, is_weighted):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 7, 300).astype(dtype)
    column = rng.integers(-5, 5, 300).astype(np.int64 if is_weighted else np.int16)
    expected = [int(column[codes == code].sum()) for code in range(7)]
    for kernels in KERNELS:
        sums = np.zeros(7, dtype=np.int64)
        kernels.code_sums(codes, column, sums)
        assert sums.tolist() == expected


@pytest.mark.parametrize("n_done", [0, 3])
def test_shares_of_categories_are_least_squares_with_the_same_bits_at_every_level(n_done):
    rng = np.random.default_rng(n_done)
    n, widths = 400, [3, 5, 2]
    starts = np.concatenate(([0], np.cumsum(widths)))
    indicators = np.hstack([np.eye(w)[rng.integers(0, w, n)] for w in widths])
    labels = np.eye(3)[rng.integers(0, 3, n)]
    before = np.linalg.qr(np.hstack((np.ones((n, 1)), rng.normal(size=(n, n_done)))))[0]
    rest = [v - before @ (before.T @ v) for v in (indicators, labels)]
    blocks = np.column_stack((starts[:-1], starts[1:]))
    factor, cross = np.ascontiguousarray(indicators.T @ before[:, 1:]), rest[0].T @ rest[1]
    found = []
    for kernels in KERNELS:
        shares, ranks, work = np.empty((3, 3)), np.empty(3), np.zeros((5, 9))
        given = blocks, indicators.sum(axis=0), float(n), factor, n_done, cross, 1e-9, work
        kernels.block_shares(*given, shares, ranks)
        found.append((shares.tolist(), ranks.tolist()))
    assert all(other == found[0] for other in found)
    for (begin, end), share, rank in zip(blocks, *found[0], strict=True):
        fitted = np.linalg.lstsq(rest[0][:, begin:end], rest[1], rcond=1e-9)[0]
        explained = ((rest[0][:, begin:end] @ fitted) ** 2).sum(axis=0)
        np.testing.assert_allclose(share, explained, rtol=1e-8)
        assert rank == end - begin - 1
