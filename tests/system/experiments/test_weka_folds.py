"""Weka's folds beside real Weka's, and Java's random numbers beside Java's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.experiments import make_protocol
from deacs.experiments.weka import _instances, _java
from deacs.experiments.weka_folds import JavaRandom, weka_folds
from tests.system.experiments.test_weka import needs_weka


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


@needs_weka
@pytest.mark.parametrize(("n", "n_folds", "seed"), [(30, 10, 1), (194, 10, 1), (97, 4, 7)])
def test_the_folds_are_weka_s(n, n_folds, seed):
    java = _java()
    labels = np.random.default_rng(n).integers(0, 5, n).astype(np.int32)
    rows = _instances(java, np.arange(n)[:, None], labels.astype(np.int64), np.array([n]), 5)
    rows.randomize(java.JClass("java.util.Random")(seed))
    rows.stratify(n_folds)
    for k, fold in enumerate(weka_folds(labels, n_folds, seed)):
        tested = rows.testCV(n_folds, k)
        theirs = [int(tested.instance(i).value(0)) for i in range(tested.numInstances())]
        assert sorted(theirs) == fold.tolist()


@needs_weka
@pytest.mark.parametrize("bound", [1, 2, 10, 64, 2**30 + 1])
def test_random_numbers_are_java_s(bound):
    theirs, ours = _java().JClass("java.util.Random")(5), JavaRandom(5)
    assert [ours.below(bound) for _ in range(50)] == [theirs.nextInt(bound) for _ in range(50)]


def test_the_protocol_selects_on_all_rows_and_tests_every_row_once():
    protocol = make_protocol("paper-weka", n_splits=3, seed=1)
    assert protocol.label == "paper-weka (optimistic)"
    labels = np.repeat([0, 1], 10).astype(np.int32)
    splits = protocol.splits(labels)
    assert sorted(np.concatenate([s.test for s in splits]).tolist()) == list(range(20))
    for split, fold in zip(splits, weka_folds(labels, 3, 1), strict=True):
        assert split.test.tolist() == fold.tolist()
        assert sorted([*split.train, *split.test]) == list(range(20))
