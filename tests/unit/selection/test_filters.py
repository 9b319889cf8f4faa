"""The filters against their definitions, and what each is for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine

from deacs import (
    CIFE,
    CMI,
    CMIM,
    DEACS,
    DISR,
    ICAP,
    JMI,
    JMIM,
    MIFS,
    MIFSU,
    MIM,
    MRMR,
    NJMIM,
    BetaGamma,
    encode,
)
from tests.each import each
from tests.naive import conditional_mutual_information, entropy, mutual_information
from tests.naive import filters as naive_filters
from tests.naive.filters import (
    class_redundancy,
    coded,
    columns_of,
    greedy,
    joined,
    same_path,
    symmetrical_relevance,
)
from tests.tables_of_codes import coded_tables

TWINS = {
    MIM(): naive_filters.mim,
    MRMR(): naive_filters.mrmr,
    CIFE(): naive_filters.cife,
    ICAP(): naive_filters.icap,
    JMI(): naive_filters.jmi,
    JMIM(): naive_filters.jmim,
    NJMIM(): naive_filters.njmim,
    CMIM(): naive_filters.cmim,
    DISR(): naive_filters.disr,
    **{MIFS(beta=beta): naive_filters.mifs(beta) for beta in (0.0, 0.5, 2.5)},
    BetaGamma(beta=0.5): naive_filters.beta_gamma(1, 0.5, "mean"),
    **{MIFSU(beta=beta): naive_filters.mifsu(beta) for beta in (0.0, 0.5, 1.0)},
}


@pytest.mark.parametrize("selector", TWINS, ids=repr)
@given(table=coded_tables())
def test_ranking_equals_the_naive_twin(selector, table):
    columns, y = table
    same_path(selector.fit(coded(columns, y)), greedy(TWINS[selector], columns, y))


@given(coded_tables())
def test_ranking_of_cmi_equals_the_naive_twin(table):
    columns, y = table
    twin = greedy(naive_filters.cmi, columns, y, ends_at_zero=True)
    same_path(CMI().fit(coded(columns, y)), twin)


@pytest.mark.parametrize("selector", TWINS, ids=repr)
def test_included_features_lead(selector):
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(TWINS[selector], columns_of(data), data.labels.tolist(), include=[4, 2])
    same_path(clone(selector).set_params(include=[4, 2]).fit(data), twin)


def test_scores_are_what_each_feature_alone_tells_and_fall():
    data = encode(*load_wine(return_X_y=True))
    selector = MIM().fit(data)
    alone = [
        mutual_information(data.column(j).tolist(), data.labels.tolist()) for j in selector.ranking_
    ]
    np.testing.assert_allclose(selector.scores_, alone, rtol=1e-9, atol=1e-11)
    assert (np.diff(selector.scores_) <= 1e-10).all()


def test_constants_come_last_and_none_is_left_out():
    y = [0, 1] * 4
    selector = MIM().fit(coded([[0] * 8, y, [3] * 8], y))
    assert selector.ranking_.tolist() == [1, 0, 2]
    assert selector.scores_.tolist() == [1.0, 0.0, 0.0]
    assert selector.stop_reason_ == "exhausted"


def test_the_penalty_of_a_copy_grows_with_every_copy_selected():
    # A fair bit that tells nothing of y shares one bit with each of its copies.
    y, bit = [0, 1, 0, 1], [0, 0, 1, 1]
    assert MIFS(beta=0.5).fit(coded([bit] * 4, y)).scores_.tolist() == [0, -0.5, -1, -1.5]


@pytest.mark.parametrize("selector", [MIFS(beta=0), MIFSU(beta=0)], ids=repr)
def test_without_redundancy_it_is_mim(selector):
    data = encode(*load_wine(return_X_y=True))
    found, mim = selector.fit(data), MIM().fit(data)
    np.testing.assert_array_equal(found.ranking_, mim.ranking_)
    np.testing.assert_array_equal(found.scores_, mim.scores_)


def test_a_copy_adds_exactly_nothing():
    # I(s; C) - I(s; C) / H(s) * H(s): where MIFS takes all of H(s) away.
    y = np.repeat([0, 1, 2], 10)
    feature = np.where(np.arange(30) % 5 == 0, 0, y)
    selector = MIFSU().fit(coded([feature, feature], y))
    assert selector.scores_[1] == pytest.approx(0, abs=1e-11)
    assert MIFS().fit(coded([feature, feature], y)).scores_[1] < -0.1


def test_overlap_with_a_feature_that_tells_nothing_costs_nothing():
    c, u, v = np.indices((2, 2, 2)).reshape(3, -1)
    selector = MIFSU(include=[0]).fit(coded([u, u, v], c))
    assert selector.scores_.tolist() == [0, 0, 0]
    assert MIFS(include=[0]).fit(coded([u, u, v], c)).ranking_.tolist() == [0, 2, 1]


@given(coded_tables())
def test_ranking_by_quotient_equals_the_naive_twin(table):
    columns, y = table
    twin = greedy(naive_filters.mrmr_quotient, columns, y)
    # A quotient by 1e-12 bits knows its numerator's rounding.
    same_path(MRMR(scheme="quotient").fit(coded(columns, y)), twin, rtol=1e-6)


def test_a_copy_of_the_best_feature_does_not_come_second():
    y = np.repeat([0, 1], 20)
    best = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    other = np.where(np.arange(40) % 5 == 1, 1 - y, y)
    data = coded([other, best, best], y)
    assert MRMR().fit(data).ranking_.tolist() == [1, 0, 2]
    assert MIM().fit(data).ranking_.tolist() == [1, 2, 0]


def test_the_quotient_leads_with_the_most_relevant_of_those_that_share_nothing():
    # c, u, v independent: what tells of c alone shares nothing with u.
    c, u, v = np.tile(np.indices((2, 2, 8)).reshape(3, -1), 2)
    strong = np.where(v < 6, c, 1 - c)
    weak = np.where(v < 5, c, 1 - c)
    shares = u + 2 * (v < 1)
    data = coded([u, shares, weak, strong], c)
    selector = MRMR(scheme="quotient", include=[0]).fit(data)
    assert selector.ranking_.tolist()[:2] == [0, 3]
    assert selector.scores_[1] == pytest.approx(MIM().fit(data).scores_[0] / 1e-12, rel=1e-6)


@pytest.mark.parametrize("n", [3, 5, 10])
def test_the_quotient_takes_the_lower_column_among_equals(n):
    # Both tell the same of y, by different counts, and neither shares anything with `known`.
    y, known, part = np.tile(np.indices((2, 2, n)).reshape(3, -1), 2)
    half = np.repeat([0, 1], 4 * n)
    coarse = np.where(half == 0, 0, 1 + y)
    fine = np.where(half == 0, 3 + part, 1 + y)
    for columns in ([known, coarse, fine], [known, fine, coarse]):
        selector = MRMR(scheme="quotient", include=[0]).fit(coded(columns, y))
        assert selector.ranking_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (MIFS(beta=-0.1), "beta"),
        (MIFS(beta="mean"), "beta"),
        (MIFSU(beta=-1), "beta"),
        (MRMR(scheme="ratio"), "scheme"),
    ],
)
def test_a_bad_parameter_is_named(selector, name):
    with pytest.raises(ValueError, match=name):
        selector.fit([[0], [1]], [0, 1])


def test_synergy_counts_as_much_as_redundancy():
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    assert CIFE().fit(coded([a, b], a ^ b)).scores_.tolist() == [0, 1]
    # Two copies of the class: all that each tells is redundant with each one selected.
    assert CIFE().fit(coded([a, a, a], a)).scores_.tolist() == [1, 0, -1]


@given(coded_tables(max_features=2))
def test_the_second_score_is_what_the_feature_adds_to_the_first(table):
    columns, y = table
    selector = CIFE().fit(coded(columns, y))
    if len(columns) == 2:
        first, second = (columns[j] for j in selector.ranking_)
        expected = conditional_mutual_information(second, y, [first])
        assert selector.scores_[1] == pytest.approx(expected, abs=1e-10)


def test_synergy_does_not_count_and_redundancy_does():
    # b tells nothing alone and everything beside a; a copy of a tells nothing more.
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    data = coded([a, b], a ^ b)
    assert ICAP().fit(data).scores_.tolist() == [0, 0]
    assert CIFE().fit(data).scores_.tolist() == [0, 1]
    y = a
    assert ICAP().fit(coded([a, a, a], y)).scores_.tolist() == [1, 0, -1]


@given(coded_tables())
def test_no_score_exceeds_the_relevance(table):
    columns, y = table
    selector = ICAP().fit(coded(columns, y))
    for feature, score in zip(selector.ranking_, selector.scores_, strict=True):
        assert score <= mutual_information(columns[feature], y) + 1e-10


def test_both_halves_of_an_exclusive_or_are_found():
    # a leads by a trifle; b tells nothing alone, and nearly everything beside a.
    a, b, n = np.indices((2, 2, 16)).reshape(3, -1)
    y = a ^ b
    y[(a == 1) & (b == 1) & (n < 2)] = 1
    y[(a == 0) & (b == 1) & (n < 2)] = 0
    noise = np.tile([0, 1], 32)
    noise[np.flatnonzero((y == 1) & (noise == 0))[0]] = 1
    data = coded([noise, b, a], y)
    assert JMI().fit(data).ranking_.tolist() == [2, 1, 0]
    assert MIM().fit(data).ranking_.tolist() == [2, 0, 1]


def test_the_score_is_the_sum_over_all_selected_features():
    data = encode(*load_wine(return_X_y=True))
    selector = JMI().fit(data)
    columns, y = columns_of(data), data.labels.tolist()
    *first, last = selector.ranking_
    expected = sum(naive_filters.joint(columns[last], columns[s], y) for s in first)
    assert selector.scores_[-1] == pytest.approx(expected, rel=1e-9)


def test_the_worst_pair_decides():
    # b does wonders beside a and nothing beside s; d does a little beside either.
    a, b, n = np.indices((2, 2, 16)).reshape(3, -1)
    y = a ^ b
    s, d = np.where(n < 6, 1 - y, y), np.where(n >= 12, 1 - y, y)
    data = coded([s, a, b, d], y)
    assert JMI(include=[0, 1]).fit(data).ranking_.tolist() == [0, 1, 2, 3]
    assert JMIM(include=[0, 1]).fit(data).ranking_.tolist() == [0, 1, 3, 2]


def test_a_copy_comes_last_with_nothing_to_add():
    y = np.repeat([0, 1], 20)
    best = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    other = np.where(np.arange(40) % 5 == 1, 1 - y, y)
    selector = CMIM().fit(coded([best, best, other], y))
    assert selector.ranking_.tolist() == [0, 2, 1]
    assert selector.scores_[-1] == 0


def test_synergy_does_not_lift_a_feature_above_its_own_relevance():
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    selector = CMIM().fit(coded([a, b], a ^ b))
    assert selector.scores_.tolist() == [0, 0]


def test_scores_never_rise():
    selector = CMIM().fit(encode(*load_wine(return_X_y=True)))
    assert (np.diff(selector.scores_) <= 1e-10).all()


@pytest.mark.parametrize(("plain", "relative"), [(JMI, DISR), (JMIM, NJMIM)])
def test_values_that_tell_nothing_count_against_a_feature(plain, relative):
    # `split` is `whole` with one value cut in two halves: the same information.
    c, n, half = np.indices((2, 8, 2)).reshape(3, -1)
    s, whole = np.where(n < 2, 1 - c, c), np.where(n % 4 == 0, 1 - c, c)
    split = whole + 2 * half * whole
    data = coded([s, split, whole], c)
    assert plain(include=[0]).fit(data).ranking_.tolist() == [0, 1, 2]
    assert relative(include=[0]).fit(data).ranking_.tolist() == [0, 2, 1]


@given(coded_tables())
def test_redundancy_within_classes_enters_with_a_plus(table):
    # I(F, s; C) = I(s; C) + I(F; C) - I(F; s) + I(F; s | C): the paper's Eq. 1 has a minus.
    columns, y = table
    x, s = columns[0], columns[-1]
    rest = mutual_information(s, y) + mutual_information(x, y) - mutual_information(x, s)
    expected = (rest + class_redundancy(x, s, y)) / entropy(joined(x, s, y))
    assert symmetrical_relevance(x, s, y) == pytest.approx(expected, abs=1e-12)


def test_with_a_minus_the_other_half_of_an_exclusive_or_would_come_last():
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(4, axis=1)
    constant = np.zeros(16, dtype=int)
    data = coded([a, constant, b], a ^ b)
    assert DISR().fit(data).ranking_.tolist() == [0, 2, 1]
    minus = BetaGamma(alpha=1, beta=1, gamma=-1).fit(data)
    assert minus.ranking_.tolist() == [0, 1, 2]


@given(coded_tables(max_labels=2))
def test_with_two_classes_it_selects_what_dea_cs_selects(table):
    columns, y = table
    data = coded(columns, y)
    cmi, dea_cs = CMI().fit(data), DEACS.published().fit(data)
    assert cmi.ranking_.tolist() == dea_cs.ranking_.tolist()
    np.testing.assert_allclose(cmi.scores_, dea_cs.label_scores_[:, 0], rtol=1e-9)


def test_it_ends_when_the_class_is_settled():
    # Three fair bits settle y; their copies and the constant have nothing to add.
    a, b, c = np.indices((2, 2, 2)).reshape(3, -1).repeat(3, axis=1)
    y = a + 2 * b + 4 * c
    selector = CMI().fit(coded([a, np.zeros_like(a), b, a, c, b], y))
    assert selector.ranking_.tolist() == [0, 2, 4]
    np.testing.assert_allclose(selector.scores_, [1, 1, 1], rtol=1e-12)
    assert selector.stop_reason_ == "exhausted"


def test_scores_add_up_to_what_the_selected_tell_together():
    data = encode(*load_wine(return_X_y=True))
    selector = CMI().fit(data)
    together = joined(*(data.column(j).tolist() for j in selector.ranking_))
    expected = mutual_information(together, data.labels.tolist())
    assert selector.scores_.sum() == pytest.approx(expected, rel=1e-9)


def test_an_included_feature_may_tell_nothing():
    y = [0, 1] * 8
    selector = CMI(include=[0]).fit(coded([[0] * 16, y], y))
    assert selector.ranking_.tolist() == [0, 1]
    assert selector.scores_.tolist() == [0.0, 1.0]


@st.composite
def tables_with_holes(draw):
    """Columns in which None is a missing value; two rows and one column are complete."""
    columns, y = draw(coded_tables(max_features=5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.1, 0.4]))
    holes = rng.random((len(columns), len(y))) < share
    holes[:, :2] = False
    holes[0] = False
    return [
        [None if hole else value for value, hole in zip(x, row, strict=True)]
        for x, row in zip(columns, holes, strict=True)
    ], y


def with_missing_ignored(columns, y):
    X = np.array(columns, dtype=object).T
    return encode(X, y, discrete_features=True, missing="ignore")


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@pytest.mark.parametrize("selector", TWINS, ids=repr)
@given(table=tables_with_holes())
def test_ranking_equals_the_naive_twin_on_the_rows_that_are_present(selector, table):
    same_path(selector.fit(with_missing_ignored(*table)), greedy(TWINS[selector], *table))


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(tables_with_holes())
def test_cmi_equals_its_naive_twin_on_the_rows_that_are_present(table):
    selector = CMI().fit(with_missing_ignored(*table))
    same_path(selector, greedy(naive_filters.cmi, *table, ends_at_zero=True))


@each("selector", TWINS)
def test_a_column_that_is_missing_everywhere_tells_nothing(selector):
    y = [0, 1, 1, 0] * 4
    data = with_missing_ignored([[None] * 16, y, [0, 0, 1, 1] * 4], y)
    twin = greedy(TWINS[selector], [[None] * 16, y, [0, 0, 1, 1] * 4], y)
    same_path(selector.fit(data), twin)
