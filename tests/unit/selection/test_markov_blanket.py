"""Blankets of networks that the tests make, and of noise."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import CMI, CodedData, MarkovBlanket, Significant
from deacs.exceptions import InputError
from deacs.significance import Significance
from tests import naive
from tests.naive.markov_blanket import blanket

N = 4000


def flipped(rng, bits, share):
    return bits ^ (rng.random(len(bits)) < share)


def family(rng):
    """Two parents, two children, a spouse, a grandparent and a grandchild."""
    grandparent = rng.random(N) < 0.5
    mother, father = flipped(rng, grandparent, 0.25), rng.random(N) < 0.4
    y = flipped(rng, mother | father, 0.1)
    spouse = rng.random(N) < 0.5
    child, other = flipped(rng, y & spouse, 0.1), flipped(rng, y, 0.2)
    grandchild = flipped(rng, child, 0.2)
    columns = [grandparent, mother, father, spouse, child, other, grandchild]
    return columns, y, {1, 2, 3, 4, 5}


def chain(rng):
    """first -> second -> class -> fourth -> fifth."""
    first = rng.random(N) < 0.5
    second = flipped(rng, first, 0.2)
    y = flipped(rng, second, 0.2)
    fourth = flipped(rng, y, 0.2)
    return [first, second, fourth, flipped(rng, fourth, 0.2)], y, {1, 2}


def common_cause(rng):
    """The class and five symptoms of one hidden bit that is a column too."""
    cause = rng.random(N) < 0.5
    y = flipped(rng, cause, 0.15)
    return [cause, *(flipped(rng, cause, 0.2) for _ in range(5))], y, {0}


def collider(rng):
    """The class and a spouse that is independent of it, seen through their child."""
    y, spouse = rng.random(N) < 0.5, rng.random(N) < 0.5
    return [spouse, flipped(rng, y & spouse, 0.05)], y, {0, 1}


def noise(rng):
    return [rng.random(N) < 0.5 for _ in range(4)], rng.random(N) < 0.5, set()


@pytest.mark.parametrize("network", [family, chain, common_cause, collider, noise])
def test_blankets_of_known_networks_are_found(network):
    right = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        columns, y, truth = network(rng)
        columns = [*columns, *(rng.random(N) < 0.5 for _ in range(6))]
        X = np.column_stack(columns).astype(int)
        found = MarkovBlanket(alpha=0.01, random_state=seed).fit(X, y)
        right += set(found.ranking_.tolist()) == truth
    assert right >= 4


def test_shrinking_takes_out_what_growing_alone_would_keep():
    """Two noisy copies join first; the column that they copy makes both needless."""
    rng = np.random.default_rng(1)
    parts = rng.integers(0, 2, (N, 2))
    y = flipped(rng, parts.all(axis=1), 0.05)
    mixed = np.where(rng.random(N) < 0.8, parts.all(axis=1), rng.integers(0, 2, N))
    X = np.column_stack([parts, mixed])
    grown = CMI("auto", stop=Significant(0.01, random_state=0), discrete_features=True).fit(X, y)
    assert grown.ranking_[0] == 2
    found = MarkovBlanket(alpha=0.01, random_state=0).fit(X, y)
    assert sorted(found.ranking_.tolist()) == [0, 1]
    assert (found.p_values_ <= 0.01).all()


@pytest.mark.parametrize("seed", range(6))
def test_it_is_grow_and_shrink_where_nothing_drops_out_early(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 400)
    X = rng.integers(0, 2, (400, 7))
    X[:, :4] = np.where(rng.random((400, 4)) < 0.4, y[:, None], X[:, :4])
    data = CodedData.from_codes(X, y)
    test = Significance(data, 0.05, random_state=seed)
    columns = X.T.tolist()

    def p_values(given, candidates):
        step = test.given([given], np.array(candidates))
        return [step.measured(k).value for k in range(len(candidates))]

    def score(j, given):
        return naive.conditional_mutual_information(
            columns[j], y.tolist(), [columns[k] for k in given]
        )

    twin = blanket(p_values, score, 7, 0.05)
    found = MarkovBlanket(random_state=seed, n_reruns=7).fit(data)
    assert sorted(found.ranking_.tolist()) == sorted(twin)


def test_a_second_run_finds_those_that_dropped_out_early():
    """A part of an exclusive or tells nothing until the other part is in."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (2000, 3))
    y = np.where(rng.random(2000) < 0.1, X[:, 0], X[:, 0] ^ X[:, 1])
    once = MarkovBlanket(n_reruns=0, random_state=0).fit(X, y)
    twice = MarkovBlanket(n_reruns=1, random_state=0).fit(X, y)
    assert set(once.ranking_.tolist()) < set(twice.ranking_.tolist()) == {0, 1}


def test_those_that_dropped_out_early_count_where_the_others_are_tested():
    """Of 199 columns of noise some ten are left beside the first feature: the best of 199."""
    fooled = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y, X = rng.integers(0, 2, 300), rng.integers(0, 2, (300, 200))
        X[:, 0] = np.where(rng.random(300) < 0.5, y, X[:, 0])
        fooled += len(MarkovBlanket(random_state=seed).fit(X, y).ranking_) > 1
    assert fooled <= 5  # binomial(40, 0.05) passes 5 with chance 0.01


def test_numbers_are_cut_anew_in_every_shuffle():
    n_true = n_fooled = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        y, X = rng.integers(0, 2, 400), rng.normal(size=(400, 20))
        X[:, :3] += np.where(rng.random((400, 3)) < 0.7, y[:, None], 0)
        found = MarkovBlanket(random_state=seed).fit(X, y).ranking_
        n_true += (found < 3).sum()
        n_fooled += (found >= 3).any()
    assert n_true >= 15
    assert n_fooled <= 2  # binomial(6, 0.05) passes 2 with chance 0.002


def test_included_columns_stay_and_are_not_tested():
    X, y = load_wine(return_X_y=True, as_frame=True)
    found = MarkovBlanket(include=["ash"], random_state=0).fit(X, y)
    assert found.selected_names_[0] == "ash"
    assert np.isnan(found.p_values_[0])
    assert not np.isnan(found.p_values_[1:]).any()


def test_scores_are_given_the_rest_of_the_blanket():
    rng = np.random.default_rng(3)
    columns, y, _ = family(rng)
    X = np.column_stack(columns).astype(int)
    found = MarkovBlanket(alpha=0.01, random_state=0).fit(X, y)
    members = found.ranking_.tolist()
    for j, score in zip(members, found.scores_, strict=True):
        rest = [X[:, k].tolist() for k in members if k != j]
        expected = naive.conditional_mutual_information(X[:, j].tolist(), y.tolist(), rest)
        assert score == pytest.approx(expected, abs=1e-9)


def test_what_it_cannot_do_is_refused():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match="substitutes is for selectors"):
        MarkovBlanket(random_state=0).fit(X, y).substitutes()
    with pytest.raises(ValueError, match="alpha"):
        MarkovBlanket(alpha=0).fit(X, y)
