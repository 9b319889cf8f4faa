"""Intervals for label scores: what chance gives, what they cover, what they do not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deacs import DEACS, CodedData, OneVsRest, encode
from deacs.exceptions import InputError
from deacs.information.intervals import label_score_intervals
from tests import naive
from tests.naive.stability import chance_score


@st.composite
def small_tables(draw):
    n_rows = draw(st.integers(3, 6))
    column = st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)
    y = draw(column.filter(lambda values: len(set(values)) > 1))
    return draw(column), draw(column), y


@settings(max_examples=25)
@given(small_tables(), st.sampled_from(["one-vs-rest", "divergence"]))
def test_chance_is_the_mean_over_every_permutation_within_groups(table, kind):
    first, second, y = table
    score = naive.label_score if kind == "one-vs-rest" else naive.divergence
    data = CodedData.from_codes(np.c_[first, second], y)
    found = label_score_intervals(data, [0, 1], label_score=kind, n_resamples=2)
    for i, label in enumerate(sorted(set(y))):
        for k, (x, selected) in enumerate([(first, []), (second, [first])]):
            assert found.chance[k, i] == pytest.approx(
                chance_score(score, x, y, label, selected), abs=1e-9
            )
            assert found.estimate[k, i] == pytest.approx(score(x, y, label, selected), abs=1e-9)


def known_table(n_groups, n_values, n_classes, strength):
    """Probabilities of (group, value, class) and R(F; c | S) from them, by the definition."""
    rng = np.random.default_rng(5)
    p = np.empty((n_groups, n_values, n_classes))
    for g, share in enumerate(rng.dirichlet(np.full(n_groups, 5.0))):
        classes = rng.dirichlet(np.full(n_classes, 2.0))
        for f, part in enumerate(rng.dirichlet(np.full(n_values, 3.0))):
            own = rng.dirichlet(np.full(n_classes, 2.0))
            p[g, f] = share * part * ((1 - strength) * classes + strength * own)
    p_g, p_f, p_c = p.sum((1, 2)), p.sum(2), p.sum(1)
    true = np.zeros(n_classes)
    for g, f, c in np.ndindex(p.shape):
        for both, label in ((p[g, f, c], p_c[g, c]), (p_f[g, f] - p[g, f, c], p_g[g] - p_c[g, c])):
            true[c] += both * np.log2(both * p_g[g] / (p_f[g, f] * label))
    return p, true


@pytest.mark.parametrize(
    ("shape", "strength", "n_rows"),
    [((1, 3, 3), 0.5, 200), ((9, 3, 3), 0.5, 300), ((30, 3, 3), 0.9, 300), ((9, 3, 3), 0.0, 200)],
    ids=["no conditions", "few groups", "ten rows a group", "nothing to tell"],
)
def test_intervals_hold_the_truth_as_often_as_they_say(shape, strength, n_rows):
    p, true = known_table(*shape, strength)
    rng = np.random.default_rng(0)
    held = []
    for run in range(60):
        cells = rng.choice(p.size, n_rows, p=p.ravel())
        group, value, y = np.unravel_index(cells, p.shape)
        data = CodedData.from_codes(np.c_[group, value], y)
        found = label_score_intervals(data, [0, 1], n_resamples=120, random_state=run)
        held.append((found.low[1] <= true + 1e-12) & (true <= found.high[1]))
    # 180 intervals, three and three of one table, at 95 %.
    assert np.mean(held) >= 0.9
    if strength == 0:
        assert true.max() < 1e-12


def test_a_plain_percentile_interval_would_miss():
    """What the correction is for: in ten rows a group the plug-in is chance for the most part."""
    p, true = known_table(30, 3, 3, 0.4)
    cells = np.random.default_rng(0).choice(p.size, 300, p=p.ravel())
    group, value, y = np.unravel_index(cells, p.shape)
    found = label_score_intervals(CodedData.from_codes(np.c_[group, value], y), [0, 1])
    assert (found.estimate[1] > 5 * true).all()
    assert (found.chance[1] > 0.8 * found.estimate[1]).all()
    assert (found.high[1] < found.estimate[1]).all()


@pytest.fixture(scope="module")
def messy():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 90)
    X = np.c_[np.where(rng.random(90) < 0.7, y, 0), rng.integers(0, 3, 90)].astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


@pytest.mark.parametrize("missing", ["category", "ignore"])
@pytest.mark.parametrize("label_score", ["one-vs-rest", "divergence"])
def test_estimates_are_the_label_scores_of_the_selector(messy, missing, label_score):
    X, y = messy
    selector = DEACS.published(
        discrete_features=True, missing=missing, label_score=label_score
    ).fit(X, y)
    data = encode(X, y, discrete_features=True, missing=missing)
    found = label_score_intervals(
        data, selector.ranking_, label_score=label_score, n_resamples=50, random_state=0
    )
    np.testing.assert_allclose(found.estimate, selector.label_scores_, atol=1e-12)
    assert (found.low <= found.high).all()
    assert (found.chance < found.estimate.max()).all()


@pytest.mark.usefixtures("work_is_shared")
def test_threads_and_seeds_decide_as_they_should(messy):
    data = encode(*messy, discrete_features=True)
    alone = label_score_intervals(data, [0, 1], n_resamples=40, random_state=3)
    shared = label_score_intervals(data, [0, 1], n_resamples=40, random_state=3, n_jobs=3)
    other = label_score_intervals(data, [0, 1], n_resamples=40, random_state=4)
    np.testing.assert_array_equal(alone.low, shared.low)
    np.testing.assert_array_equal(alone.high, shared.high)
    assert (alone.high != other.high).any()
    np.testing.assert_array_equal(alone.chance, other.chance)


def test_a_weight_counts_as_rows(messy):
    X, y = messy
    weights = np.random.default_rng(2).integers(1, 4, len(y))
    weighted = encode(X, y, discrete_features=True, sample_weight=weights)
    repeated = encode(np.repeat(X, weights, axis=0), np.repeat(y, weights), discrete_features=True)
    one, two = (
        label_score_intervals(data, [0, 1], n_resamples=400, random_state=0)
        for data in (weighted, repeated)
    )
    np.testing.assert_allclose(one.estimate, two.estimate, rtol=1e-12)
    np.testing.assert_allclose(one.chance, two.chance, rtol=1e-9)
    np.testing.assert_allclose(one.high, two.high, atol=0.03)  # other draws of the same rows


def test_more_confidence_takes_a_wider_interval(messy):
    data = encode(*messy, discrete_features=True)
    wide, narrow = (
        label_score_intervals(data, [0], confidence=c, n_resamples=200, random_state=0)
        for c in (0.99, 0.8)
    )
    assert (wide.high > narrow.high).all()
    assert (wide.low <= narrow.low).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1.0}, "confidence must lie between 0 and 1, got 1.0"),
        ({"n_resamples": 1}, "n_resamples must be 2 or more, got 1"),
        ({"ranking": ["x7"]}, "ranking names 'x7'"),
        ({"ranking": []}, "ranking must name at least one feature, got none"),
        ({"label_score": "one-vs-one"}, "label_score must be one of one-vs-rest, divergence, got"),
    ],
)
def test_bad_parameters_are_named(messy, options, message):
    with pytest.raises(InputError, match=message):
        label_score_intervals(encode(*messy), **{"ranking": [0], **options})


def test_a_table_that_is_not_coded_is_refused(messy):
    with pytest.raises(InputError, match=r"data must be CodedData, got ndarray; .*deacs.encode"):
        label_score_intervals(messy[0], [0])


def test_labels_that_share_rows_are_refused(messy):
    data = encode(messy[0], np.column_stack([messy[1] > 0, messy[1] > 1]))
    with pytest.raises(InputError, match="data must have one class in each row, got labels"):
        label_score_intervals(data, [0])


def test_fractions_are_no_rows(messy):
    X, y = messy
    data = encode(X, y, sample_weight=np.linspace(0.1, 1, len(y)))
    with pytest.raises(InputError, match="data must have whole weights"):
        label_score_intervals(data, [0])


def test_chance_is_what_the_excess_estimator_takes_off(messy):
    X, y = messy
    plain, excess = (
        DEACS.published(1, discrete_features=True, include=[0], label_score=OneVsRest(name))
        .fit(X, y)
        .label_scores_
        for name in ("plug-in", "excess")
    )
    found = label_score_intervals(encode(X, y, discrete_features=True), [0], n_resamples=2)
    assert (excess > 0).all()
    np.testing.assert_allclose(found.chance, plain - excess, rtol=1e-4)
