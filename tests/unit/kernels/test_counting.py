"""Three ways to count, one answer: row by row, by masks in group order, by planes in place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs._kernels import counting
from deacs.coding import CodedData
from deacs.coding.blocks import read_only
from deacs.information import Conditioning, label_scores
from deacs.information.bias import chance_of
from deacs.information.counting import counts_by_masks
from deacs.information.grouping import arranged
from deacs.information.parts import of_runs
from deacs.information.plan import MIDDLING, TINY, counts_in_place, rounding, sum_tells_zero
from deacs.kernels.codes import DIVERGENCE, JOINT, ONE_VS_REST, feature_sums, row_scratch
from deacs.kernels.columns import Columns
from deacs.kernels.cross_tables import table_sums
from deacs.kernels.grouped import (
    cell_tables,
    grouped_joint_sums,
    grouped_mirrored_sums,
    grouped_sums,
    mask_scratch,
)
from deacs.kernels.groups import SMALL
from deacs.kernels.jit import Kernel, lean_kernel
from deacs.kernels.masks import equal_mask, popcount
from deacs.kernels.parts import runs
from deacs.kernels.planes import fill_planes, plane_scratch, plane_sums
from tests import naive
from tests.each import each

KINDS = [ONE_VS_REST, DIVERGENCE, JOINT]
WAYS = [(kind, False, dtype) for dtype in (np.uint8, np.uint16) for kind in KINDS]
WAYS.append((ONE_VS_REST, True, np.uint8))
"""Kinds of scores, whether they are corrected for chance, and the width of codes.

What is subtracted for chance is made of counts, whatever the codes were."""


def table(seed, n_rows, n_labels, most_values, dtype=np.uint8, n_features=8):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, n_rows).astype(np.int32)
    n_values = rng.integers(1, most_values + 1, n_features)
    codes = (rng.random((n_features, n_rows)) * n_values[:, None]).astype(dtype)
    return codes, n_values, labels


def columns_of(codes, n_values):
    """All columns, read-only as blocks of tables are: kernels are compiled for each of the two."""
    ignored = np.full(len(codes), -1)
    codes, n_values, ignored = map(read_only, (codes, n_values, ignored))
    return Columns(codes, np.arange(len(codes)), n_values, ignored)


def every_way(codes, n_values, conditioning, kind, n_outputs, corrected=False):
    """The sums of all features, counted in each way."""
    groups, fixed = arranged(conditioning._groups), conditioning._fixed
    shape = len(codes), n_outputs
    rowwise, masked, planar = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    columns = columns_of(codes, n_values)
    chance = None
    if corrected:
        n_values_scored = int(n_values.sum())
        chance = chance_of(of_runs(groups, np.diff(groups.run_starts)), n_values_scored, fixed)
    scratch = row_scratch(256, conditioning.n_left, codes.dtype)
    dependent = np.zeros(shape, bool)
    feature_sums(
        columns, groups, runs(groups), None, kind, fixed, chance, scratch, rowwise, dependent
    )
    tables = cell_tables(kind, fixed.scale_bits)
    run_masks = np.zeros(len(groups.run_labels), dtype=np.uint64)
    counting.fill_run_masks(groups, run_masks)
    scratch = mask_scratch(conditioning._label_counts.size, conditioning.n_left, codes.dtype)
    mirrored = kind == ONE_VS_REST and n_outputs == 2
    count = grouped_joint_sums if kind == JOINT else grouped_sums
    count = grouped_mirrored_sums if mirrored else count
    count(columns, groups, run_masks, kind, fixed, tables, chance, scratch, masked)
    if mirrored:  # the general kernel does two labels, too
        two = np.zeros_like(masked)
        grouped_sums(columns, groups, run_masks, kind, fixed, tables, chance, scratch, two)
        np.testing.assert_array_equal(two, masked)
    planes = np.zeros((len(groups.run_labels), -(-codes.shape[1] // 64)), dtype=np.uint64)
    fill_planes(groups, planes)
    scratch = plane_scratch(len(planes), 16, codes.dtype)
    plane_sums(columns, groups, planes, kind, fixed, chance, scratch, planar)
    return rowwise, masked, planar


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 63, 64, 65, 130, 1000]),
    st.integers(2, 6),
    st.integers(2, 16),
    st.integers(0, 3),
    st.sampled_from(WAYS),
)
def test_all_ways_to_count_give_the_same_sums(seed, n_rows, n_labels, most_values, n_known, way):
    kind, corrected, dtype = way
    codes, n_values, labels = table(seed, n_rows, n_labels, most_values, dtype)
    conditioning = Conditioning(labels, n_labels)
    for feature in range(n_known):
        conditioning.add(codes[feature], int(n_values[feature]))
    if conditioning.n_left == 0:
        return
    n_outputs = 1 if kind == JOINT else n_labels
    rowwise, masked, planar = every_way(
        codes, n_values, conditioning, kind, n_outputs, corrected=corrected
    )
    np.testing.assert_array_equal(masked, rowwise)
    np.testing.assert_array_equal(planar, rowwise)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 64, 300]),
    st.integers(2, 6),
    st.integers(1, 40),
    st.integers(1, 9),
    st.sampled_from(KINDS),
    st.booleans(),
)
def test_one_table_of_a_feature_gives_the_sums_of_its_rows(
    seed, n_rows, n_labels, most_values, n_features, kind, is_weighted
):
    codes, n_values, labels = table(seed, n_rows, n_labels, most_values, n_features=n_features)
    weights = np.random.default_rng(seed).integers(0, 9, n_rows)
    weights = read_only(weights) if is_weighted else None
    conditioning = Conditioning(labels, n_labels, weights)
    if conditioning.n_left == 0:
        return
    columns = columns_of(codes, n_values)
    shape = len(codes), 1 if kind == JOINT else n_labels
    sums, found = np.zeros((2, *shape), dtype=np.int64)
    dependent, depends = np.zeros((2, *shape), dtype=bool)
    groups, fixed = conditioning._groups, conditioning._fixed
    scratch = row_scratch(most_values, n_rows, codes.dtype)
    how = weights, kind, fixed
    feature_sums(columns, groups, runs(groups), *how, None, scratch, sums, dependent)
    counts = np.zeros((4, most_values * n_labels), dtype=np.uint32)
    starts = (labels * most_values).astype(np.uint32)
    table_sums(columns, starts, conditioning.label_counts, *how, counts, found, depends)
    np.testing.assert_array_equal(found, sums)
    np.testing.assert_array_equal(depends, dependent)
    assert not counts.any()
    assert not scratch.in_group.any()


def test_rows_of_one_label_leave_nothing_to_count():
    conditioning = Conditioning(np.zeros(40, np.int32), 2)
    assert conditioning.n_left == 0
    conditioning.add(np.arange(40, dtype=np.uint8), 40)
    assert conditioning.entropy() == 0
    assert conditioning.label_entropies().tolist() == [0, 0]


@pytest.mark.parametrize("corrected", [False, True])
@each("n_known", [0, 1, 2, 3, 4, 5])
def test_groups_of_every_class_are_counted(n_known, corrected):
    codes, n_values, labels = table(3, 3000, 3, 6)
    n_values[:] = 6
    conditioning = Conditioning(labels, 3)
    for feature in range(n_known):
        conditioning.add(codes[feature], 6)
    rowwise, masked, planar = every_way(
        codes, n_values, conditioning, ONE_VS_REST, 3, corrected=corrected
    )
    np.testing.assert_array_equal(masked, rowwise)
    np.testing.assert_array_equal(planar, rowwise)
    groups = arranged(conditioning._groups)
    sizes = np.diff(groups.run_starts[groups.group_runs])
    assert (sizes[: groups.n_large] > SMALL).all()
    small = sizes[groups.n_large : groups.n_large + groups.n_small]
    assert ((small > 2) & (small <= SMALL)).all()
    assert (sizes[groups.n_large + groups.n_small :] == 2).all()


def test_counts_beyond_the_table_of_logarithms_are_exact():
    # 200,000 rows: X of the large counts comes from the routine, not from the table.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200_000)
    x = np.where(rng.random(200_000) < 0.2, labels, 0)
    expected = [naive.label_score(x.tolist(), labels.tolist(), c, []) for c in range(3)]
    np.testing.assert_allclose(label_scores(x, labels), expected, rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from([60, 500, 2000]), st.integers(2, 4))
def test_zeros_are_exact_whatever_the_size_of_the_groups(seed, n_rows, n_labels):
    codes, _, labels = table(seed, n_rows, n_labels, 3, n_features=4)
    # A feature made independent of the labels inside the first feature's groups, row by row.
    twice = np.concatenate([codes[0], codes[0]])
    half = np.repeat([0, 1], n_rows).astype(np.uint8)
    data = CodedData.from_codes(
        np.column_stack([twice, half, np.tile(codes[1], 2)]), np.tile(labels, 2)
    )
    conditioning = Conditioning(data.labels, data.n_classes)
    conditioning.add(data.column(0), int(data.n_values[0]))
    scores = conditioning.scores(data.blocks, np.arange(3), "one-vs-rest")
    assert not scores[:2].any()  # itself, and the half that is the same table again
    y = data.labels.tolist()
    for label in range(data.n_classes):
        known = [data.column(0).tolist()]
        zero = naive.independent(data.column(2).tolist(), [v == label for v in y], known)
        assert (scores[2, label] == 0) == zero


def test_the_least_dependence_is_never_taken_for_rounding():
    # One row moved out of an independent table: the smallest score a group of n rows can have.
    for n in (8, 40, 200, 1000):
        x = np.array([0, 0, 1, 1] * (n // 4))
        y = np.array([0, 1, 0, 1] * (n // 4))
        assert not label_scores(x, y).any()
        x[0] = 1
        conditioning = Conditioning(y.astype(np.int32), 2)
        units = label_scores(x, y) * n * 2.0**conditioning._fixed.scale_bits
        assert (units > 0).all()
        if sum_tells_zero(n, n, conditioning._fixed.scale_bits):
            assert (units > 2 * rounding(n)).all()


def test_in_place_is_for_few_runs_and_gathering_for_many():
    assert counts_in_place(6000, 6000, n_runs=2, mean_values=4)
    assert not counts_in_place(6000, 6000, n_runs=400, mean_values=4)
    assert not counts_in_place(6000, 100, n_runs=4, mean_values=4)
    assert not counts_in_place(10**6, 10**6, n_runs=80, mean_values=4)


def test_masks_and_popcounts_are_bits():
    @lean_kernel
    def bits(codes, at, value):
        mask = equal_mask(codes, at, value)
        return mask, popcount(mask)

    codes = np.zeros(128, dtype=np.uint8)
    codes[[3, 5, 66]] = 7
    assert bits(codes, 0, 7) == (2**3 + 2**5, 2)
    assert bits(codes, 3, 7) == (1 + 2**2 + 2**63, 3)


@pytest.mark.parametrize(
    ("n_codes", "at_hand", "expected"),
    [
        (TINY, True, False),
        (TINY + 1, True, True),
        (TINY + 1, False, False),
        (MIDDLING, False, False),
        (MIDDLING + 1, False, True),
    ],
)
def test_masks_are_compiled_for_large_tables_and_used_for_middling_ones_if_they_are(
    n_codes, at_hand, expected, monkeypatch
):
    monkeypatch.setattr(Kernel, "is_at_hand", at_hand)
    assert counts_by_masks(n_codes, "one-vs-rest", 3, overlap=False) == expected
    assert counts_by_masks(n_codes, "one-vs-rest", 3, overlap=True) == expected


def test_a_kernel_is_at_hand_once_it_is_compiled():
    one_more = Kernel(lambda number: number + 1, {}, is_cached=False)
    assert not one_more.is_at_hand
    assert one_more(1) == 2
    assert one_more.is_at_hand
