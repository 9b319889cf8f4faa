"""Outputs that share rows: counted by masks and row by row, one answer; parts as defined."""

import numpy as np
import pytest

from deacs.coding import CodedData
from deacs.information import Conditioning, counting
from deacs.information.bias import chance_of
from deacs.information.counting import count_by_rows, count_overlapping
from deacs.information.grouping import arranged
from deacs.information.plan import TINY
from tests.each import each


def table(seed, n_rows, n_labels, most_values, dtype=np.uint8):
    rng = np.random.default_rng(seed)
    Y = rng.random((n_rows, n_labels)) < rng.uniform(0.05, 0.6, n_labels)
    Y[0], Y[1] = True, False
    n_values = rng.integers(2, most_values + 1, 8)
    codes = (rng.random((n_rows, 8)) * n_values).astype(dtype)
    return CodedData.from_codes(codes, Y)


@pytest.mark.parametrize(
    ("kind", "corrected"),
    [("one-vs-rest", False), ("one-vs-rest", True), ("divergence", False)],
)
@each("n_rows", [5, 64, 65, 700])
@each("n_labels", [2, 5, 40])
def test_masks_and_rows_give_the_same_sums(kind, corrected, n_rows, n_labels):
    data = table(n_rows + n_labels, n_rows, n_labels, 16)
    conditioning = Conditioning.of(data)
    for step in range(4):  # from one group to pairs of rows
        conditioning._groups = arranged(conditioning._groups)
        counted = conditioning._counted(kind)
        chance = chance_of(counted, int(data.n_values.sum()), conditioning._fixed)
        given = conditioning._given(kind, chance if corrected else None)
        if conditioning.n_left == 0:
            break
        [block] = data.blocks
        members = np.arange(8)
        by_rows, _ = count_by_rows(given, block, members, kind, None)
        by_masks = count_overlapping(given, block, members, kind, None)
        if corrected:  # two rows of a pair are expected to say what they say
            by_rows -= conditioning.base_sums(kind)
            by_masks -= conditioning.base_sums(kind)
            np.testing.assert_allclose(by_masks, by_rows, atol=9 * n_rows)
        else:
            np.testing.assert_array_equal(by_masks, by_rows)
        conditioning.add(data.column(step), int(data.n_values[step]))
    assert step > 0


def test_parts_are_the_rows_of_each_label_in_each_group_that_has_some_and_not_all():
    Y = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]], dtype=bool)
    column = np.array([0, 0, 0, 1, 1, 1], dtype=np.uint8)
    conditioning = Conditioning.of(CodedData.from_codes(column[:, None], Y))
    conditioning.add(column, 2)
    counted, rows = conditioning._counted("one-vs-rest"), conditioning._groups.rows
    parts = counted.parts
    found = set()
    for g in range(2):
        for part in range(parts.groups[g], parts.groups[g + 1]):
            members = parts.positions[parts.starts[part] : parts.starts[part + 1]]
            found.add((int(parts.outputs[part]), tuple(sorted(rows[members].tolist()))))
    # All of the first group have label 0.
    assert found == {(1, (0, 2)), (2, (2,)), (0, (4,)), (1, (3,)), (2, (5,))}
    assert sorted(counted.sizes.tolist()) == [1, 1, 1, 1, 2]
    assert counted.group_sizes.tolist() == [3, 3]


@pytest.mark.parametrize("threads", [1, 2])
def test_scores_do_not_depend_on_threads_or_on_the_order_of_rows(threads, monkeypatch):
    monkeypatch.setattr(counting, "MIDDLING", TINY)
    data = table(0, TINY // 8 + 1, 6, 10)  # large enough to be counted by masks
    Y = data.about.indicators(data.labels)
    order = np.random.default_rng(1).permutation(data.n_rows)
    codes = np.array([data.column(j) for j in range(8)]).T
    shuffled = CodedData.from_codes(codes[order], Y[order])
    features = np.arange(8)
    scores = Conditioning.of(data).scores(data.blocks, features, "one-vs-rest", threads)
    other = Conditioning.of(shuffled).scores(shuffled.blocks, features, "one-vs-rest")
    np.testing.assert_array_equal(scores, other)
