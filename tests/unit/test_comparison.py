"""Comparing selectors: the scores of each fold by hand, what is resumed, what is refused."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import f_classif
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import MultinomialNB

from deacs import MRMR, encode
from deacs.coding.new_rows import code_new_rows, one_hot
from deacs.comparison import FTest, compare
from deacs.exceptions import InputError
from deacs.selection.stability_selection import nogueira


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return pl.DataFrame(X), y.to_numpy()


SMALL = {"classifiers": ["nb"], "n_splits": 3, "max_features": 4}


def test_a_fold_selects_codes_and_learns_from_its_training_rows(wine):
    X, y = wine
    found = compare(X, y, ["mrmr", "chance"], **SMALL)
    scores, guesses, rankings = [], [], []
    for train, test in RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0).split(y, y):
        ranking = MRMR(4).fit(X[train], y[train]).ranking_.tolist()
        data = encode(X[train], y[train])
        row = []
        for m in (1, 2, 3, 4):
            codes = np.column_stack([data.column(j) for j in ranking[:m]]).astype(int)
            seen = one_hot(codes, data.n_values[ranking[:m]])
            new = one_hot(code_new_rows(data, X[test], ranking[:m]), data.n_values[ranking[:m]])
            row.append(MultinomialNB().fit(seen, y[train]).score(new, y[test]))
        scores.append(row)
        rankings.append(ranking)
        guesses.append(np.mean(y[test] == np.bincount(y[train]).argmax()))
    mrmr, chance = found.methods
    assert found.sizes == [1, 2, 3, 4]
    assert mrmr.curve == pytest.approx(np.mean(scores, axis=0).round(6).tolist())
    assert (mrmr.score, mrmr.n_features) == (max(mrmr.curve), 1 + np.argmax(mrmr.curve))
    assert mrmr.stability == nogueira([r[: mrmr.n_features] for r in rankings], 13)
    assert chance.score == pytest.approx(np.mean(guesses), abs=1e-6)
    assert chance.n_features == 0


def test_all_features_are_scored_together_and_a_short_selection_as_a_whole(wine):
    class One(MRMR):
        def fit(self, X, y):
            self.result_ = super().fit(X, y).result_.first(1)
            return self

    found = compare(*wine, {"one": One(), "all": MRMR()}, **SMALL)
    assert len(set(found.methods[0].curve)) == 1
    assert found.methods[0].n_features == 1
    [every] = compare(*wine, ["all"], **SMALL).methods
    assert every.n_features == 13
    assert len(set(every.curve)) == 1


def test_what_a_folder_holds_is_not_computed_again(wine, tmp_path):
    class Once(MRMR):
        fits = 0

        def fit(self, X, y):
            type(self).fits += 1
            return super().fit(X, y)

    methods = {"mrmr": Once(), "chance": MRMR()}
    first = compare(*wine, {"mrmr": Once()}, **SMALL, out=tmp_path)
    file = tmp_path / "comparison.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])  # as a kill leaves it
    again = compare(*wine, methods, **SMALL, out=tmp_path)
    assert Once.fits == 3 + 1
    assert again.methods[0].curve == first.methods[0].curve
    lines = file.read_text().splitlines()
    assert len(lines) == 3 + 1 + 3  # with the half line
    assert all(json.loads(line) for line in [*lines[:2], *lines[3:]])
    compare(*wine, {"mrmr": Once()}, **SMALL | {"n_splits": 2}, out=tmp_path)
    compare(wine[0].drop("ash"), wine[1], {"mrmr": Once()}, **SMALL, out=tmp_path)
    assert Once.fits == 3 + 1 + 2 + 3


def test_processes_do_not_change_a_bit(wine):
    one = compare(*wine, ["relieff", "f-test"], n_splits=2)
    two = compare(*wine, ["relieff", "f-test"], n_splits=2, n_jobs=2)
    assert [each.curve for each in one.methods] == [each.curve for each in two.methods]


def test_the_f_test_ranks_as_scikit_learn_and_a_category_by_its_best_indicator(wine):
    X, y = wine
    expected = np.argsort(-f_classif(X.to_numpy(), y)[0], kind="stable")
    np.testing.assert_array_equal(FTest().fit(X, y).ranking_, expected)
    colours = np.array(["red", "green", "blue"])[y]
    mixed = X.select("ash").with_columns(
        colour=pl.Series(colours), hole=pl.when(pl.col("ash") > 2).then("ash")
    )
    assert FTest(1).fit(mixed, y).ranking_.tolist() == [1]


def test_numbers_are_scored_by_r2_on_their_own_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = 2 * X[:, 1] + X[:, 3]
    found = compare(X, y, ["rrelieff", "f-test", "chance"], classifiers=["ridge"], n_splits=2)
    assert found.metric == "r2"
    *methods, chance = found.methods
    assert chance.score < 0.05
    assert all(each.score > 0.4 for each in methods)


def test_a_metric_and_classifiers_of_ones_own(wine):
    forest = {"forest": RandomForestClassifier(5)}
    how = {"n_splits": 2, "max_features": 2, "metric": "balanced_accuracy"}
    one, two = (compare(*wine, ["mim"], classifiers=forest, **how) for _ in range(2))
    assert one.methods[0].curve == two.methods[0].curve  # the seed reaches the forest
    assert one.classifiers == ["forest"]
    by_name = compare(*wine, ["mim"], classifiers=["GaussianNB"], **how)
    assert by_name.methods[0].score > 0.5


def test_a_rare_class_is_compared_without_a_warning(wine):
    X, y = wine
    rows = np.r_[0:60, 130:133]
    [mim] = compare(X[rows], y[rows], ["mim"], **SMALL | {"n_splits": 5}).methods
    assert mim.score > 0.8


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"methods": ["mrmrr"]}, "methods must name selectors, got 'mrmrr'; known names are deacs"),
        ({"methods": ["rrelieff"]}, "methods must suit a target of classes, got 'rrelieff'"),
        ({"metric": "r2"}, "metric must be one of accuracy, balanced_accuracy, f1_macro for"),
        ({"classifiers": ["knn"]}, "classifiers must be nb, svm, 5-nn, tree or any classifier"),
        ({"classifiers": ["Ridge"]}, "got 'Ridge'"),
        ({"target": "labels"}, "y must hold classes or numbers, got several labels"),
    ],
)
def test_mistakes_are_named(wine, given, words):
    X, y = wine
    if given.get("target") == "labels":
        y = np.column_stack([y == 0, y == 1])
    with pytest.raises(InputError, match=words):
        compare(X, y, **given)
