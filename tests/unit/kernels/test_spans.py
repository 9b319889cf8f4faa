"""Transposing modulo 256: every shape and type, and the extremes of the columns."""

import numpy as np

from deacs.kernels.spans import transpose_bytes
from tests.each import each


@each("shape", [(32, 8), (33, 700), (70, 1025), (4000, 9)])
@each("dtype", [np.int8, np.uint16, np.int32, np.uint32, np.int64])
def test_matrices_of_any_shape_are_transposed_modulo_256(shape, dtype):
    X = np.random.default_rng(0).integers(-300, 300, shape).astype(dtype)
    lowest, codes = X[0].copy(), np.empty(shape[::-1], dtype=np.uint8)
    highest = lowest.copy()
    longest = int(np.ptp(X.astype(np.int64), axis=0).max()) + 1
    assert transpose_bytes(X, longest, lowest, highest, codes)
    np.testing.assert_array_equal(codes, X.T.astype(np.int64) % 256)
    np.testing.assert_array_equal(lowest, X.min(axis=0))
    np.testing.assert_array_equal(highest, X.max(axis=0))
    assert not transpose_bytes(X, longest - 1, lowest, highest, codes)


def test_extremes_whose_difference_overflows_do_not_look_close():
    X = np.zeros((40, 9), dtype=np.int64)
    X[7, 3], X[39, 3] = -(2**63), 2**63 - 1
    codes = np.empty(X.shape[::-1], dtype=np.uint8)
    assert not transpose_bytes(X, 256, X[0].copy(), X[0].copy(), codes)
