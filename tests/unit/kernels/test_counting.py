"""Four ways to count, one answer, at every level of the processor: rows, planes, masks, tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deacs._kernels as kernels
from deacs._kernels.arrays import SMALL
from deacs.coding import CodeBlock, CodedData
from deacs.counts import Conditioning, counting
from deacs.counts.bias import chance_of
from deacs.counts.counting import (
    Given,
    count_by_masks,
    count_by_planes,
    count_by_rows,
    count_in_tables,
)
from deacs.information import divergence, label_scores
from tests import naive
from tests.each import each

KINDS = ["one-vs-rest", "divergence", "joint"]
WAYS = [(kind, False) for kind in KINDS] + [("one-vs-rest", True)]
"""Kinds of scores, and whether they are corrected for chance."""

WIDTHS = [np.uint8, np.uint16, np.uint32]


def table(seed, n_rows, n_labels, most_values, dtype=np.uint8, n_features=8):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, n_rows).astype(np.int32)
    n_values = rng.integers(1, most_values + 1, n_features)
    codes = (rng.random((n_features, n_rows)) * n_values[:, None]).astype(dtype)
    block = CodeBlock(np.arange(n_features), codes, n_values, np.full(n_features, -1))
    return block, labels


def given_of(conditioning, kind, block, corrected=False, weights=None):
    parts, fixed = conditioning._parts_of(kind), conditioning._fixed
    chance = chance_of(parts, int(block.n_values.sum()), fixed) if corrected else None
    labels = conditioning._labels if conditioning._is_whole else None
    base = conditioning.base_sums(kind)
    return Given(conditioning._groups, parts, weights, base, fixed, chance, labels)


def conditioned(block, labels, n_labels, n_known, weights=None, membership=None):
    conditioning = Conditioning(labels, n_labels, weights, membership=membership)
    for feature in range(n_known):
        conditioning.add(block.codes[feature], int(block.n_values[feature]))
    return conditioning


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 63, 64, 65, 130, 1000]),
    st.integers(2, 6),
    st.integers(2, 16),
    st.integers(0, 3),
    st.sampled_from(WAYS),
    st.sampled_from(WIDTHS),
)
def test_all_ways_to_count_give_the_same_sums_at_every_level(
    seed, n_rows, n_labels, most_values, n_known, way, dtype
):
    kind, corrected = way
    block, labels = table(seed, n_rows, n_labels, most_values, dtype)
    conditioning = conditioned(block, labels, n_labels, n_known)
    if conditioning.n_left == 0:
        return
    what = given_of(conditioning, kind, block, corrected), block, np.arange(8), kind, None
    expected = count_by_rows(*what)
    ways = [count_by_rows, count_by_masks]
    ways += [count_by_planes] if dtype == np.uint8 else []
    ways += [count_in_tables] if n_known == 0 else []
    for level in kernels.levels():
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(counting, "compiled", kernels.at_level("counting", level))
            for count in ways:
                units, dependent, _ = count(*what)
                np.testing.assert_array_equal(units, expected.units)
                if not corrected:
                    np.testing.assert_array_equal(dependent, expected.dependent)


@pytest.mark.parametrize(("kind", "corrected"), [way for way in WAYS if way[0] != "joint"])
@each("n_rows", [5, 64, 65, 700])
@each("n_labels", [2, 5, 40])
def test_outputs_that_share_rows_are_counted_by_masks_and_by_rows(
    kind, corrected, n_rows, n_labels
):
    rng = np.random.default_rng(n_rows + n_labels)
    Y = rng.random((n_rows, n_labels)) < rng.uniform(0.05, 0.6, n_labels)
    Y[0], Y[1] = True, False
    codes = (rng.random((n_rows, 8)) * rng.integers(2, 17, 8)).astype(np.uint8)
    data = CodedData.from_codes(codes, Y)
    [block], conditioning = data.blocks, Conditioning.of(data)
    for step in range(4):  # from one group to pairs of rows
        if conditioning.n_left == 0:
            break
        what = given_of(conditioning, kind, block, corrected), block, np.arange(8), kind, None
        np.testing.assert_array_equal(count_by_masks(*what).units, count_by_rows(*what).units)
        conditioning.add(data.column(step), int(data.n_values[step]))
    assert step > 0


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 64, 300]),
    st.integers(2, 6),
    st.integers(1, 40),
    st.integers(1, 9),
    st.sampled_from(WAYS),
    st.sampled_from(WIDTHS),
)
def test_weighted_tables_of_many_values_give_the_sums_of_rows(
    seed, n_rows, n_labels, most_values, n_features, way, dtype
):
    kind, corrected = way
    block, labels = table(seed, n_rows, n_labels, most_values, dtype, n_features)
    weights = np.random.default_rng(seed).integers(1, 9, n_rows)
    conditioning = conditioned(block, labels, n_labels, 0, weights)
    if conditioning.n_left == 0:
        return
    against = given_of(conditioning, kind, block, corrected, weights)
    what = against, block, np.arange(n_features), kind, None
    rows, tables = count_by_rows(*what), count_in_tables(*what)
    np.testing.assert_array_equal(tables.units, rows.units)
    if not corrected:
        np.testing.assert_array_equal(tables.dependent, rows.dependent)


def test_rows_of_one_label_leave_nothing_to_count():
    conditioning = Conditioning(np.zeros(40, np.int32), 2)
    assert conditioning.n_left == 0
    conditioning.add(np.arange(40, dtype=np.uint8), 40)
    assert conditioning.entropy() == 0
    assert conditioning.label_entropies().tolist() == [0, 0]


@each("n_known", [0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("corrected", [False, True])
def test_groups_of_every_size_are_counted_by_masks_gathered_and_in_table_order(n_known, corrected):
    block, labels = table(3, 40_000, 3, 6)
    conditioning = conditioned(block, labels, 3, n_known)
    what = given_of(conditioning, "one-vs-rest", block, corrected), block, np.arange(8)
    rows = count_by_rows(*what, "one-vs-rest", None)
    for level in kernels.levels():
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(counting, "compiled", kernels.at_level("counting", level))
            for count in (count_by_masks, count_by_planes):
                sums = count(*what, "one-vs-rest", None)
                np.testing.assert_array_equal(sums.units, rows.units)


def test_planes_serve_labels_that_are_shuffled():
    block, labels = table(4, 500, 3, 4)
    conditioning = conditioned(block, labels, 3, 2)
    shuffled = conditioning.relabelled(labels[::-1].copy())  # rows of a run ascend no longer
    what = given_of(shuffled, "joint", block), block, np.arange(8), "joint", None
    np.testing.assert_array_equal(count_by_planes(*what).units, count_by_rows(*what).units)


def test_counts_beyond_the_table_of_logarithms_are_exact():
    # 200,000 rows: X of the large counts comes from the routine, not from the table.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200_000)
    x = np.where(rng.random(200_000) < 0.2, labels, 0)
    expected = [naive.label_score(x.tolist(), labels.tolist(), c, []) for c in range(3)]
    np.testing.assert_allclose(label_scores(x, labels), expected, rtol=1e-9)
    of_labels = [np.bincount(x[labels == c], minlength=3) / (labels == c).sum() for c in range(3)]
    of_all = np.bincount(x, minlength=3) / len(x)
    expected = [(p[p > 0] * np.log2(p[p > 0] / of_all[p > 0])).sum() for p in of_labels]
    np.testing.assert_allclose(divergence(x, labels), expected, rtol=1e-9)


@given(st.integers(0, 2**32 - 1), st.sampled_from([60, 500, 2000]), st.integers(2, 4))
def test_zeros_are_exact_whatever_the_size_of_the_groups(seed, n_rows, n_labels):
    block, labels = table(seed, n_rows, n_labels, 3, n_features=4)
    # A feature made independent of the labels inside the first feature's groups, row by row.
    twice = np.concatenate([block.codes[0], block.codes[0]])
    half = np.repeat([0, 1], n_rows).astype(np.uint8)
    data = CodedData.from_codes(
        np.column_stack([twice, half, np.tile(block.codes[1], 2)]), np.tile(labels, 2)
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


@each("n", [8, 40, 200, 1000])
def test_the_least_dependence_is_never_taken_for_rounding(n):
    # One row moved out of an independent table: the smallest score a group of n rows can have.
    x = np.array([0, 0, 1, 1] * (n // 4))
    y = np.array([0, 1, 0, 1] * (n // 4))
    assert not label_scores(x, y).any()
    x[0] = 1
    block = CodeBlock(np.arange(1), x[np.newaxis].astype(np.uint8), np.array([2]), np.array([-1]))
    conditioning = Conditioning(y.astype(np.int32), 2)
    against = given_of(conditioning, "one-vs-rest", block)
    by_rows = count_by_rows(against, block, np.arange(1), "one-vs-rest", None)
    assert by_rows.dependent.all()
    assert (by_rows.units > 0).all()
    if counting._sum_tells_zero(against):
        assert (by_rows.units > 2 * counting.rounding(n)).all()


def test_a_way_is_chosen_by_the_table_alone(monkeypatch):
    chosen = []

    def watched(way):
        def count(*arguments, **how):
            chosen.append(way.__name__)
            return way(*arguments, **how)

        return count

    for way in (count_in_tables, count_by_masks, count_by_planes, count_by_rows):
        monkeypatch.setattr(counting, way.__name__, watched(way))
    rng = np.random.default_rng(0)
    n_values = np.array([2] * 9 + [16, 17, 250])
    codes = np.array([rng.integers(0, n, 300) for n in n_values], dtype=np.uint8)
    block = CodeBlock(np.arange(12), codes, n_values, np.full(12, -1))
    labels = rng.integers(0, 5, 300).astype(np.int32)
    conditioning = Conditioning(labels, 5)

    def ways(n, estimator="plug-in"):
        chosen.clear()
        conditioning.scores((block,), np.arange(n), "one-vs-rest", estimator=estimator)
        return [way.removeprefix("count_") for way in chosen]

    assert ways(8) == ["by_masks"]  # too few for planes to pay
    assert ways(9) == ["by_planes"]
    # The last has 1250 cells for 300 rows.
    assert ways(12) == ["by_planes", "by_masks", "in_tables", "by_rows"]
    conditioning.add(block.codes[0], 2)
    assert ways(11, "excess") == ["by_planes", "by_masks", "by_rows"]
    conditioning.add(block.codes[1], 2)
    conditioning.add(block.codes[2], 2)  # 40 runs
    assert ways(9) == ["by_masks"]
    assert ways(9, "miller-madow") == ["by_rows"]


@given(st.binary(min_size=SMALL, max_size=SMALL), st.integers(0, SMALL - 1))
def test_a_mask_has_a_bit_for_each_equal_code_at_every_level_and_without_any(codes, at):
    codes = np.frombuffer(codes, dtype=np.uint8)
    expected = sum(1 << k for k in range(SMALL) if codes[k] == codes[at])
    for level in kernels.levels():
        found = kernels.at_level("counting", level).masks_of(codes, codes[at])
        assert found == (expected, expected)
