"""The discretiser "auto": MDLP's cuts, and equal frequencies where it makes none."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import DEACS, MDLP, EqualFrequency, OneHotCodes, encode
from deacs.coding import DISCRETIZERS
from deacs.coding.new_rows import code_new_rows
from deacs.coding.on_disk import write_codes

RNG = np.random.default_rng(0)
N = 240
Y = np.arange(N) % 2
X = np.column_stack(
    [
        Y + 0.3 * RNG.standard_normal(N),  # MDLP cuts it
        RNG.standard_normal(N),  # noise
        np.full(N, 2.5),  # constant
        np.where(RNG.random(N) < 0.1, np.nan, RNG.standard_normal(N)),
        RNG.choice([0.5, 1.5], N),  # two values
    ]
)


def cut_points(discretizer, **how):
    return [f.values.tolist() for f in encode(X, Y, discretizer=discretizer, **how).features]


@pytest.mark.parametrize("weights", [None, RNG.integers(1, 5, N)])
def test_uncut_columns_have_three_intervals_of_equal_frequency(weights):
    found, by_mdlp = (cut_points(name, sample_weight=weights) for name in ("auto", "mdlp"))
    equal = EqualFrequency(3).fit(X, sample_weight=weights).cut_points_
    assert by_mdlp[0]
    assert by_mdlp[1] == by_mdlp[3] == []
    assert found == [by_mdlp[0], *(cuts.tolist() for cuts in equal[1:])]
    assert [len(cuts) for cuts in found] == [len(by_mdlp[0]), 2, 0, 2, 1]


@pytest.mark.parametrize("discretizer", ["auto", "mdlp", MDLP()])
def test_coded_data_names_the_columns_that_mdlp_left_uncut(discretizer):
    data = encode(X, Y, discretizer=discretizer)
    assert data.uncut_features.tolist() == [1, 3, 4]
    assert [f.is_uncut for f in data.features] == [False, True, False, True, True]


@pytest.mark.parametrize("discretizer", ["equal-width", "equal-frequency"])
def test_nobody_leaves_columns_uncut_who_does_not_ask_the_classes(discretizer):
    assert encode(X, Y, discretizer=discretizer).uncut_features.tolist() == []


def test_new_rows_and_one_hot_columns_have_the_same_codes():
    data = encode(X, Y, discretizer="auto")
    codes = np.column_stack([data.column(j) for j in range(5)])
    assert (code_new_rows(data, X, range(5)) == codes).all()
    coder = OneHotCodes(discretizer="auto").fit(X, Y)
    assert coder.transform(X).sum(axis=1).tolist() == [5.0] * N


def test_codes_on_disk_keep_which_columns_were_left_uncut(tmp_path):
    data = encode(X, Y, discretizer="auto")
    assert write_codes(data, tmp_path / "codes").uncut_features.tolist() == [1, 3, 4]


@given(st.randoms(use_true_random=False), st.booleans())
def test_cut_again_under_other_classes_a_column_is_what_it_would_have_been(random, has_missing):
    rng = np.random.default_rng(random.randrange(2**32))
    table = rng.standard_normal((40, 4)).round(1)
    if has_missing:
        table[rng.random((40, 4)) < 0.2] = np.nan
    recoder = encode(table, np.arange(40) % 2, discretizer="auto", recodable=True).recoder
    other = rng.permutation(np.arange(40) // 20).astype(np.int32)
    if rng.random() < 0.5:  # classes that MDLP sees
        other = (np.nan_to_num(table[:, 0]) > 0).astype(np.int32)
    if len(set(other.tolist())) < 2:
        return
    codes, n_values = recoder.codes(np.arange(4), other)
    expected = encode(table, other, discretizer="auto")
    assert n_values.tolist() == expected.n_values.tolist()
    for j in np.flatnonzero(n_values > 1):
        assert codes[j].tolist() == expected.column(j).tolist()


def test_features_that_only_work_together_are_found():
    rng = np.random.default_rng(3)
    signs = rng.choice([-1, 1], (600, 2))
    table = np.column_stack([signs * rng.uniform(0.5, 1, (600, 2)), rng.standard_normal((600, 2))])
    y = (signs[:, 0] == signs[:, 1]).astype(int)
    assert encode(table, y, discretizer="mdlp").n_values.tolist() == [1, 1, 1, 1]
    selected = DEACS(2, discretizer="auto").fit(table, y).get_support(indices=True)
    assert encode(table, y, discretizer="auto").n_values.tolist() == [3, 3, 3, 3]
    assert len(selected) > 0


def test_auto_is_a_discretiser_with_facts_of_its_own():
    auto = DISCRETIZERS["auto"]
    assert (auto.needs_classes, auto.options) == (True, {"fallback_bins": 3})
    frame = pl.DataFrame({"a": X[:, 1]})
    assert encode(frame, Y, discretizer="auto").features[0].by_classes


def test_files_larger_than_memory_have_the_same_codes(tmp_path):
    frame = pl.DataFrame({f"x{j}": X[:, j] for j in range(5)}).fill_nan(None)
    frame.with_columns(y=pl.Series(Y)).write_parquet(tmp_path / "t.parquet")
    there = encode(tmp_path / "t.parquet", "y", out=tmp_path / "codes", discretizer="auto")
    here = encode(frame, Y, discretizer="auto")
    assert there.uncut_features.tolist() == [1, 3, 4]
    assert all((here.column(j) == there.column(j)).all() for j in range(5))
