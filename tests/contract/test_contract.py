"""What every selector promises: names, shapes, defaults, errors, scikit-learn's company."""

import pickle
from inspect import Parameter, signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import DEACS, MIM, MRMR, ReliefF, encode
from deacs.exceptions import IdentifierWarning, InputError
from tests.contract.all_selectors import ALL, quick
from tests.each import each

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def messy():
    """Strings, booleans, numbers and missing values; colour and weight tell the classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    data = {
        "colour": [None if k % 17 == 0 else ["red", "blue", "blue"][c] for k, c in enumerate(y)],
        "weight": np.where(rng.random(120) < 0.1, np.nan, y * 2 + rng.random(120)),
        "noise": rng.random(120),
        "flag": rng.random(120) < 0.5,
        "count": rng.integers(0, 5, 120),
    }
    return data, np.array(["a", "b", "c"])[y]


def test_defaults_are_those_of_the_contract():
    assert DEACS().get_params() == {
        "n_features_to_select": None,
        "label_score": "two-views",
        "conditioning": "blocks",
        "judge": "bounded",
        "stop": None,
        "costs": None,
        "include": None,
        "discrete_features": "auto",
        "discretizer": "auto",
        "missing": "category",
        "groups": None,
        "target": "auto",
        "store_candidates": False,
        "n_jobs": None,
    }
    published = {"label_score": "one-vs-rest", "conditioning": "joint", "judge": "radial"}
    published |= {"discretizer": "mdlp"}
    assert DEACS.published().get_params() == DEACS().get_params() | published


def test_fitted_attributes_have_the_shapes_of_the_contract(wine):
    X, y = wine
    selector = DEACS.published(n_features_to_select=4).fit(X, y)
    assert selector.ranking_.shape == selector.scores_.shape == (4,)
    assert selector.label_scores_.shape == (4, 3)
    assert selector.residual_.shape == (5, 3)
    assert selector.stop_reason_ == "n_features_to_select"
    assert selector.classes_.tolist() == [0, 1, 2]
    assert selector.n_features_in_ == 13
    assert selector.feature_names_in_.tolist() == X.columns.tolist()
    np.testing.assert_array_equal(selector.efficiency_, selector.scores_)
    assert sorted(selector.get_support(indices=True)) == sorted(selector.ranking_)
    assert set(selector.get_feature_names_out()) == set(selector.selected_names_)


def test_all_features_selected_means_exhausted(wine):
    X, y = wine
    two = X[["flavanoids", "proline"]]
    assert DEACS.published().fit(two, y).stop_reason_ == "exhausted"
    assert DEACS.published(2).fit(two, y).stop_reason_ == "n_features_to_select"


def test_efficiency_belongs_to_the_radial_judge(wine):
    selector = DEACS.published(judge="sum").fit(*wine)
    assert not hasattr(selector, "efficiency_")
    np.testing.assert_allclose(selector.scores_, selector.label_scores_.sum(axis=1))


@pytest.mark.parametrize(("share", "expected"), [(1.0, 5), (0.5, 5), (0.16, 2), (0.01, 1)])
def test_a_float_is_a_share_of_the_features(wine, share, expected):
    assert len(DEACS.published(share).fit(*wine).ranking_) == expected


@pytest.mark.parametrize("wanted", [0, -1, 14, 0.0, 1.5, -0.5, float("nan"), True])
def test_a_number_of_features_out_of_range_is_named(wine, wanted):
    with pytest.raises(ValueError, match=r"n_features_to_select must be .*13"):
        DEACS.published(wanted).fit(*wine)


def test_truncating_equals_selecting_fewer(wine):
    X, y = wine
    long = DEACS.published(store_candidates=True).fit(X, y)
    short, expected = long.truncate(2), DEACS.published(2, store_candidates=True).fit(X, y)
    for name in ("ranking_", "scores_", "label_scores_", "residual_"):
        np.testing.assert_array_equal(getattr(short, name), getattr(expected, name))
    assert short.stop_reason_ == expected.stop_reason_
    assert len(short.candidates_) == 2
    assert short.get_params() == expected.get_params()
    assert len(long.ranking_) == 5
    assert long.truncate(5).stop_reason_ == "exhausted"
    for bad in (0, 6, "2"):
        with pytest.raises(InputError, match="between 1 and 5"):
            long.truncate(bad)


@pytest.mark.parametrize("library", FRAMES)
def test_results_come_as_the_frame_that_was_fitted(wine, library):
    X, y = wine
    frame = FRAMES[library]({name: X[name].to_numpy() for name in X.columns})
    result = DEACS.published(3).fit(frame, y).to_frame()
    assert isinstance(result, FRAMES[library])
    assert list(result["feature"]) == ["flavanoids", "proline", "color_intensity"]
    assert list(result.columns)[:5] == ["rank", "feature", "index", "score", "efficiency"]
    assert "bits[2]" in result.columns
    other = {"pandas": "polars", "polars": "pandas"}[library]
    assert isinstance(DEACS.published(3).fit(frame, y).to_frame(other), FRAMES[other])


@pytest.mark.parametrize("library", FRAMES)
def test_messy_tables_need_no_preparation(messy, library):
    data, y = messy
    X = FRAMES[library](data)
    selector = DEACS.published().fit(X, y)
    assert set(selector.selected_names_[:2]) == {"colour", "weight"}
    out = selector.set_output(transform=library).transform(X)
    assert isinstance(out, FRAMES[library])
    assert out["weight"].dtype == X["weight"].dtype
    assert list(out.columns) == [n for n in X.columns if n in selector.selected_names_]


def test_every_frame_gives_the_same_selection(messy):
    data, y = messy
    results = [DEACS.published().fit(make(data), y) for make in FRAMES.values()]
    array = np.column_stack([np.array(column, dtype=object) for column in data.values()])
    results.append(DEACS.published().fit(array, y))
    for result in results[1:]:
        np.testing.assert_array_equal(result.ranking_, results[0].ranking_)
        np.testing.assert_array_equal(result.label_scores_, results[0].label_scores_)


@pytest.mark.parametrize("fit_on", FRAMES)
@each("transform_on", FRAMES)
@each("output", ["default", "pandas", "polars"])
def test_one_frame_may_be_fitted_and_another_transformed(messy, fit_on, transform_on, output):
    data, y = messy
    selector = DEACS.published(2).set_output(transform=output).fit(FRAMES[fit_on](data), y)
    out = selector.transform(FRAMES[transform_on](data))
    assert isinstance(out, {"default": np.ndarray, **FRAMES}[output])
    assert out.shape == (120, 2)
    if output != "default":
        assert list(out.columns) == ["colour", "weight"]


def test_columns_in_another_order_are_refused_as_scikit_learn_does(wine):
    X, y = wine
    with pytest.raises(ValueError, match="feature names should match"):
        DEACS.published(2).fit(X, y).transform(X[X.columns[::-1]])


def test_coded_data_is_fitted_as_the_table_itself(wine):
    X, y = wine
    data = encode(X, y)
    coded, plain = DEACS.published().fit(data), DEACS.published().fit(X, y)
    np.testing.assert_array_equal(coded.ranking_, plain.ranking_)
    assert coded.feature_names_in_.tolist() == plain.feature_names_in_.tolist()
    assert coded.transform(X).shape == (178, 5)
    with pytest.raises(InputError, match="y must be None when X is CodedData"):
        DEACS.published().fit(data, y)
    with pytest.raises(InputError, match="must be the table itself"):
        coded.transform(data)


def test_clone_and_pickle_keep_everything(wine):
    selector = DEACS.published(3, include=["ash"], n_jobs=2).fit(*wine)
    assert clone(selector).get_params() == selector.get_params()
    restored = pickle.loads(pickle.dumps(selector))
    np.testing.assert_array_equal(restored.ranking_, selector.ranking_)
    assert restored.to_frame().equals(selector.to_frame())


@pytest.mark.parametrize("library", FRAMES)
def test_a_pipeline_is_searched_over_the_number_of_features(messy, library):
    data, y = messy
    numeric = FRAMES[library]({name: data[name] for name in ("weight", "noise", "flag", "count")})
    # scikit-learn's trees take missing numbers.
    pipeline = make_pipeline(DEACS.published(), DecisionTreeClassifier(random_state=0))
    search = GridSearchCV(pipeline, {"deacs__n_features_to_select": [1, 2]}, cv=3)
    search.fit(numeric, y)
    assert search.best_score_ > 0.8
    assert "weight" in search.best_estimator_[0].selected_names_


def test_it_is_a_selector_for_scikit_learn():
    assert isinstance(DEACS.published(), SelectorMixin)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"judge": "best"}, "judge must be one of 'bounded', 'radial', 'sum'"),
        ({"judge": 3}, "'judge' parameter"),
        ({"label_score": "mi"}, "'label_score' parameter"),
        ({"stop": "later"}, "'stop' parameter"),
        ({"n_jobs": 1.5}, "'n_jobs' parameter"),
        ({"include": ["alcool"]}, "did you mean 'alcohol'"),
        ({"include": [99]}, "indices from 0 to 12, got 99"),
        ({"include": ["ash", 2]}, "each column once, got 'ash' twice"),
        ({"include": [0, 1, 2], "n_features_to_select": 2}, "not name more features"),
        ({"discrete_features": "none"}, "discrete_features must be 'auto'"),
    ],
)
def test_bad_parameters_are_named(wine, options, message):
    with pytest.raises(ValueError, match=message):
        DEACS.published(**options).fit(*wine)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1], [2]], None, "requires y to be passed"),
        ([[1], [2]], [0, 0], "1 class"),
        ([[1], [2]], [0, 1, 1], "equal lengths, got 2 rows in X and 3 in y"),
        ([[1], [2]], [0, np.nan], "y must not have missing"),
        (np.empty((0, 2)), [], "minimum of 1 is required"),
        (pd.DataFrame([[1, 2]] * 2, columns=["a", "a"]), [0, 1], "unique column names"),
        (pd.DataFrame({"a": [1, 2], "y": [0, 1]}), "y", r"got 'y'; pass X\['y'\] as y"),
        ([[1], [2]], [2.7, 2.7], "at least two different numbers, got 2.7 in all 2 rows"),
    ],
)
def test_bad_tables_are_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        DEACS.published().fit(X, y)


@pytest.mark.parametrize("selector", [DEACS.published("all"), MRMR("all"), ReliefF("all")])
def test_whole_numbers_are_among_what_is_accepted(selector):
    with pytest.raises(ValueError, match="must be an instance of 'int', an instance of 'float'"):
        selector.fit([[1], [2]], [0, 1])


def test_an_identifier_is_named():
    X = pl.DataFrame({"id": [f"p{k}" for k in range(20)], "size": [1, 2] * 10})
    with pytest.warns(IdentifierWarning, match="'id'"):
        DEACS.published().fit(X, [0, 1] * 10)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
@pytest.mark.parametrize("name", ALL)
def test_every_selector_keeps_the_contract(name, wine):
    X, y = wine
    selector = quick(name, n_features_to_select=3, include=["ash"]).fit(X, y)
    assert selector.selected_names_[0] == "ash"
    assert selector.ranking_.shape == selector.scores_.shape == (3,)
    assert selector.stop_reason_ == "n_features_to_select"
    assert list(selector.to_frame()["feature"]) == selector.selected_names_
    shorter = selector.truncate(2)
    np.testing.assert_array_equal(shorter.ranking_, selector.ranking_[:2])
    assert shorter.transform(X).shape == (178, 2)
    with pytest.raises(InputError, match="between 1 and 13"):
        quick(name, n_features_to_select=40).fit(X, y)
    with pytest.raises(InputError, match="did you mean 'ash'"):
        quick(name, include=["asch"]).fit(X, y)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_a_bit_of_any_selection(name):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 40)) + np.where(np.arange(40) % 4 == 0, y[:, None], 0)
    alone, shared = quick(name).fit(X, y), quick(name, n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(shared.ranking_, alone.ranking_)
    np.testing.assert_array_equal(shared.scores_, alone.scores_)


@each("name", ALL)
def test_the_signature_names_every_parameter(name):
    selector = quick(name)
    parameters = signature(type(selector)).parameters
    assert sorted(parameters) == sorted(selector.get_params(deep=False))
    assert Parameter.VAR_KEYWORD not in {parameter.kind for parameter in parameters.values()}


def test_a_subclass_that_takes_no_options_claims_none():
    class Ten(MIM):
        def __init__(self, n_features_to_select=10):
            super().__init__(n_features_to_select)

    assert list(signature(Ten).parameters) == ["n_features_to_select"]
    assert clone(Ten(2)).n_features_to_select == 2
