"""Estimators of R against their definitions, with every conditioning, and their promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_wine
from sklearn.metrics import adjusted_mutual_info_score

from deacs import DEACS, Blocks, CodedData, OneVsRest, encode
from deacs.counts import bias, counting
from deacs.counts.counts import CountsHere
from deacs.exceptions import InputError
from deacs.information import mutual_information
from tests import naive
from tests.naive import bias as naive_bias
from tests.naive import blocks as naive_blocks
from tests.tables_of_codes import coded_tables

TWINS = {"miller-madow": naive_bias.miller_madow, "excess": naive_bias.excess}
CONDITIONED = {
    "joint": lambda score: score,
    "jmi": naive_blocks.jmi,
    "cmim": naive_blocks.cmim,
    "blocks": lambda score: naive_blocks.least(4, score),
}


def coded(columns, y):
    return CodedData.from_codes(np.array(columns).T, y)


def scores(data, given_=(), estimator="excess", n_jobs=None):
    counts = CountsHere(data, n_jobs=n_jobs, estimator=estimator)
    for feature in given_:
        counts.condition_on(feature)
    return counts.label_scores(np.arange(data.n_features))


@given(coded_tables(), st.sampled_from(sorted(TWINS)), st.integers(0, 2))
def test_scores_equal_the_naive_twin(table, estimator, n_given):
    columns, y = table
    given_ = list(range(len(columns)))[:n_given]
    twin = [
        [TWINS[estimator](x, y, c, [columns[s] for s in given_]) for c in sorted(set(y))]
        for x in columns
    ]
    ours = scores(coded(columns, y), given_, estimator)
    np.testing.assert_allclose(ours, twin, rtol=1e-6, atol=2e-10)


@given(
    coded_tables(max_rows=25, max_features=4),
    st.sampled_from(sorted(TWINS)),
    st.sampled_from(sorted(CONDITIONED)),
)
def test_every_conditioning_takes_every_estimator(table, estimator, conditioning):
    columns, y = table
    score = CONDITIONED[conditioning](TWINS[estimator])
    given_ = Blocks(4, 1) if conditioning == "blocks" else conditioning
    how = {"conditioning": given_, "judge": "sum"}
    selector = DEACS(label_score=OneVsRest(estimator), **how).fit(coded(columns, y))
    twin = naive.dea_cs(columns, y, score=score, judge="sum")
    assert selector.ranking_.tolist() == [feature for feature, _, _ in twin]
    np.testing.assert_allclose(selector.scores_, [total for _, total, _ in twin], rtol=1e-6)


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=2, max_size=6))
def test_the_hypergeometric_law_is_the_mean_over_all_shuffles(rows):
    x, is_label = zip(*rows, strict=True)
    by_law = naive_bias.expected(x, is_label)
    assert by_law == pytest.approx(naive_bias.expected_by_shuffling(x, is_label), abs=1e-12)


def test_the_excess_of_two_classes_is_what_adjusted_information_adjusts():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    x = np.where(rng.random(400) < 0.5, y, rng.integers(0, 5, 400))
    # AMI = (I - E) / (mean(H(F), H(C)) - E), so E follows from it.
    information = mutual_information(x, y)
    mean = (naive.entropy(x.tolist()) + naive.entropy(y.tolist())) / 2
    ami = adjusted_mutual_info_score(x, y)
    chance = (information - ami * mean) / (1 - ami)
    excess = scores(coded([x], y))[0]
    np.testing.assert_allclose(excess, information - chance, rtol=1e-4)


def test_groups_of_two_rows_tell_nothing_beyond_chance():
    pair = np.repeat(np.arange(30), 2)
    y = np.tile([0, 1], 30)
    noise = np.random.default_rng(0).integers(0, 3, 60)
    plug_in, excess = (
        scores(coded([pair, noise, y], y), [0], estimator) for estimator in ("plug-in", "excess")
    )
    assert (plug_in[1] > 0.3).all()
    assert not excess.any()


@pytest.mark.parametrize("estimator", sorted(TWINS))
def test_large_groups_equal_the_naive_twin_whichever_way_chance_is_known(estimator, monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 600)
    columns = [rng.integers(0, 2, 600), np.where(rng.random(600) < 0.2, y, 0)]
    # 452 values of all features, more than a group has rows: tables pay.
    data = coded([columns[0], *[columns[1]] * 150], y)
    S = [columns[0].tolist()]
    twin = [TWINS[estimator](columns[1].tolist(), y.tolist(), c, S) for c in range(3)]
    tabled = scores(data, [0], estimator)
    monkeypatch.setattr(bias, "MAX_ENTRIES", 0)
    computed = scores(data, [0], estimator)
    np.testing.assert_allclose(tabled[1], twin, rtol=1e-4)
    assert tabled.tolist() == computed.tolist()


@given(coded_tables(max_rows=150), st.integers(0, 2))
def test_tables_masks_and_rows_give_the_same_bits(table, n_given):
    data = coded(*table)
    given_ = list(range(data.n_features))[:n_given]
    usual = scores(data, given_).tolist()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counting, "MAX_VALUES", 0)
        in_tables = scores(data, given_).tolist()
        patched.setattr(counting, "MOST_CELLS", 0)
        by_rows = scores(data, given_).tolist()
    assert usual == in_tables == by_rows


@pytest.mark.usefixtures("work_is_shared")
@pytest.mark.parametrize("estimator", sorted(TWINS))
def test_neither_threads_nor_the_order_of_rows_change_a_bit(estimator):
    X, y = load_digits(return_X_y=True)
    data = encode(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    expected = scores(data, [21, 42], estimator).tolist()
    assert scores(data, [21, 42], estimator, n_jobs=3).tolist() == expected
    assert scores(encode(X[order], y[order]), [21, 42], estimator).tolist() == expected


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(coded_tables(max_rows=20), st.sampled_from(sorted(TWINS)))
def test_whole_weights_are_repeated_rows(table, estimator):
    columns, y = np.array(table[0]), np.array(table[1])
    weights = 1 + np.arange(len(y)) % 3
    repeated = coded(columns.repeat(weights, axis=1), y.repeat(weights))
    weighted = encode(columns.T, y, discrete_features=True, sample_weight=weights)
    for given_ in ([], [0]):
        assert scores(weighted, given_, estimator).tolist() == (
            scores(repeated, given_, estimator).tolist()
        )


@pytest.mark.parametrize("estimator", sorted(TWINS))
def test_rows_in_which_a_value_is_missing_may_be_left_out(estimator):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    s = rng.integers(0, 3, 90)
    x = np.where(rng.random(90) < 0.5, y, rng.integers(0, 3, 90)).astype(float)
    x[rng.random(90) < 0.2] = np.nan
    data = encode(np.column_stack([s, x]), y, discrete_features=True, missing="ignore")
    there = ~np.isnan(x)
    ours = scores(data, [0], estimator)[1]
    x, y, s = x[there].tolist(), y[there].tolist(), s[there].tolist()
    np.testing.assert_allclose(ours, [TWINS[estimator](x, y, c, [s]) for c in range(3)], rtol=1e-6)


def test_errors_say_what_to_do():
    data = encode(*load_wine(return_X_y=True))
    with pytest.raises(InputError, match="estimator must be one of plug-in, miller-madow, excess"):
        DEACS(label_score=OneVsRest("jackknife")).fit(data)


@pytest.mark.parametrize("estimator", ["miller-madow", "excess"])
def test_fractions_are_corrected_for_the_rows_that_they_amount_to(estimator):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (150, 5)), rng.integers(0, 3, 150)
    how = {"label_score": OneVsRest(estimator), "include": [0], "judge": "sum"}
    equal = DEACS(1, **how).fit(X, y, sample_weight=np.full(150, 0.3)).label_scores_
    unweighted = (
        DEACS(1, **how | {"label_score": OneVsRest("miller-madow")}).fit(X, y).label_scores_
    )
    np.testing.assert_allclose(equal, unweighted, atol=1e-6)
    # Weights of 1 and 3 in turn amount to (2 n)^2 / (5 n) = 4/5 n rows.
    uneven = 0.1 * (1 + 2 * (np.arange(150) % 2))
    plain = DEACS(1, **how | {"label_score": "one-vs-rest"}).fit(X, y, sample_weight=uneven)
    corrected = DEACS(1, **how).fit(X, y, sample_weight=uneven).label_scores_
    off = (4 * 2 - 4 - 2 + 1) / (2 * 120 * np.log(2))
    np.testing.assert_allclose(corrected, np.maximum(plain.label_scores_ - off, 0), atol=1e-6)
