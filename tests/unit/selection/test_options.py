"""Options as objects: values that print, compare, clone and can be searched over."""

from inspect import signature

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from deacs import DEACS, Blocks, Costs, Divergence, Each, OneVsRest, Radial, Significant, Sum
from deacs.exceptions import InputError
from deacs.selection import OPTIONS

OBJECTS = [
    Radial(weight_ratio=4),
    Sum(label_weights=[1, 2, 3]),
    Blocks(min_group_size=20),
    Significant(alpha=0.1, random_state=0),
    OneVsRest(estimator="excess"),
    Divergence(),
    Costs({"a": 1.0}, budget=3),
]


def test_a_selector_has_at_most_fifteen_parameters():
    assert len(signature(DEACS).parameters) <= 15


@pytest.mark.parametrize("options", OBJECTS, ids=repr)
def test_a_clone_is_another_object_of_the_same_value(options):
    copy = clone(options)
    assert copy is not options
    assert copy == options
    assert copy.get_params() == options.get_params()
    name, value = next(iter(options.get_params().items()), (None, None))
    if name is not None:
        copy.set_params(**{name: "another"})
        assert copy != options
        assert options.get_params()[name] is value


def test_printing_shows_what_differs_from_the_defaults():
    assert repr(Radial()) == "Radial()"
    assert repr(Radial(weight_ratio=4)) == "Radial(weight_ratio=4)"
    assert repr(Costs([1.0])) == "Costs(prices=[1.0])"
    assert repr(DEACS(judge=Sum(unit="share"))) == "DEACS(judge=Sum(unit='share'))"


def test_values_compare_with_arrays_and_dicts_inside():
    assert Sum(np.array([1.0, 2.0])) == Sum(np.array([1.0, 2.0]))
    assert Sum(np.array([1.0, 2.0])) != Sum(np.array([1.0, 3.0]))
    assert Radial(2) != Sum()
    assert Costs({"a": 1}) == Costs({"a": 1})
    assert Costs({"a": np.array([1, 2])}) == Costs({"a": np.array([1, 2])})
    assert Costs({"a": np.array([1, 2])}) != Costs({"a": np.array([1, 3])})
    assert Costs({"a": 1}) != Costs({"b": 1})


def test_parameters_of_options_are_reached_through_the_selector():
    selector = DEACS(judge=Radial(2), conditioning=Blocks(10))
    parameters = selector.get_params()
    assert parameters["judge__weight_ratio"] == 2
    assert parameters["conditioning__min_group_size"] == 10
    selector.set_params(judge__weight_ratio=8)
    assert selector.judge == Radial(8)
    with pytest.raises(InputError, match="Radial has no parameter 'ratio'; it has weight_ratio"):
        selector.set_params(judge__ratio=8)


def test_options_given_by_name_have_parameters_too():
    selector = DEACS(stop="significant").set_params(judge__label_weights={"a": 2}, stop__alpha=0.01)
    assert selector.judge == Radial(weight_ratio=1.2, label_weights={"a": 2})
    assert selector.stop == Significant(alpha=0.01)
    assert selector.conditioning == "blocks"
    selector.set_params(conditioning="cmim", conditioning__fold="mean", judge="sum")
    assert selector.conditioning == Each("mean")
    assert selector.judge == "sum"
    with pytest.raises(InputError, match=r"must be one of 'bounded'.* got 'radiel'"):
        selector.set_params(judge="radiel", judge__weight_ratio=2)


def test_a_grid_is_searched_over_options_of_options():
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(DEACS(3), GaussianNB())
    grid = {"deacs__judge__weight_ratio": [1, 2, None], "deacs__conditioning": ["joint", Blocks(5)]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 6
    assert search.best_score_ > 0.85


def test_words_are_shorthands_of_objects():
    X, y = load_wine(return_X_y=True)
    pairs = [
        ({"judge": "bounded"}, {"judge": Radial(weight_ratio=1.2)}),
        ({"judge": "sum"}, {"judge": Sum()}),
        ({"conditioning": "blocks"}, {"conditioning": Blocks()}),
        ({"label_score": "one-vs-rest"}, {"label_score": OneVsRest()}),
        ({"label_score": "two-views"}, {"label_score": OneVsRest("excess", order=True)}),
    ]
    for word, options in pairs:
        one, two = DEACS(5, **word).fit(X, y), DEACS(5, **options).fit(X, y)
        assert one.ranking_.tolist() == two.ranking_.tolist()
        assert one.scores_.tolist() == two.scores_.tolist()


def test_a_test_may_end_a_selection_before_its_number():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 10))
    y = X[:, 0] + 2 * X[:, 1]
    found = DEACS(8, stop=Significant(random_state=0)).fit(X, y)
    assert sorted(found.ranking_) == [0, 1]
    assert DEACS.published(1, stop="significant").fit(X, y).p_values_.shape == (1,)


def test_every_option_is_to_be_had_from_the_top():
    import deacs

    for name in OPTIONS:
        assert name in dir(deacs)
        assert hasattr(getattr(deacs, name), "get_params")


def test_options_are_reached_also_where_prices_or_auto_stand_for_them():
    selector = DEACS(costs={"a": 1, "b": 2}).set_params(costs__budget=3)
    assert selector.costs == Costs({"a": 1, "b": 2}, budget=3)
    assert DEACS("auto").set_params(stop__alpha=0.01).stop == Significant(alpha=0.01)
    assert DEACS().set_params(n_features_to_select="auto", stop__alpha=0.2).stop.alpha == 0.2
    with pytest.raises(InputError, match="costs__budget needs costs, got None"):
        DEACS().set_params(costs__budget=3)
    with pytest.raises(InputError, match="stop__alpha needs stop, got None"):
        DEACS(3).set_params(stop__alpha=0.1)
