"""Conditioning on blocks of S against its naive twins, its two ends and its promises."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.datasets import load_digits, load_wine

from deacs import DEACS, Blocks, CodedData, encode
from deacs.counts.counts import CountsHere
from deacs.exceptions import InputError
from deacs.selection.blocks import BlockCriterion
from tests import naive
from tests.naive import blocks as naive_blocks
from tests.tables_of_codes import coded_tables

SCORES = {"one-vs-rest": naive.label_score, "divergence": naive.divergence}


def coded(columns, y):
    return CodedData.from_codes(np.array(columns).T, y)


def assert_equals_naive(selector, twin):
    assert selector.ranking_.tolist() == [feature for feature, _, _ in twin]
    scores = np.array([scores for _, _, scores in twin]).reshape(selector.label_scores_.shape)
    np.testing.assert_allclose(selector.label_scores_, scores, rtol=1e-9, atol=1e-12)
    # A ratio of scores in fixed point: the smaller the rival, the fewer digits.
    np.testing.assert_allclose(selector.scores_, [theta for _, theta, _ in twin], rtol=1e-8)


@given(
    coded_tables(),
    st.sampled_from([2, 3, 5, 8.5, 30]),
    st.sampled_from(["one-vs-rest", "divergence"]),
    st.sampled_from(["radial", "sum"]),
)
def test_selection_given_blocks_equals_the_naive_twin(table, size, label_score, judge):
    columns, y = table
    selector = DEACS.published(conditioning=Blocks(size, 1), label_score=label_score, judge=judge)
    score = naive_blocks.least(size, SCORES[label_score])
    assert_equals_naive(
        selector.fit(coded(columns, y)), naive.dea_cs(columns, y, score=score, judge=judge)
    )


@given(coded_tables(), st.sampled_from(["cmim", "jmi"]), st.sampled_from(["radial", "sum"]))
def test_selection_given_single_features_equals_the_naive_twin(table, conditioning, judge):
    columns, y = table
    score = getattr(naive_blocks, conditioning)()
    selector = DEACS.published(conditioning=conditioning, judge=judge).fit(coded(columns, y))
    assert_equals_naive(selector, naive.dea_cs(columns, y, score=score, judge=judge))


@given(coded_tables(), st.sampled_from([0, 0.5, 1]))
def test_one_block_without_end_is_the_paper_to_the_last_bit(table, size):
    data = coded(*table)
    paper = DEACS.published().fit(data)
    blocks = DEACS.published(conditioning=Blocks(size, 1)).fit(data)
    assert blocks.ranking_.tolist() == paper.ranking_.tolist()
    assert blocks.scores_.tolist() == paper.scores_.tolist()
    assert blocks.label_scores_.tolist() == paper.label_scores_.tolist()
    assert blocks.residual_.tolist() == paper.residual_.tolist()
    assert blocks.stop_reason_ == paper.stop_reason_


@given(coded_tables())
def test_a_limit_that_every_feature_breaks_is_label_wise_cmim(table):
    data = coded(*table)
    cmim = DEACS.published(conditioning="cmim").fit(data)
    blocks = DEACS.published(conditioning=Blocks(inf, 1)).fit(data)
    assert blocks.ranking_.tolist() == cmim.ranking_.tolist()
    assert blocks.label_scores_.tolist() == cmim.label_scores_.tolist()


@given(coded_tables(max_labels=2))
def test_with_two_classes_the_sum_is_twice_what_a_feature_adds_to_any_selected_one(table):
    columns, y = table
    selector = DEACS.published(conditioning="cmim", judge="sum").fit(coded(columns, y))
    for step, feature in enumerate(selector.ranking_.tolist()):
        adds = [
            naive.conditional_mutual_information(columns[feature], y, [columns[s]])
            for s in selector.ranking_[:step]
        ] or [naive.mutual_information(columns[feature], y)]
        assert selector.scores_[step] == pytest.approx(2 * min(adds), abs=1e-10)


def test_a_block_closes_without_the_feature_that_would_starve_it():
    # 24 rows: values of 2, 3 and 4 kinds, crossed; then groups of a and b hold 4 rows, of all 1.
    a, b, c = np.indices((2, 3, 4)).reshape(3, -1)
    criterion = BlockCriterion(CountsHere(coded([a, b, c], a)), min_group_size=3)
    for feature in (0, 1, 2):
        criterion.add(feature)
    assert criterion.conditions() == [[0, 1], [2]]


def test_a_feature_that_breaks_the_limit_alone_is_a_block_of_its_own():
    wide, narrow = np.arange(24), np.arange(24) % 2
    criterion = BlockCriterion(
        CountsHere(coded([wide, narrow, 1 - narrow], narrow)), min_group_size=5
    )
    for feature in (0, 1, 2):
        criterion.add(feature)
    assert criterion.conditions() == [[0], [1, 2]]


@pytest.mark.parametrize("caution", [1.0, 0.5, 0.0])
def test_nobody_need_ask_for_scores_before_a_block_closes(caution):
    data = encode(*load_wine(return_X_y=True))
    how = {"min_group_size": 5, "caution": caution}
    asked, silent = (BlockCriterion(CountsHere(data), **how) for _ in range(2))
    left = np.arange(data.n_features)
    for feature in (0, 6, 9, 12, 2):
        asked.scores(left)
        left = left[left != feature]
        asked.add(feature)
        silent.add(feature)
    assert len(asked.conditions()) > 1
    assert asked.scores(left).tolist() == silent.scores(left).tolist()


@pytest.mark.parametrize("conditioning", ["jmi", "cmim", "blocks"])
def test_what_is_left_unknown_is_given_all_of_the_selected_features(conditioning):
    data = encode(*load_wine(return_X_y=True))
    selector = DEACS.published(5, conditioning=conditioning).fit(data)
    S = [data.column(j).tolist() for j in selector.ranking_]
    y = data.labels.tolist()
    for i in range(3):
        is_label = [label == i for label in y]
        told = naive.conditional_mutual_information(list(zip(*S, strict=True)), is_label, [])
        left = naive.entropy(is_label) - told
        assert selector.residual_[-1, i] == pytest.approx(left, abs=1e-10)


@pytest.mark.parametrize("conditioning", ["jmi", "cmim", "blocks"])
def test_included_features_lead_and_are_scored_as_any_other(conditioning):
    data = encode(*load_wine(return_X_y=True))
    free = DEACS.published(4, conditioning=conditioning).fit(data)
    forced = DEACS.published(4, conditioning=conditioning, include=free.ranking_[:3].tolist()).fit(
        data
    )
    assert forced.ranking_.tolist() == free.ranking_.tolist()
    assert forced.label_scores_.tolist() == free.label_scores_.tolist()
    np.testing.assert_allclose(forced.scores_, free.scores_, rtol=1e-9)


@pytest.mark.usefixtures("work_is_shared")
@pytest.mark.parametrize("conditioning", ["jmi", "cmim", "blocks"])
def test_threads_do_not_change_a_bit(conditioning):
    data = encode(*load_digits(return_X_y=True))
    one, many = (DEACS.published(12, conditioning=conditioning, n_jobs=n).fit(data) for n in (1, 3))
    assert one.ranking_.tolist() == many.ranking_.tolist()
    assert one.label_scores_.tolist() == many.label_scores_.tolist()


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(coded_tables(max_rows=20), st.sampled_from(["jmi", "cmim", Blocks(4, 1)]))
def test_whole_weights_are_repeated_rows(table, conditioning):
    columns, y = np.array(table[0]), np.array(table[1])
    weights = 1 + np.arange(len(y)) % 3
    repeated = coded(columns.repeat(weights, axis=1), y.repeat(weights))
    weighted = encode(columns.T, y, discrete_features=True, sample_weight=weights)
    ours, theirs = (DEACS.published(conditioning=conditioning).fit(d) for d in (weighted, repeated))
    assert ours.ranking_.tolist() == theirs.ranking_.tolist()
    assert ours.label_scores_.tolist() == theirs.label_scores_.tolist()


def test_fractional_weights_count_as_one_row_on_average():
    data = encode(*load_wine(return_X_y=True))
    X = np.array([data.column(j) for j in range(data.n_features)]).T
    weights = np.full(data.n_rows, 0.3)
    plain = DEACS.published(8, conditioning="blocks").fit(data)
    weighted = DEACS.published(8, conditioning="blocks").fit(X, data.labels, sample_weight=weights)
    assert weighted.ranking_.tolist() == plain.ranking_.tolist()
    np.testing.assert_allclose(weighted.label_scores_, plain.label_scores_, atol=1e-7)


def test_blocks_go_on_where_the_joint_value_leaves_nothing_to_count():
    data = encode(*load_digits(return_X_y=True))
    paper, blocks = (
        DEACS.published().fit(data),
        DEACS.published(30, conditioning="blocks").fit(data),
    )
    assert len(paper.ranking_) < 30
    assert len(blocks.ranking_) == 30


def test_errors_say_what_is_accepted():
    data = encode(*load_wine(return_X_y=True))
    with pytest.raises(ValueError, match="'conditioning' parameter of DEACS"):
        DEACS.published(conditioning="pairs").fit(data)
    unchecked = config_context(skip_parameter_validation=True)
    words = "conditioning must be one of 'blocks', 'joint', 'cmim'"
    with unchecked, pytest.raises(InputError, match=words):
        DEACS(conditioning="pairs").fit(data)
    for size in (-1, float("nan"), "five"):
        with pytest.raises(InputError, match="min_group_size must be a number of rows, 0 or more"):
            Blocks(size, 1).criterion(CountsHere(data))


@pytest.mark.parametrize("caution", [np.float32(0.5), np.int64(1)], ids=repr)
def test_caution_may_be_any_number(caution):
    X, y = load_wine(return_X_y=True)
    found = DEACS(4, conditioning=Blocks(caution=caution)).fit(X, y)
    same = DEACS(4, conditioning=Blocks(caution=float(caution))).fit(X, y)
    assert found.ranking_.tolist() == same.ranking_.tolist()
