"""Protocols: every row where it belongs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproduction.protocols import PROTOCOLS, Protocol, weka_folds

from deacs.exceptions import InputError

some_labels = st.lists(st.integers(0, 4), min_size=12, max_size=80).map(np.array)


@given(some_labels, st.integers(2, 10), st.integers(0, 3))
def test_folds_part_the_rows_evenly_in_every_class(labels, n_splits, seed):
    splits = Protocol("nested", n_splits=n_splits, seed=seed).splits(labels)
    assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(len(labels)))
    for split in splits:
        assert not set(split.train) & set(split.test)
        assert len(split.train) + len(split.test) == len(labels)
    for rows in (labels >= 0, *(labels == label for label in np.unique(labels))):
        sizes = [rows[split.test].sum() for split in splits]
        assert max(sizes) - min(sizes) <= 1


def test_only_the_paper_s_protocols_are_optimistic_and_say_so():
    optimistic = [name for name, p in PROTOCOLS.items() if p.selects_on_all_rows]
    assert optimistic == ["paper", "paper-weka"]
    assert PROTOCOLS["paper"].label == "paper (optimistic)"


@pytest.mark.parametrize("n_splits", [1, 5])
def test_folds_that_cannot_be_are_refused(n_splits):
    with pytest.raises(InputError, match=f"folds must be from 2 to 4 .*, got {n_splits}"):
        Protocol("nested", n_splits=n_splits).splits(np.array([0, 1, 0, 1]))


@given(st.lists(st.integers(0, 3), min_size=6, max_size=60), st.integers(2, 6), st.integers(0, 9))
def test_folds_part_the_rows_and_are_even(labels, n_folds, seed):
    labels = np.array(labels, dtype=np.int32)
    folds = weka_folds(labels, n_folds, seed)
    assert sorted(np.concatenate(folds).tolist()) == list(range(len(labels)))
    assert max(map(len, folds)) - min(map(len, folds)) <= 1
    for label in np.unique(labels):
        # Every n_folds-th row of a run of one class: even to one row, and one more where a fold of
        # another size begins.
        counts = [(labels[fold] == label).sum() for fold in folds]
        assert max(counts) - min(counts) <= 2


def test_the_protocol_selects_on_all_rows_and_tests_every_row_once():
    protocol = replace(PROTOCOLS["paper-weka"], n_splits=3, seed=1)
    assert protocol.label == "paper-weka (optimistic)"
    labels = np.repeat([0, 1], 10).astype(np.int32)
    splits = protocol.splits(labels)
    assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(20))
    for split, fold in zip(splits, weka_folds(labels, 3, 1), strict=True):
        assert split.test.tolist() == fold.tolist()
        assert sorted([*split.train, *split.test]) == list(range(20))
