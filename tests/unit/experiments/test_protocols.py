"""Protocols: every row where it belongs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.exceptions import InputError
from deacs.experiments import PROTOCOLS, make_protocol

some_labels = st.lists(st.integers(0, 4), min_size=12, max_size=80).map(np.array)


@given(some_labels, st.integers(2, 10), st.integers(0, 3))
def test_folds_part_the_rows_evenly_in_every_class(labels, n_splits, seed):
    splits = make_protocol("nested", n_splits=n_splits, seed=seed).splits(labels)
    assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(len(labels)))
    for split in splits:
        assert not set(split.train) & set(split.test)
        assert len(split.train) + len(split.test) == len(labels)
    for rows in (labels >= 0, *(labels == label for label in np.unique(labels))):
        sizes = [rows[split.test].sum() for split in splits]
        assert max(sizes) - min(sizes) <= 1


@given(some_labels, st.integers(0, 3))
def test_a_third_of_every_class_is_held_out(labels, seed):
    (split,) = make_protocol("held-out", seed=seed).splits(labels)
    assert sorted([*split.train, *split.test]) == list(range(len(labels)))
    for label in np.unique(labels):
        n = (labels == label).sum()
        assert abs((labels[split.test] == label).sum() - n / 3) < 1 + 1e-9


@given(some_labels, st.integers(0, 3))
def test_the_bootstrap_draws_as_many_of_each_class_and_tests_the_rest(labels, seed):
    splits = make_protocol("bootstrap", seed=seed).splits(labels)
    assert len(splits) == 10
    for split in splits:
        np.testing.assert_array_equal(np.bincount(labels[split.train]), np.bincount(labels))
        assert set(split.train) | set(split.test) == set(range(len(labels)))
        assert not set(split.train) & set(split.test)


def test_the_seed_decides_and_repeats_differ():
    labels = np.repeat([0, 1, 2], 20)

    def tests(**how):
        return [s.test.tolist() for s in make_protocol("repeated", **how).splits(labels)]

    assert len(tests()) == 50
    assert tests(seed=1) == tests(seed=1)
    assert tests(seed=1) != tests(seed=2)
    assert tests()[:10] != tests()[10:20]


def test_only_the_paper_s_protocols_are_optimistic_and_say_so():
    optimistic = [name for name, p in PROTOCOLS.items() if p.selects_on_all_rows]
    assert optimistic == ["paper", "paper-weka"]
    assert PROTOCOLS["paper"].label == "paper (optimistic)"


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"name": "nestd"}, "protocol must be one of paper, paper-weka, nested"),
        ({"name": "nested", "n_splits": 1}, "n_splits must be 2 or more, got 1"),
        ({"name": "held-out", "n_splits": 5}, "does not apply to the protocol 'held-out'"),
        ({"name": "nested", "n_repeats": 0}, "n_repeats must be 1 or more"),
    ],
)
def test_what_cannot_be_is_refused(how, words):
    with pytest.raises(InputError, match=words):
        make_protocol(**how)


def test_more_folds_than_rows_are_refused():
    with pytest.raises(InputError, match="must not exceed the 4 rows, got 10"):
        make_protocol("nested").splits(np.array([0, 1, 0, 1]))
