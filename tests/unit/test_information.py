"""The public measures against their definitions, and the identities of the paper."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from deacs import DEACS, OneVsRest
from deacs.exceptions import InputError
from deacs.information import (
    conditional_mutual_information,
    divergence,
    entropy,
    label_scores,
    local_mutual_information,
    mutual_information,
)
from tests import naive
from tests.naive import bias as naive_bias
from tests.tables_of_codes import coded_tables

close = {"rel": 1e-9, "abs": 1e-12}


@given(coded_tables())
def test_measures_equal_their_definitions(table):
    columns, y = table
    x, rest = columns[0], columns[1:]
    known = np.array(rest).T if rest else None
    assert entropy(x) == pytest.approx(naive.entropy(x), **close)
    assert mutual_information(x, y) == pytest.approx(naive.mutual_information(x, y), **close)
    expected = naive.conditional_mutual_information(x, y, rest)
    assert conditional_mutual_information(x, y, known) == pytest.approx(expected, **close)
    classes = sorted(set(y))
    for measure, twin in ((label_scores, naive.label_score), (divergence, naive.divergence)):
        expected = [twin(x, y, c, rest) for c in classes]
        np.testing.assert_allclose(measure(x, y, known), expected, rtol=1e-9, atol=1e-12)


@given(coded_tables())
def test_label_scores_without_chance_equal_their_definitions(table):
    columns, y = table
    x, rest = columns[0], columns[1:3]
    known = np.array(rest).T if rest else None
    for estimator, twin in (
        ("plug-in", naive.label_score),
        ("miller-madow", naive_bias.miller_madow),
        ("excess", naive_bias.excess),
    ):
        expected = [twin(x, y, c, rest) for c in sorted(set(y))]
        found = label_scores(x, y, known, estimator=estimator)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=2e-10, err_msg=estimator)


@pytest.mark.parametrize("estimator", ["plug-in", "miller-madow", "excess"])
def test_label_scores_are_those_of_the_first_step_of_a_selection(estimator):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.integers(0, 4, (200, 5)) + np.where(np.arange(5) % 2, y[:, None], 0)
    selector = DEACS.published(1, label_score=OneVsRest(estimator), judge="sum").fit(X, y)
    ours = label_scores(X, y, estimator=estimator)
    np.testing.assert_array_equal(selector.label_scores_[0], ours[selector.ranking_[0]])
    assert selector.ranking_[0] == ours.sum(axis=1).argmax()


@given(coded_tables())
def test_divergences_weighted_by_their_labels_sum_up_to_information(table):
    columns, y = table
    x, known = columns[0], np.array(columns[-1])
    shares = np.array([y.count(c) / len(y) for c in sorted(set(y))])
    expected = conditional_mutual_information(x, y, known)
    assert shares @ divergence(x, y, known) == pytest.approx(expected, **close)


@given(coded_tables())
def test_label_score_is_the_weighted_local_information_of_the_groups(table):
    # The paper's Proposition 4.1, for R in place of I.
    columns, y = table
    x, known = np.array(columns[0]), np.array(columns[-1])
    for i, label in enumerate(sorted(set(y))):
        is_label = np.array(y) == label
        total = sum(
            np.mean(known == value) * local_mutual_information(x, is_label, known == value)
            for value in set(columns[-1])
        )
        assert label_scores(x, y, known)[i] == pytest.approx(total, **close)


@given(coded_tables(max_labels=2))
def test_with_two_labels_every_label_score_is_the_conditional_information(table):
    columns, y = table
    x, known = columns[0], np.array(columns[-1])
    scores = label_scores(x, y, known)
    assert scores[0] == scores[1]
    assert scores[0] == pytest.approx(conditional_mutual_information(x, y, known), **close)


@given(coded_tables())
def test_scores_are_zero_exactly_for_independence(table):
    columns, y = table
    x, rest = columns[0], columns[1:]
    known = np.array(rest).T if rest else None
    for i, label in enumerate(sorted(set(y))):
        is_label = [value == label for value in y]
        is_zero = naive.independent(x, is_label, rest)
        assert (label_scores(x, y, known)[i] == 0) == is_zero
        assert (divergence(x, y, known)[i] == 0) == is_zero


def test_a_perfect_predictor_tells_the_entropy_of_each_label():
    y = ["a"] * 1 + ["b"] * 3 + ["c"] * 4
    binary = [-(p * math.log2(p) + (1 - p) * math.log2(1 - p)) for p in (1 / 8, 3 / 8, 4 / 8)]
    np.testing.assert_allclose(label_scores(y, y), binary, rtol=1e-12)
    np.testing.assert_allclose(divergence(y, y), [3, math.log2(8 / 3), 1], rtol=1e-12)


def test_several_columns_give_several_numbers():
    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": ["u", "v", "u", "v"]})
    y = [0, 0, 1, 1]
    assert mutual_information(X, y).tolist() == [1.0, 0.0]
    assert label_scores(X, y).shape == (2, 2)


def test_missing_is_a_value_of_its_own():
    assert mutual_information(["a", None, "a", None], [0, 1, 0, 1]) == 1.0
    assert entropy([1.5, float("nan"), 1.5, float("nan")]) == 1.0


def test_numbers_beside_text_stay_numbers():
    mixed, y = [1, "1", 1], [0, 1, 0]
    for measure in (mutual_information, lambda x, y: local_mutual_information(x, y, [0, 1, 2])):
        with pytest.raises(TypeError, match="mixes types"):
            measure(mixed, y)


def test_entropy_given_the_variable_itself_is_zero():
    x = ["a", "b", "b", "c"]
    assert entropy(x, given=x) == 0.0
    assert entropy(x, given=["u"] * 4) == entropy(x)


def test_more_than_256_values_are_counted():
    n = 70_000
    x = np.arange(n)
    assert mutual_information(x, x % 2) == 1.0
    assert mutual_information(x // 100, x % 2) == 0.0
    assert entropy(x[:1024]) == 10.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mutual_information([0, 1], [0, 1, 1]), "equal lengths, got 2 and 3"),
        (lambda: conditional_mutual_information([0, 1], [0, 1], [0]), "given must have 2 rows"),
        (lambda: entropy([[0, 1], [1, 0]]), "x must be one-dimensional"),
        (lambda: label_scores([0, 1], [0, 1], estimator="jack"), "one of plug-in, .* got 'jack'"),
        (lambda: local_mutual_information([0, 1], [0, 1], []), "at least one row"),
        (lambda: local_mutual_information([0, 1], [0, 1], [False, False]), "at least one row"),
        (lambda: local_mutual_information([0, 1], [0, 1], [0, 2]), "rows must be .* from 0 to 1"),
        (lambda: local_mutual_information([0, 1], [0, 1], [True]), "rows must be a mask of 2 rows"),
        (lambda: local_mutual_information([0, 1], [0, 1], [0.5]), "rows must be a mask of 2 rows"),
        (lambda: local_mutual_information([0, 1, 1], [0, 1], [0, 1]), "must have equal lengths"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()
