"""Several labels a row: every selector against its twin, and against classes where labels are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_multilabel_classification
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import (
    DEACS,
    DEACSCV,
    JMI,
    MRMR,
    Blocks,
    CodedData,
    OneVsRest,
    Radial,
    ReliefF,
    SelectorCV,
    Significant,
    StabilitySelection,
    Sum,
    encode,
)
from deacs.counts import Conditioning, OrderConditioning
from deacs.exceptions import InputError
from deacs.selection.held_out import Refits, divisions, held_out
from deacs.selection.judges import JUDGES as JUDGE_REGISTRY
from deacs.selection.row_subsets import RowSubsets
from deacs.tables import read_labels
from tests import naive
from tests.naive import bias, blocks
from tests.naive import labels as naive_labels
from tests.real_data import read_labelled_set
from tests.tables_of_codes import labelled_tables

JUDGES = {"radial": Radial, "sum": Sum}
SCORES = {"one-vs-rest": naive.label_score, "divergence": naive.divergence}
SETS = ["flags", "emotions", "yeast", "birds", "genbase"]


def coded(columns, y):
    return CodedData.from_codes(np.array(columns).T, y)


def assert_equals_naive(selector, twin):
    assert selector.ranking_.tolist() == [feature for feature, _, _ in twin]
    np.testing.assert_allclose(selector.scores_, [theta for _, theta, _ in twin], rtol=1e-9)
    expected = np.array([scores for _, _, scores in twin]).reshape(selector.label_scores_.shape)
    np.testing.assert_allclose(selector.label_scores_, expected, rtol=1e-9, atol=1e-12)


@given(labelled_tables(), st.sampled_from(sorted(SCORES)), st.sampled_from(sorted(JUDGES)))
def test_selection_equals_the_naive_twin(table, label_score, judge):
    columns, y = table
    selector = DEACS.published(label_score=label_score, judge=JUDGES[judge]())
    twin = naive.dea_cs(
        columns,
        y,
        score=naive_labels.of_label(SCORES[label_score]),
        judge=judge,
        labels=naive_labels.labels_of(y),
    )
    assert_equals_naive(selector.fit(coded(columns, y)), twin)


@given(labelled_tables())
def test_what_is_left_of_each_label_equals_the_naive_twin(table):
    columns, y = table
    selector = DEACS.published(judge="sum").fit(coded(columns, y))
    for step in range(len(selector.ranking_) + 1):
        given_ = [columns[j] for j in selector.ranking_[:step]]
        left = [naive_labels.residual(y, i, given_) for i in naive_labels.labels_of(y)]
        np.testing.assert_allclose(selector.residual_[step], left, atol=1e-12)


@given(labelled_tables(max_rows=12), st.sampled_from(["miller-madow", "excess"]))
def test_corrected_scores_given_blocks_equal_the_naive_twin(table, estimator):
    columns, y = table
    score = {"miller-madow": bias.miller_madow, "excess": bias.excess}[estimator]
    selector = DEACS(
        label_score=OneVsRest(estimator),
        conditioning=Blocks(min_group_size=4, caution=1),
        judge="sum",
    )
    twin = naive.dea_cs(
        columns,
        y,
        score=naive_labels.of_label(blocks.least(4, score)),
        judge="sum",
        labels=naive_labels.labels_of(y),
    )
    assert_equals_naive(selector.fit(coded(columns, y)), twin)


@pytest.mark.parametrize("name", SETS)
def test_label_scores_of_real_sets_equal_the_naive_twin(name):
    X, Y = read_labelled_set(name)
    data = encode(X, Y)
    features = np.random.default_rng(0).choice(data.n_features, 12, replace=False)
    conditioning, given_ = Conditioning.of(data), []
    for chosen in features[:3].tolist():
        scores = conditioning.scores(data.blocks, features, "one-vs-rest")
        columns = [data.column(j).astype(int) for j in features.tolist()]
        for i, label in enumerate(Y.columns):
            twin = naive.label_scores_by_arrays(columns, Y[label].to_numpy(), given_, 2)[:, 1]
            np.testing.assert_allclose(scores[:, i], twin, rtol=1e-9, atol=1e-13)
            np.testing.assert_array_equal(scores[:, i] == 0, twin == 0)
        conditioning.add(data.column(chosen), int(data.n_values[chosen]))
        given_.append(data.column(chosen).astype(int))


@pytest.mark.parametrize("name", SETS)
def test_selections_of_real_sets_equal_the_naive_twin(name):
    X, Y = read_labelled_set(name)
    # A linear program for every candidate: the columns of which no value is frequent.
    spread = sorted(X.columns, key=lambda name: X[name].value_counts()["count"].max())
    data = encode(X.select(spread[:25]), Y)
    selector = DEACS.published(3).fit(data)
    columns = [data.column(j).astype(int) for j in range(data.n_features)]
    labels, left, given_ = Y.to_numpy().T, list(range(data.n_features)), []
    for step in range(3):
        one_by_one = [
            naive.label_scores_by_arrays([columns[j] for j in left], label, given_, 2)[:, 1]
            for label in labels
        ]
        gamma = np.column_stack(one_by_one)
        units = np.flatnonzero(gamma.sum(axis=1) > 0)
        theta = naive.super_efficiency(np.ones((len(units), 1)), gamma[units])
        k = naive.first_by_tie_rule(theta, gamma[units].sum(axis=1))
        assert selector.ranking_[step] == left[units[k]]
        np.testing.assert_allclose(selector.scores_[step], theta[k], rtol=1e-7)
        np.testing.assert_allclose(selector.label_scores_[step], gamma[units[k]], rtol=1e-9)
        given_.append(columns[left.pop(units[k])])
        sets = [{i for i, has in enumerate(row) if has} for row in labels.T]
        known = [column.tolist() for column in given_]
        residual = [naive_labels.residual(sets, i, known) for i in range(len(labels))]
        np.testing.assert_allclose(selector.residual_[step + 1], residual, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_each_label_of_the_default_has_the_scores_of_that_label_alone(name):
    X, Y = read_labelled_set(name)
    data = encode(X, Y, order=True, discretizer="auto")
    selector = DEACS(4, store_candidates=True).fit(data)
    chosen = selector.ranking_.tolist()
    for i in (0, Y.width - 1):
        column = read_labels(Y.to_series(i).to_numpy(), len(Y))
        alone = CodedData(
            data.blocks, column.codes, column.classes, data.features, data.feature_names,
            data.is_named, order=data.order,
        )  # fmt: skip
        # Blocks depend on features alone, so those of the label are the same.
        twin = DEACS(4, include=chosen, store_candidates=True).fit(alone)
        for step in range(4):
            np.testing.assert_allclose(
                selector.candidates_[step].label_scores[:, i],
                twin.candidates_[step].label_scores[:, 1],
                rtol=1e-9,
                atol=1e-12,
            )


@pytest.mark.parametrize("make", [DEACS, DEACS.published])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_labels_that_exclude_each_other_give_the_bits_of_classes(make, load):
    X, y = load(return_X_y=True)
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    for sample_weight in (None, weights):
        of_classes = make(4).fit(X, y, sample_weight)
        of_labels = make(4).fit(X, np.eye(3, dtype=int)[y], sample_weight)
        for name in ("ranking_", "scores_", "label_scores_", "residual_", "unexplained_"):
            np.testing.assert_array_equal(getattr(of_labels, name), getattr(of_classes, name))


def test_a_label_nobody_else_has_makes_no_difference_to_the_others():
    # One row has two labels, so labels overlap: nearly the same table, the other way to count.
    X, y = load_wine(return_X_y=True)
    X, y = np.vstack([X, X[:1]]), np.append(y, y[0])
    Y = np.eye(3, dtype=bool)[y]
    Y[-1, 1] = True
    data, twin = encode(X, Y), encode(X, Y[:, 1].astype(int))
    features = np.arange(13)
    for column in range(3):
        scores = []
        for d in (data, twin):
            given = Conditioning.of(d)
            given.add(data.column(column), int(data.n_values[column]))
            scores.append(given.scores(data.blocks, features, "one-vs-rest"))
        np.testing.assert_array_equal(scores[0][:, 1], scores[1][:, 1])


def test_rows_retire_when_their_group_agrees_on_all_labels():
    Y = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    column = np.array([0, 0, 1, 1], dtype=np.uint8)
    conditioning = Conditioning.of(CodedData.from_codes(column[:, None], Y))
    assert conditioning.n_left == 4
    conditioning.add(column, 2)
    assert conditioning.n_left == 2
    assert conditioning.label_entropies().tolist() == [0.5, 0.0]


def test_whole_weights_are_repeated_rows():
    X, Y = make_multilabel_classification(80, 8, n_classes=4, random_state=0)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    for make in (DEACS, DEACS.published):
        weighted = make(4, discretizer="equal-width").fit(X, Y, weights)
        keep = np.repeat(np.arange(len(X)), weights)
        repeated = make(4, discretizer="equal-width").fit(X[keep], Y[keep])
        assert weighted.ranking_.tolist() == repeated.ranking_.tolist()
        np.testing.assert_allclose(weighted.label_scores_, repeated.label_scores_, rtol=1e-12)


def test_ignored_missing_values_leave_only_rows_in_which_a_feature_is_present():
    X, Y = make_multilabel_classification(120, 5, n_classes=3, random_state=0)
    X = X.copy()
    X[::3, 2] = np.nan
    data = encode(X, Y, missing="ignore", discretizer="equal-width")
    scores = Conditioning.of(data).scores(data.blocks, np.arange(5), "one-vs-rest")
    present = np.flatnonzero(~np.isnan(X[:, 2]))
    some = data.column(2)[present].tolist()
    twin = [naive.label_score(some, Y[present, i].tolist(), 1, []) for i in range(3)]
    np.testing.assert_allclose(scores[2], twin, rtol=1e-9)


def test_order_view_sees_each_label():
    X, Y = make_multilabel_classification(200, 10, n_classes=4, random_state=1)
    data = encode(X, Y, order=True)
    view = OrderConditioning(data)
    alone = [OrderConditioning(encode(X, Y[:, i], order=True)) for i in range(4)]
    for feature in (3, 7):
        for i, twin in enumerate(alone):
            np.testing.assert_allclose(
                view.scores(np.arange(10))[:, i], twin.scores(np.arange(10))[:, 1], rtol=1e-9
            )
            twin.add(feature)
        view.add(feature)


def test_shares_for_rows_not_seen_are_those_of_each_label():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] + rng.normal(size=400) > 1])
    selector = DEACS(2).fit(X, Y.astype(int))
    left = selector.unexplained_
    assert left.shape == (3, 3)
    assert selector.ranking_[0] == 0
    # A label and its opposite are one variable; the third is explained in part.
    np.testing.assert_allclose(left[:, 0], left[:, 1], rtol=1e-9)
    assert left[-1, 0] < 0.1
    assert 0.3 < left[-1, 2] < 0.95
    np.testing.assert_allclose(selector.held_out_.gain.sum(), selector.held_out_.loss * (
        1 - (left[-1] * _losses(Y)).sum() / _losses(Y).sum()), rtol=0.05)  # fmt: skip


def test_shares_for_rows_not_seen_are_the_class_s_of_having_the_label():
    X, Y = make_multilabel_classification(150, 8, n_classes=3, random_state=0)
    selector = DEACS(3).fit(X, Y)
    result, total = selector.result_, 0.0
    refits, selected = Refits(result.selector, result.source), selector.ranking_.tolist()
    order = refits.order
    repeats = [
        [refits.fold(*rows, 3) for rows in folds]
        for folds in divisions(refits.data.labels[order], 8)
    ]
    for i in range(3):
        mine = [[fold._replace(evidence=[fold.evidence[i]]) for fold in folds] for folds in repeats]
        for fold in (fold for folds in mine for fold in folds):
            np.testing.assert_array_equal(fold.evidence[0].labels, Y[order[fold.rows], i])
        alone = held_out(mine, selected, 2, np.arange(150))
        np.testing.assert_array_equal(selector.unexplained_[:, i], alone.unexplained[:, 1])
        total += alone.loss
    assert selector.held_out_.loss == pytest.approx(total)


def _losses(Y):
    p = Y.mean(axis=0)
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def test_noise_labels_give_nothing():
    n_runs, fooled = 8, 0
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        X, Y = rng.normal(size=(200, 30)), rng.random((200, 4)) < 0.4
        assert DEACS().fit(X, Y).stop_reason_ == "chance"
        assert len(DEACS().fit(X, Y).ranking_) == 0
        tested = DEACS(stop=Significant(random_state=seed)).fit(X, Y)
        fooled += len(tested.ranking_) > 0
    assert fooled <= binom.ppf(0.999, n_runs, 0.05)


def test_significant_features_are_found_with_cuts_placed_by_each_label():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    Y = np.column_stack([X[:, 1] > 0, X[:, 4] > 0.5, rng.random(300) < 0.3])
    selector = DEACS("auto").fit(X, Y)
    assert sorted(selector.ranking_) == [1, 4]
    assert selector.stop_reason_ == "not significant"


@pytest.mark.parametrize("kind", ["matrix", "booleans", "frame", "sparse", "sets", "lists"])
def test_labels_of_every_kind_give_one_fit(kind):
    from scipy.sparse import csr_array

    X, Y = make_multilabel_classification(60, 6, n_classes=3, random_state=0)
    names = ["b", "a", "c"]
    sets = [{name for name, has in zip(names, row, strict=True) if has} for row in Y.tolist()]
    given_ = {
        "matrix": Y,
        "booleans": Y.astype(bool),
        "frame": pl.DataFrame(Y, schema=names),
        "sparse": csr_array(Y),
        "sets": sets,
        "lists": [sorted(labels) for labels in sets],
    }[kind]
    selector = DEACS.published(3).fit(X, given_)
    expected = DEACS.published(3).fit(X, Y)
    assert selector.ranking_.tolist() == expected.ranking_.tolist()
    order = np.argsort(names) if kind in ("sets", "lists") else np.arange(3)
    np.testing.assert_array_equal(selector.label_scores_, expected.label_scores_[:, order])
    named = (
        [0, 1, 2] if kind in ("matrix", "booleans", "sparse") else np.array(names)[order].tolist()
    )
    assert selector.classes_.tolist() == named


def test_selectors_of_classes_refuse_labels_with_a_reason():
    X, Y = make_multilabel_classification(60, 6, n_classes=3, random_state=0)
    with pytest.raises(InputError, match="must be one column, the class of each row"):
        ReliefF(3).fit(X, Y)
    with pytest.raises(InputError, match="must be one column"):
        JMI(3, target="classes").fit(X, Y)


@pytest.mark.parametrize("exclude_each_other", [False, True])
def test_codes_on_disk_are_counted_alike(tmp_path, exclude_each_other):
    X, Y = make_multilabel_classification(200, 9, n_classes=4, random_state=0)
    if exclude_each_other:
        Y = np.eye(4, dtype=int)[np.argmax(Y, axis=1)]
    here = DEACS.published(5).fit(X, Y)
    there = DEACS.published(5).fit(encode(X, Y, out=tmp_path / "codes"))
    assert there.classes_.tolist() == [0, 1, 2, 3]
    for name in ("ranking_", "label_scores_", "residual_"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))


def test_costs_groups_label_weights_and_included_features_work_with_labels():
    X, Y = make_multilabel_classification(150, 8, n_classes=4, random_state=0)
    free = DEACS(3, costs={0: 0.0} | dict.fromkeys(range(1, 8), 5.0)).fit(X, Y)
    assert free.ranking_[0] == 0
    grouped = DEACS(2, groups={"pair": [1, 2]}, include=[1]).fit(X, Y)
    assert grouped.groups_[0].tolist() == [1, 2]
    weighted = DEACS(1, judge=Sum(label_weights={2: 1000.0})).fit(X, Y)
    alone = DEACS(1, judge=Sum()).fit(X, Y[:, 2])
    assert weighted.ranking_[0] == alone.ranking_[0]
    with pytest.raises(InputError, match="must name classes"):
        DEACS(1, judge=Sum(label_weights={"nobody": 2.0})).fit(X, Y)
    assert DEACS(3, judge="sbm").fit(X, Y).label_scores_.shape == (3, 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: DEACSCV(cv=3, rule="best"),
        lambda: SelectorCV([DEACS.published(), MRMR(sum_labels=True)], cv=3, rule="best"),
        lambda: StabilitySelection(MRMR(3, sum_labels=True), n_resamples=6, random_state=0),
    ],
)
def test_selectors_around_others_work_though_a_fold_has_no_row_of_a_label(make):
    X, Y = make_multilabel_classification(120, 6, n_classes=3, random_state=0)
    rare = np.zeros((120, 1), dtype=int)
    rare[:2] = 1
    fitted = make().fit(X, np.hstack([Y, rare]))
    assert fitted.classes_.tolist() == [0, 1, 2, 3]
    assert 0 < len(fitted.ranking_) <= 6
    assert fitted.transform(X).shape == (120, len(fitted.ranking_))


def test_folds_have_equal_shares_of_frequent_sets_of_labels():
    Y = np.repeat([[1, 0], [0, 1], [1, 1]], [60, 30, 1], axis=0)
    strata = RowSubsets(np.arange(91.0)[:, None], Y, DEACS()).strata(3)
    assert sorted(np.unique(strata, return_counts=True)[1].tolist()) == [1, 30, 60]
    every_row_its_own = np.tri(8, 7, -1, dtype=int)
    assert set(RowSubsets(np.arange(8.0)[:, None], every_row_its_own, DEACS()).strata(3)) == {-1}


def test_tags_say_that_several_labels_are_taken_where_they_are():
    assert DEACS().__sklearn_tags__().target_tags.multi_output
    assert not ReliefF().__sklearn_tags__().target_tags.multi_output


def with_rare_labels(n_rows=120, seed=0):
    """Two labels that columns tell, one of a single row, one of no row and one of all rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    likely = X[:, :2] + 0.3 * rng.normal(size=(n_rows, 2)) > 0
    rare = np.arange(n_rows) == 3
    never, always = np.zeros(n_rows, bool), np.ones(n_rows, bool)
    return X, np.column_stack([never, likely[:, 0], rare, likely[:, 1], always]).astype(int)


@pytest.mark.filterwarnings("ignore:no row has the label 0 and all 120 rows have the label 4")
@pytest.mark.parametrize(
    "selector",
    [
        DEACS(),
        DEACS("auto"),
        DEACS.published(3),
        *(DEACS(4, judge=judge) for judge in JUDGE_REGISTRY),
        *(MRMR(4, sum_labels=sums) for sums in (False, True)),
        DEACSCV(cv=3),
        StabilitySelection(n_resamples=6, random_state=0),
    ],
    ids=repr,
)
def test_labels_of_no_row_or_all_rows_change_no_selection(selector):
    X, Y = with_rare_labels()
    expected = clone(selector).fit(X, Y[:, 1:4])
    found = clone(selector).fit(X, Y)
    assert found.selected_names_ == expected.selected_names_
    assert found.classes_.tolist() == [0, 1, 2, 3, 4]
    if hasattr(found, "label_scores_"):
        np.testing.assert_array_equal(found.label_scores_[:, [0, 4]], 0.0)
        np.testing.assert_allclose(
            found.label_scores_[:, 1:4], expected.label_scores_, rtol=0, atol=1e-12
        )


@pytest.mark.filterwarnings("ignore:.* there is nothing to tell apart")
def test_rare_labels_can_be_cross_validated():
    X, Y = with_rare_labels()
    assert DEACSCV(cv=3).fit(X, Y).n_features_ == 2
    assert SelectorCV([DEACS(2), MRMR(2, sum_labels=True)], cv=3).fit(X, Y).n_features_ <= 2
    model = make_pipeline(DEACS(2), DecisionTreeClassifier(random_state=0))
    scores = cross_val_score(model, X, Y, cv=3)
    assert scores.min() > 1 / 3  # most rows have one of four sets of labels
    unexplained = DEACS(2).fit(X, Y).unexplained_
    assert unexplained.shape == (3, 5)
    assert (unexplained[-1, [1, 3]] < 0.7).all()


def test_a_class_that_a_fold_lacks_is_no_error():
    X, Y = with_rare_labels()
    y = np.where(Y[:, 2], "rare", np.where(Y[:, 1], "high", "low"))
    model = make_pipeline(DEACS(2), DecisionTreeClassifier(random_state=0))
    assert cross_val_score(model, X, y, cv=KFold(3)).min() > 0.7
    assert DEACSCV(cv=3).fit(X, y).classes_.tolist() == ["high", "low", "rare"]


def test_categories_that_no_row_has_are_no_classes():
    X, Y = with_rare_labels()
    y = pd.Categorical.from_codes(Y[:, 1], ["low", "high", "never"])
    assert DEACS(1).fit(X, y).classes_.tolist() == ["high", "low"]
