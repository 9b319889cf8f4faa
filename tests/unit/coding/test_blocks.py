"""Codes, labels and weights that would lead kernels out of their arrays are refused."""

import numpy as np
import pytest

from deacs.coding.blocks import check_block, check_labels, check_weights
from deacs.exceptions import InputError


def _block(**changed):
    block = {
        "codes": np.array([[0, 1, 2], [0, 0, 255]], dtype=np.uint8),
        "n_values": np.array([3, 256]),
        "ignored": np.array([-1, 255]),
    }
    return block | changed


def test_what_is_valid_passes():
    check_block(**_block())
    check_block(np.empty((0, 5), np.uint32), np.empty(0, np.int64), np.empty(0, np.int64))
    check_labels(np.array([0, 1, 1], dtype=np.int32), 2)
    check_weights(np.array([0, 1, 2**31 - 1]))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"codes": np.array([[0, 3, 0], [0, 0, 0]], np.uint8)}, "below its 3 values, got 3"),
        ({"codes": np.zeros((2, 3), np.int64)}, "uint8 or uint16 or uint32 .*got int64"),
        ({"codes": np.zeros((2, 3), ">u2")}, "got >u2"),
        ({"codes": np.zeros(3, np.uint8)}, "2 dimensions, got uint8 of shape"),
        ({"codes": np.zeros((3, 2), np.uint8).T}, "must be C-contiguous"),
        ({"codes": np.ma.zeros((2, 3), np.uint8)}, "codes must be an array"),
        ({"codes": [[0]]}, "got list"),
        ({"n_values": np.array([3, 257])}, "between 1 and 256 .*got 257"),
        ({"n_values": np.array([3, 0])}, "got 0"),
        ({"n_values": np.array([3])}, "n_values must have one entry for each of the 2 features"),
        ({"ignored": np.array([-2, 0])}, "ignored must be -1 or one of .*got -2"),
        ({"ignored": np.array([3, 0])}, "got 3"),
        ({"ignored": np.array([0.0, 0.0])}, "ignored must be an array of int64"),
    ],
)
def test_blocks_that_are_not_codes_are_refused(changed, message):
    with pytest.raises(InputError, match=message):
        check_block(**_block(**changed))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array([0, 2], np.int32), "between 0 and 1 .*got 2"),
        (np.array([0, -1], np.int32), "got -1"),
        (np.array([0, 1], np.int64), "array of int32"),
        (np.empty(0, np.int32), "at least one row"),
    ],
)
def test_labels_beyond_the_classes_are_refused(labels, message):
    with pytest.raises(InputError, match=message):
        check_labels(labels, 2)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.array([1, -1]), "at least 0, got -1"),
        (np.array([0, 0]), "sum between 1 and 2147483648, got 0"),
        (np.array([2**31, 1]), "got 2147483649"),
        (np.full(4, 2**62), "got 4611686018427387904 or more"),
        (np.array([1.0, 2.0]), "array of int64"),
    ],
)
def test_weights_that_do_not_count_rows_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        check_weights(weights)
