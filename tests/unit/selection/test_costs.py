"""Costs as inputs of the DEA, and budgets."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from deacs import DEACS, Costs, Radial
from deacs.dea import super_efficiency
from deacs.exceptions import InputError
from deacs.information import label_scores

pytestmark = pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    # Discrete, so that label scores can be had by themselves; plain numbers would be warned of.
    return "v" + X.round(1).astype(str), y


def test_equal_costs_change_nothing(wine):
    X, y = wine
    plain, priced = (
        DEACS.published(5).fit(X, y),
        DEACS.published(5, costs=[7.0] * X.shape[1]).fit(X, y),
    )
    np.testing.assert_array_equal(priced.ranking_, plain.ranking_)
    np.testing.assert_allclose(priced.scores_, plain.scores_, rtol=1e-9)


@pytest.mark.parametrize("n_kinds", [1, 2])
def test_the_first_step_is_super_efficiency_with_costs_as_inputs(n_kinds, wine):
    X, y = wine
    costs = np.random.default_rng(0).uniform(1, 20, (X.shape[1], n_kinds))
    selector = DEACS.published(1, costs=costs, store_candidates=True).fit(X, y)
    theta = super_efficiency(costs, label_scores(X.to_numpy(), y)).scores
    np.testing.assert_allclose(selector.candidates_[0].scores, theta, rtol=1e-7)
    assert selector.scores_[0] == pytest.approx(theta.max(), rel=1e-7)
    np.testing.assert_array_equal(selector.costs_, costs[selector.ranking_])


def test_a_dear_feature_loses_to_a_cheap_one_that_tells_nearly_as_much(wine):
    X, y = wine
    best = DEACS.published(1).fit(X, y).selected_names_[0]
    costs = {name: 100.0 if name == best else 1.0 for name in X.columns}
    assert DEACS.published(1, costs=costs).fit(X, y).selected_names_[0] != best


def test_free_features_come_first_and_compete_as_equals(wine):
    X, y = wine
    free = ["ash", "magnesium", "hue"]
    costs = {name: 0.0 if name in free else 3.0 for name in X.columns}
    selector = DEACS.published(4, costs=costs).fit(X, y)
    among_themselves = DEACS.published(3).fit(X[free], y)
    n = len(among_themselves.ranking_)
    assert selector.selected_names_[:n] == among_themselves.selected_names_
    assert np.isinf(selector.scores_[:n]).all()


def test_a_budget_that_is_just_enough_is_enough():
    y = np.arange(64) % 4
    X = np.column_stack([y % 2, y // 2])
    # In floats 0.1 + 0.2 is more than 0.3.
    assert len(DEACS.published(costs=Costs([0.1, 0.2], budget=0.3)).fit(X, y).ranking_) == 2


def test_a_budget_ends_the_selection_before_it_is_passed(wine):
    X, y = wine
    costs = np.arange(1.0, X.shape[1] + 1)
    free_of_limits = DEACS.published(costs=costs).fit(X, y)
    spent = np.cumsum(costs[free_of_limits.ranking_])
    between = spent[1] + 0.5 * (spent[2] - spent[1])
    selector = DEACS.published(costs=Costs(costs, budget=between)).fit(X, y)
    assert selector.stop_reason_ == "budget"
    np.testing.assert_array_equal(selector.ranking_, free_of_limits.ranking_[:2])
    exact = DEACS.published(costs=Costs(costs, budget=spent[2])).fit(X, y)
    assert len(exact.ranking_) >= 3


def test_a_group_costs_the_sum_of_its_columns(wine):
    X, y = wine
    pair = ["ash", "hue"]
    costs = dict.fromkeys(X.columns, 5.0)
    how = {"groups": [pair], "include": ["ash"]}
    selector = DEACS.published(costs=Costs(costs, budget=9.0), **how).fit(X, y)
    assert selector.stop_reason_ == "budget"
    assert len(selector.ranking_) == 0
    enough = DEACS.published(1, costs=Costs(costs, budget=10), **how).fit(X, y)
    assert len(enough.costs_) == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"costs": [1.0]}, "row for each of the 13 columns"),
        ({"costs": [-1.0] * 13}, "must be 0 or lie between .*, got -1.0 for 'alcohol'"),
        ({"costs": [1.0] * 12 + [1e-315]}, "between 1e-100 and 1e[+]100, got 1e-315 for 'proline'"),
        ({"costs": [np.inf] * 13}, "between 1e-100 and 1e[+]100, got inf for 'alcohol'"),
        ({"costs": {"alcohol": 1.0}}, "must name every column, got none for 'malic_acid'"),
        ({"costs": {"alcohl": 1.0}}, "did you mean 'alcohol'"),
        ({"costs": ["dear"] * 13}, "must be numbers"),
        ({"costs": Costs([1.0] * 13, budget=[1.0, 2.0])}, "budget must be 1 number"),
        ({"costs": Costs([1.0] * 13, budget="much")}, "budget must be 1 number"),
        ({"costs": np.ones((13, 2)), "judge": Radial(weight_ratio=2.0)}, "one kind of costs"),
    ],
)
def test_useless_costs_are_named(parameters, message, wine):
    with pytest.raises(InputError, match=message):
        DEACS.published(**parameters).fit(*wine)
