"""Coded data from outside: in range, or refused before compiled code sees it."""

from dataclasses import replace

import numpy as np
import pytest

from deacs import DEACS, encode
from deacs.coding import CodeBlock, CodedData, FeatureCoding
from deacs.coding.on_disk import write_codes
from deacs.exceptions import InputError

CODES = np.array([[0, 1, 0, 1, 2, 2], [1, 1, 0, 0, 1, 0]], dtype=np.uint8)
CODINGS = (FeatureCoding("discrete", np.arange(3), 3), FeatureCoding("discrete", np.arange(2), 2))


def coded(**changed):
    codes = changed.pop("codes", CODES)
    n_values, features = changed.pop("n_values", np.array([3, 2])), np.arange(len(codes))
    parts = {
        "blocks": (
            CodeBlock.frozen(features, codes.copy(), n_values, changed.pop("ignored", None)),
        ),
        "labels": np.array([0, 1, 0, 1, 1, 0], dtype=np.int32),
        "classes": np.array(["a", "b"]),
        "features": CODINGS,
        "feature_names": ("p", "q"),
        "is_named": True,
        **changed,
    }
    return CodedData(**parts)


def test_data_in_range_is_accepted():
    assert DEACS(1).fit(coded()).n_features_in_ == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"codes": CODES + 1}, "codes of a feature must be below its 3 values, got 3"),
        ({"codes": CODES.astype(np.int64)}, "codes must be an array of uint8"),
        ({"codes": CODES[:1]}, "blocks must hold each of the 2 features once"),
        ({"codes": CODES[:, :5]}, r"must have shape \(2, 6\).* got \(2, 5\)"),
        ({"n_values": np.array([0, 2])}, "n_values must lie between 1 and 256"),
        ({"ignored": np.array([3, -1])}, "ignored must be -1 or one of"),
        ({"labels": np.array([0, 1, 0, 1, 2, 0], np.int32)}, "labels must lie between 0 and 1"),
        ({"labels": np.array([0, 1, 0, 1, -1, 0], np.int32)}, "labels must lie between 0 and 1"),
        ({"labels": np.array([0, 1, 0, 1, 1, 0])}, "labels must be an array of int32"),
        ({"weights": np.array([1, 1, 1, 1, 1, -1])}, "weights must be at least 0"),
        ({"weights": np.ones(6)}, "weights must be an array of int64"),
        ({"weights": np.ones(5, np.int64)}, "one entry for each of the 6 rows, got 5"),
        ({"feature_names": ("p",)}, "2 in blocks and 1 names"),
    ],
)
def test_data_out_of_range_is_refused(changed, message):
    with pytest.raises(InputError, match=message):
        coded(**changed)


def test_changed_data_is_checked_again():
    with pytest.raises(InputError, match="labels must lie between 0 and 1"):
        replace(coded(), labels=np.full(6, 9, dtype=np.int32))


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.ma.array([[0], [1]], mask=[[0], [1]]), "codes must not be masked"),
        (np.array([[0], [2**63]], dtype=np.uint64), "codes must be at most 2147483647, got 922"),
        (np.array([[0], [-1]]), "codes must not be negative"),
    ],
)
def test_a_matrix_that_holds_no_codes_is_refused(codes, message):
    with pytest.raises(InputError, match=message):
        CodedData.from_codes(codes, [0, 1])


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, bool])
def test_masked_integers_are_missing_values(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 3)).astype(dtype)
    mask = rng.random((60, 3)) < 0.2
    y = np.where(mask[:, 1], 2, X[:, 1]).astype(int)
    data = encode(np.ma.array(X, mask=mask), y)
    assert data.n_values.tolist() == [3, 3, 3]
    assert all((data.column(j) == 2).tolist() == mask[:, j].tolist() for j in range(3))
    assert DEACS(1).fit(np.ma.array(X, mask=mask), y).get_support().tolist()[1]


def test_an_unmasked_masked_array_is_an_array():
    X = np.random.default_rng(1).integers(0, 4, (50, 2))
    masked, plain = encode(np.ma.array(X), X[:, 0] % 2), encode(X, X[:, 0] % 2)
    assert all((masked.column(j) == plain.column(j)).all() for j in range(2))


@pytest.mark.parametrize(
    ("weights", "scale"), [(None, 1.0), ([2, 1] * 3, 1.0), ([0.5, 0.25] * 3, 2.0**29)]
)
def test_weights_keep_their_scale(weights, scale, tmp_path):
    data = encode(CODES.T, [0, 1, 0, 1, 1, 0], sample_weight=weights)
    assert (data.weight_scale, data.weights_are_counts) == (scale, scale == 1.0)
    stored = write_codes(data, tmp_path / "codes")
    assert stored.weight_scale == scale
    assert data.take(np.arange(4)).weight_scale == 1.0


def test_large_whole_weights_are_numbers_of_rows_all_the_same():
    # A total of 2**30 was taken for fractions.
    data = encode(CODES.T, [0, 1, 0, 1, 1, 0], sample_weight=[2**29, 2**29, 1, 1, 1, 1])
    assert data.weights_are_counts


def test_a_mapped_file_is_an_array(tmp_path):
    X = np.memmap(tmp_path / "x", np.int8, "w+", shape=(50, 2))
    X[:] = np.arange(100).reshape(50, 2) % 5
    data = encode(X, np.arange(50) % 2)
    assert data.n_values.tolist() == [5, 5]
    assert type(data.blocks[0].codes) is np.ndarray


def test_names_of_codes_may_be_an_array():
    data = CodedData.from_codes([[0, 1], [1, 0]], [0, 1], np.array(["a", "b"]))
    assert data.feature_names == ("a", "b")


@pytest.mark.parametrize("names", [["a", "a"], ["a"], []])
def test_names_of_codes_must_tell_features_apart(names):
    with pytest.raises(InputError, match="feature_names must name 2 features, each differently"):
        CodedData.from_codes([[0, 1], [1, 0]], [0, 1], names)
