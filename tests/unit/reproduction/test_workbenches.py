"""Classifiers on codes, against scikit-learn and against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproduction.workbenches import (
    QUARTET,
    Classifier,
    CountingBayes,
    NearestRows,
    known_classifiers,
)
from sklearn.naive_bayes import CategoricalNB

from deacs.coding.new_rows import one_hot
from deacs.exceptions import InputError


def random_codes(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    n_values = rng.integers(2, 5, 4)
    codes = rng.integers(0, n_values, (n_rows, 4))
    return codes, (codes[:, 0] + rng.integers(0, 2, n_rows)) % 3, n_values


@pytest.mark.parametrize("seed", range(5))
def test_counting_bayes_is_categorical_naive_bayes(seed):
    codes, labels, n_values = random_codes(seed)
    test, _, _ = random_codes(seed + 100)
    test = np.minimum(test, n_values - 1)
    ours = CountingBayes(n_values).fit(one_hot(codes, n_values), labels)
    theirs = CategoricalNB(min_categories=n_values).fit(codes, labels)
    scores = one_hot(test, n_values) @ ours._values + ours._priors
    np.testing.assert_allclose(scores, theirs.predict_joint_log_proba(test), rtol=1e-12)
    np.testing.assert_array_equal(ours.predict(one_hot(test, n_values)), theirs.predict(test))


def test_an_unknown_value_says_nothing_to_bayes():
    codes, labels, n_values = random_codes(7)
    whole = Classifier("nb", CountingBayes(), "counts")
    new = codes.copy()
    new[:, 2] = n_values[2]
    rest = [0, 1, 3]
    np.testing.assert_array_equal(
        whole.predict(codes, labels, new, n_values),
        whole.predict(codes[:, rest], labels, codes[:, rest], n_values[rest]),
    )


@given(st.integers(0, 50))
def test_nearest_rows_vote_as_the_definition_says(seed):
    codes, labels, _ = random_codes(seed, n_rows=25)
    new, _, _ = random_codes(seed + 1000, n_rows=7)
    expected = []
    for row in new:
        distances = [sum(a != b for a, b in zip(row, old, strict=True)) for old in codes]
        votes = [k for k, d in zip(labels, distances, strict=True) if d == min(distances)]
        expected.append(max(sorted(set(votes)), key=votes.count))
    assert NearestRows().fit(codes, labels).predict(new).tolist() == expected


def test_many_rows_at_once_are_the_same_as_few(monkeypatch):
    codes, labels, _ = random_codes(3)
    nearest = NearestRows().fit(codes, labels)
    at_once = nearest.predict(codes[::-1])
    monkeypatch.setattr(NearestRows, "rows_at_once", 7)
    np.testing.assert_array_equal(nearest.predict(codes[::-1]), at_once)


@pytest.mark.parametrize("name", QUARTET)
def test_every_classifier_learns_what_one_feature_tells(name):
    codes, _, n_values = random_codes(11, n_rows=90)
    labels = np.array([5, 2, 9, 7])[codes[:, 0]]  # any integers
    (classifier,) = known_classifiers([name]).values()
    predicted = classifier.predict(codes[:60, :1], labels[:60], codes[60:, :1], n_values[:1])
    np.testing.assert_array_equal(predicted, labels[60:])


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match=r"among nb, svm, 1-nn, tree, weka-nb.* got 'knn'"):
        known_classifiers(["knn"])
