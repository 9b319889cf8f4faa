"""A number as target: equal to naive twins, and at home in every selector and wrapper."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, cross_val_score
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import deacs
from deacs import DEACS, DEACSCV, JMI, MDLP, CodedData, RReliefF, SelectorCV, StabilitySelection
from deacs.exceptions import InputError
from tests import naive
from tests.contract.all_selectors import ALL, WRAPPERS, quick
from tests.naive import labels as naive_labels
from tests.naive.numbers import naive_thresholds

NUMBERS = [name for name in ALL if hasattr(quick(name), "target") or name in WRAPPERS]


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(240, 8, noise=0.5, random_state=0)
    return pd.DataFrame(X, columns=[*"abcdefgh"]), y


@st.composite
def coded_tables(draw):
    """Few rows of codes, and whole numbers with ties, zeros first of all."""
    y = [0, 4, *draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 3, 5, 8]), min_size=4, max_size=20))]
    n_columns = draw(st.integers(1, 4))
    column = st.lists(st.integers(0, 2), min_size=len(y), max_size=len(y))
    return [draw(column) for _ in range(n_columns)], y


def as_sets(y):
    """The thresholds that each number lies below, as sets of labels."""
    thresholds = naive_thresholds(y)
    return [{f"{k}" for k, q in enumerate(thresholds) if value <= q} for value in y]


@given(coded_tables(), st.sampled_from(["radial", "sum"]))
def test_selection_by_thresholds_equals_the_naive_twin(table, judge):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y, target="numbers")
    selector = DEACS.published(judge=judge).fit(data)
    sets = as_sets(y)
    twin = naive.dea_cs(
        columns,
        sets,
        score=naive_labels.of_label(naive.label_score),
        judge=judge,
        labels=naive_labels.labels_of(sets),
    )
    assert selector.ranking_.tolist() == [feature for feature, _, _ in twin]
    expected = np.array([scores for _, _, scores in twin]).reshape(selector.label_scores_.shape)
    np.testing.assert_allclose(selector.label_scores_, expected, rtol=1e-9, atol=1e-12)
    for step in range(len(selector.ranking_) + 1):
        given_ = [columns[j] for j in selector.ranking_[:step]]
        left = [naive_labels.residual(sets, i, given_) for i in naive_labels.labels_of(sets)]
        np.testing.assert_allclose(selector.residual_[step], left, atol=1e-12)


def test_thresholds_as_labels_give_the_same_bits(friedman):
    X, y = friedman
    numbers = DEACS.published(5).fit(X, y)
    matrix = pd.DataFrame({f"<= {q}": (y <= q).astype(int) for q in naive_thresholds(y.tolist())})
    labels = DEACS.published(5).fit(X, matrix)
    assert numbers.label_scores_.tobytes() == labels.label_scores_.tobytes()
    assert numbers.selected_names_ == labels.selected_names_


def test_two_numbers_are_two_classes():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60)
    numbers = DEACS.published(3, target="numbers").fit(X, y)
    classes = DEACS.published(3).fit(X, y)
    assert numbers.classes_.tolist() == ["<= 0"]
    np.testing.assert_array_equal(numbers.label_scores_[:, 0], classes.label_scores_[:, 0])


def test_a_feature_of_the_low_end_serves_the_low_thresholds():
    rng = np.random.default_rng(1)
    y = rng.uniform(0, 60, 900)
    X = pd.DataFrame({"low": np.minimum(y, 20) + rng.normal(size=900)})
    X["high"] = np.maximum(y, 40) + rng.normal(size=900)
    X["noise"] = rng.normal(size=900)
    for selector in (DEACS(2), DEACS.published(2)):
        fitted = selector.fit(X, y)
        alone = dict(zip(fitted.selected_names_, fitted.label_scores_, strict=True))
        assert set(alone) == {"low", "high"}
        first = fitted.selected_names_[0]
        best = int(np.argmax(alone[first]))
        assert (best <= 1) if first == "low" else (best >= 3)


def test_monotone_units_of_the_target_do_not_matter(friedman):
    X, y = friedman
    fits = [DEACS(4).fit(X, target) for target in (y, np.exp(y / 10), y * 1e-9 - 7)]
    for other in fits[1:]:
        assert other.label_scores_.tobytes() == fits[0].label_scores_.tobytes()


def test_weights_count_as_repeated_rows(friedman):
    X, y = friedman
    y = y.round()
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = DEACS(4, target="numbers").fit(X, y, sample_weight=counts)
    rows = np.arange(len(y)).repeat(counts)
    repeated = DEACS(4, target="numbers").fit(X.iloc[rows], y[rows])
    assert weighted.selected_names_ == repeated.selected_names_
    np.testing.assert_allclose(weighted.label_scores_, repeated.label_scores_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")
@pytest.mark.parametrize("name", NUMBERS)
def test_every_selector_takes_a_number_as_target_or_says_why_not(name, friedman):
    X, y = friedman
    selector = quick(name)
    if getattr(selector, "target", "auto") == "classes":
        with pytest.raises(InputError, match="RReliefF instead of ReliefF"):
            selector.fit(X, y)
        return
    fitted = selector.fit(X, y)
    informative = {"a", "b", "c", "d", "e"}
    assert set(fitted.selected_names_[:2]) <= informative
    rows = np.random.default_rng(1).permutation(len(y))
    # The order of rows matters to folds, and to tests that shuffle them.
    if name not in WRAPPERS and name != "MarkovBlanket":
        assert clone(selector).fit(X.iloc[rows], y[rows]).selected_names_ == fitted.selected_names_


@pytest.mark.parametrize("make", [np.asarray, pl.Series, pd.Series, list], ids=lambda m: m.__name__)
def test_any_kind_of_column_is_a_target(make, friedman):
    X, y = friedman
    assert DEACS(3).fit(X, make(y)).selected_names_ == DEACS(3).fit(X, y).selected_names_


def test_as_many_as_are_significant():
    X, y = make_friedman1(600, 10, noise=1.0, random_state=3)
    fitted = DEACS("auto").fit(X, y)
    assert set(fitted.ranking_) <= {0, 1, 2, 3, 4}
    assert len(fitted.ranking_) >= 3
    noise = np.random.default_rng(0).normal(size=(200, 6))
    assert len(DEACS("auto").fit(noise, y[:200]).ranking_) == 0


def test_what_is_left_is_estimated_for_each_threshold(friedman):
    X, y = friedman
    fitted = DEACS(3).fit(X, y)
    assert fitted.unexplained_.shape == (4, 5)
    assert (fitted.unexplained_[-1] < 0.85).all()
    assert fitted.held_out_.gain[0] > 2 * fitted.held_out_.gain_error[0]


def test_pipelines_with_regressors_work(friedman):
    X, y = friedman
    few = cross_val_score(make_pipeline(DEACS(5), KNeighborsRegressor(5)), X, y).mean()
    assert few > cross_val_score(KNeighborsRegressor(5), X, y).mean()


def test_cross_validation_counts_r2_of_regressors(friedman):
    X, y = friedman
    cv = KFold(3, shuffle=True, random_state=0)
    fitted = DEACSCV(estimator=LinearRegression(), cv=cv, max_features=3).fit(X, y)
    expected = []
    for train, test in cv.split(X):
        path = DEACS(3, target="numbers").fit(X.iloc[train], y[train])
        chosen = path.truncate(2).get_support()
        model = LinearRegression().fit(X.loc[:, chosen].iloc[train], y[train])
        expected.append(r2_score(y[test], model.predict(X.loc[:, chosen].iloc[test])))
    got = [fitted.cv_results_[f"split{k}_test_score"][1] for k in range(3)]
    np.testing.assert_allclose(got, expected)


def test_folds_have_their_share_of_every_interval(friedman):
    X, y = friedman
    seen = []

    class Looking(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            seen.append(np.sort(y))
            return super().fit(X, y)

    DEACSCV(DEACS(1), estimator=Looking(), cv=4).fit(X, np.sort(y))  # folds in a row would not
    lowest = np.sort(y)[len(y) // 6]
    shares = [(fold <= lowest).mean() for fold in seen]
    assert max(shares) - min(shares) < 0.02


def test_the_default_regressors_take_any_table(friedman):
    X, y = friedman
    X = X.assign(
        text=np.where(X["a"] > 0.5, "x", "y"), empty=np.where(X["b"] > 0.7, np.nan, X["b"])
    )
    fitted = DEACSCV(cv=3).fit(X, y)
    assert fitted.cv_results_["mean_test_score"].max() > 0.5
    assert fitted.n_features_ >= 3


@pytest.mark.parametrize("nested", [False, True])
def test_selectors_compete_with_regressors(friedman, nested):
    X, y = friedman
    selector = SelectorCV([JMI(), SelectKBest(f_regression), RReliefF()], [2, 4], cv=3)
    fitted = selector.set_params(nested=nested).fit(X, y)
    assert fitted.cv_results_["mean_test_score"].max() > 0.5
    if nested:
        assert 0.4 < fitted.held_out_score_ < 1


def test_what_is_tried_unasked_suits_numbers(friedman):
    X, y = friedman
    fitted = SelectorCV(n_features_to_select=[3], cv=2).fit(X, y)
    tried = list(dict.fromkeys(fitted.cv_results_["selector"]))
    assert tried == ["deacs", "cfs", "mrmr", "jmi", "cmim", "rrelieff"]


@pytest.mark.parametrize("encode_once", [False, True])
def test_stable_features_of_a_number(friedman, encode_once):
    X, y = friedman
    stable = StabilitySelection(DEACS(3), n_resamples=10, random_state=0, encode_once=encode_once)
    assert set(stable.fit(X, y).selected_names_) <= {"a", "b", "d", "e"}


def test_a_quantity_on_all_rows_is_one_on_each_fold():
    X, y = load_diabetes(return_X_y=True)
    rows = np.arange(110)  # 92 whole numbers, on a fold of a half 50
    with pytest.warns(UserWarning, match="taken for a quantity"):
        fitted = DEACSCV(DEACS(2), cv=2).fit(X[rows], y[rows])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explicit = DEACSCV(DEACS(2, target="numbers"), cv=2).fit(X[rows], y[rows])
    assert fitted.cv_results_["mean_test_score"].tolist() == pytest.approx(
        explicit.cv_results_["mean_test_score"].tolist()
    )


def test_columns_are_cut_against_numbers(friedman):
    X, y = friedman
    cut = MDLP().fit(X, y)
    assert cut.n_bins_[3] > 2  # y grows with d
    assert cut.n_bins_[5:].tolist() == [1, 1, 1]
    codes = DEACS(4, discretizer=MDLP()).fit(X, y)
    assert codes.selected_names_ == DEACS(4, discretizer="mdlp").fit(X, y).selected_names_


def test_tables_and_notes_name_thresholds(friedman):
    X, y = friedman
    fitted = DEACS(2).fit(X, y)
    assert [c for c in fitted.to_frame().columns if c.startswith("bits")] == [
        f"bits[{name}]" for name in fitted.classes_
    ]
    assert f"&lt;= {fitted.classes_[0][3:]}"[:6] in fitted._repr_html_()
    assert repr(deacs.encode(X, y)) == "<CodedData: 240 rows, 8 features, 5 thresholds>"
