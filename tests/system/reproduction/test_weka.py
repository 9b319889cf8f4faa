"""Weka's classifiers, real Weka, beside ours."""

import shutil
from importlib.util import find_spec

import numpy as np
import pytest
from reproduction import workbenches
from reproduction.protocols import JavaRandom, weka_folds
from reproduction.workbenches import (
    WORKBENCHES,
    Classifier,
    CountingBayes,
    NearestRows,
    _instances,
    _java,
    known_classifiers,
)

from deacs.exceptions import InputError

needs_weka = pytest.mark.skipif(
    find_spec("weka") is None or shutil.which("java") is None,
    reason="python-weka-wrapper3 or Java is not installed",
)


def balanced_codes(seed, n_rows=90):
    rng = np.random.default_rng(seed)
    labels = np.arange(n_rows) % 3
    n_values = np.array([3, 4, 2, 3])
    codes = np.where(
        rng.random((n_rows, 4)) < 0.4, labels[:, None], rng.integers(0, 4, (n_rows, 4))
    )
    return np.minimum(codes, n_values - 1), labels, n_values


@needs_weka
@pytest.mark.parametrize("seed", range(3))
def test_ibk_is_our_nearest_rows_ties_and_unknown_values_included(seed):
    codes, labels, n_values = balanced_codes(seed)
    test, _, _ = balanced_codes(seed + 50)
    test[::7, 1] = n_values[1]  # unknown
    theirs = known_classifiers(["weka-ibk"])["weka-ibk"].predict(codes, labels, test, n_values)
    np.testing.assert_array_equal(theirs, NearestRows().fit(codes, labels).predict(test))


@needs_weka
@pytest.mark.parametrize("seed", range(3))
def test_weka_s_naive_bayes_is_ours_when_classes_are_balanced(seed):
    """Weka adds one to the counts of classes too, which then changes nothing."""
    codes, labels, n_values = balanced_codes(seed)
    test, _, _ = balanced_codes(seed + 50)
    test[::7, 1] = n_values[1]
    theirs = known_classifiers(["weka-nb"])["weka-nb"].predict(codes, labels, test, n_values)
    ours = Classifier("nb", CountingBayes(), "counts").predict(codes, labels, test, n_values)
    np.testing.assert_array_equal(theirs, ours)


@needs_weka
@pytest.mark.parametrize("name", WORKBENCHES["weka"])
def test_every_classifier_learns_what_one_feature_tells(name):
    codes, _, n_values = balanced_codes(4)
    labels = np.array([5, 2, 9])[codes[:, 0]]  # any integers
    (classifier,) = known_classifiers([name]).values()
    predicted = classifier.predict(codes[:60], labels[:60], codes[60:], n_values)
    np.testing.assert_array_equal(predicted, labels[60:])


def test_without_the_wrapper_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(workbenches, "find_spec", lambda name: None)
    codes, labels, n_values = balanced_codes(0)
    with pytest.raises(InputError, match="pip install python-weka-wrapper3"):
        known_classifiers(["weka-j48"])["weka-j48"].predict(codes, labels, codes, n_values)


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
