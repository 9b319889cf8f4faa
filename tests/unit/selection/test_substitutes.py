"""Who could stand in for whom; one feature for another, one less."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine

from deacs import (
    CFS,
    CMI,
    CMIM,
    DEACS,
    FCBF,
    JMI,
    JMIM,
    MIM,
    MRMR,
    Blocks,
    CodedData,
    Costs,
    OwnCriterion,
    encode,
)
from deacs.counts import OrderConditioning
from deacs.exceptions import InputError
from deacs.selection.source import Source
from deacs.selection.substitutes import find_substitutes
from tests.naive.blocks import partition
from tests.naive.substitutes import substitutes as naive_substitutes
from tests.tables_of_codes import coded_tables


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


EQUAL_UP_TO_ROUNDING = (
    [
        [0, 1, 1, 2, 1, 0, 1, 1, 0, 0, 2, 1, 0, 0, 2, 1],
        [0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 2, 2, 1, 0, 1],
        [0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 2, 2, 2, 1, 1, 1],
        [1, 1, 1, 2, 2, 0, 2, 1, 0, 1, 0, 1, 1, 2, 1, 1],
    ],
    [0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1],
)
"""Of the substitutes of a feature two are equal but for the order in which numbers are added."""


@pytest.mark.parametrize(
    ("conditioning", "blocks", "fold"),
    [
        ("joint", lambda S: [S], min),
        (Blocks(min_group_size=3, caution=1.0), lambda S: partition(S, 3), min),
        ("cmim", lambda S: [[column] for column in S], min),
        ("jmi", lambda S: [[column] for column in S], np.mean),
    ],
)
@example(table=EQUAL_UP_TO_ROUNDING)
@given(table=coded_tables())
def test_substitutes_are_those_of_brute_force(conditioning, blocks, fold, table):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, np.array(y))
    selector = DEACS.published(max(1, len(columns) // 2), conditioning=conditioning).fit(data)
    ranking = selector.ranking_.tolist()
    if not ranking:
        return
    expected = naive_substitutes(columns, y, ranking, blocks, fold, 2)
    entries = selector.substitutes(n=2).entries
    assert [entry.feature for entry in entries] == ranking
    for entry, (own, others) in zip(entries, expected, strict=True):
        np.testing.assert_allclose(entry.scores, own, atol=1e-9)
        assert [other.feature for other in entry.substitutes] == [other[0] for other in others]
        for found, (_, kept, lost) in zip(entry.substitutes, others, strict=True):
            np.testing.assert_allclose(found.kept, kept, atol=1e-9)
            np.testing.assert_allclose(found.lost, lost, atol=1e-9)
            assert found.share == pytest.approx(sum(kept) / sum(own), abs=1e-7)


def source_of(data):
    return Source(data.feature_names, data.about, coded=data)


def label_criterion(data, **options):
    return DEACS(**options)._exchangeable(source_of(data))


def replayed(criterion, ranking, feature, candidates):
    for other in ranking:
        if other != feature:
            criterion.add(other)
    return criterion.scores(candidates)


@pytest.mark.parametrize("label_score", ["two-views", "one-vs-rest", "divergence"])
@pytest.mark.parametrize("conditioning", [Blocks(min_group_size=0), "joint", "jmi"])
def test_scores_without_a_feature_are_those_as_if_it_had_never_joined(label_score, conditioning):
    X, y = load_digits(return_X_y=True)
    data = encode(X[:400].astype(float), y[:400], order=True)
    how = {"label_score": label_score, "conditioning": conditioning}
    ranking = [21, 42, 26, 36, 10, 61, 33, 20]
    criterion = label_criterion(data, **how)
    for feature in ranking:
        criterion.add(feature)
    for feature in ranking:
        candidates = np.array([feature, *(j for j in range(64) if j not in ranking)])
        found = criterion.without(feature)(candidates)
        expected = replayed(label_criterion(data, **how), ranking, feature, candidates)
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_feature_leaves_its_block_and_the_others_stay():
    X, y = load_digits(return_X_y=True)
    data = encode(X[:400].astype(float), y[:400])
    ranking = [21, 42, 26, 36, 10, 61, 33, 20]
    criterion = label_criterion(data, label_score="one-vs-rest", conditioning=Blocks(5))
    for feature in ranking:
        criterion.add(feature)
    blocks = criterion.conditions()
    assert len(blocks) > 1
    assert max(map(len, blocks)) > 1
    for feature in ranking:
        candidates = np.array([feature, *(j for j in range(64) if j not in ranking)])
        rest = [[j for j in block if j != feature] for block in blocks]
        given = []
        for block in filter(None, rest):
            alone = label_criterion(data, label_score="one-vs-rest", conditioning="joint")
            for other in block:
                alone.add(other)
            given.append(alone.scores(candidates))
        expected = (np.min(given, axis=0) + np.mean(given, axis=0)) / 2  # caution is a half
        found = criterion.without(feature)(candidates)
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_selection_that_was_kept_has_the_substitutes_of_one_begun_anew():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 120)) + 0.4 * (rng.random(120) < 0.2) * y[:, None]
    selector = DEACS(12).fit(X, y)
    result = selector.result_
    path, source = result.path, result.source
    assert path.criterion is not None
    assert len(path.criterion.conditions()) > 1
    criterion = selector._exchangeable(source)
    anew = find_substitutes(criterion, result.ranking.tolist(), source.data)
    for kept, fresh in zip(selector.substitutes().entries, anew.entries, strict=True):
        assert kept.scores.tolist() == fresh.scores.tolist()
        assert repr(kept.substitutes) == repr(fresh.substitutes)
    assert DEACS(12).fit(X[:200], y[:200]).result_.path.criterion is None


@pytest.mark.parametrize("selector", [JMI(6), MRMR(6), JMIM(6), CMIM(6), CMI(6)])
def test_filters_score_substitutes_by_their_own_criterion(selector, wine):
    data = encode(*wine)
    selector.fit(data)
    ranking = selector.ranking_.tolist()
    assert selector.substitutes().outputs == ("all classes",)
    for entry in selector.substitutes(n=20).entries:
        assert len(entry.scores) == 1
        for other in entry.substitutes:
            # One by one: a lazy criterion leaves those behind who cannot win.
            expected = [
                replayed(
                    selector._criterion(source_of(data)), ranking, entry.feature, np.array([j])
                )[0, 0]
                for j in (entry.feature, other.feature)
            ]
            np.testing.assert_allclose(
                [entry.scores[0], other.kept[0] + other.gained[0]], expected, atol=1e-9
            )


def test_the_order_view_forgets_duplicates_and_categories_too():
    rng = np.random.default_rng(0)
    n = 300
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    X["copy"] = X["a"]
    X["kind"] = rng.choice(["u", "v", "w"], n)
    X["sort"] = np.where(rng.random(n) < 0.8, X["kind"], "u")
    y = ((X["a"] + X["b"] + (X["kind"] == "v") + rng.normal(size=n)) > 0).astype(int)
    data = encode(X, y, order=True)
    added = [0, 5, 6, 1]
    whole = OrderConditioning(data)
    for feature in added:
        whole.add(feature)
    for feature in added:
        fresh = OrderConditioning(data)
        for other in added:
            if other != feature:
                fresh.add(other)
        less, everything = whole.without(feature), np.arange(8)
        np.testing.assert_allclose(less.scores(everything), fresh.scores(everything), atol=1e-9)
        less.add(2), fresh.add(2)
        np.testing.assert_allclose(less.scores(everything), fresh.scores(everything), atol=1e-9)


def test_a_copy_keeps_everything_and_comes_first(wine):
    X, y = wine
    X = X.assign(again=X["flavanoids"])
    entry = DEACS(3).fit(X, y).substitutes()["flavanoids"]
    assert entry.substitutes[0].name == "again"
    assert entry.substitutes[0].share == pytest.approx(1.0)
    np.testing.assert_allclose(entry.substitutes[0].lost, 0.0, atol=1e-12)


def test_wide_tables_are_scored_whole():
    """The best substitute is not among the 250 columns that share most with the feature."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    codes = rng.integers(0, 2, (600, 500))
    codes[:, 7] = np.where(rng.random(600) < 0.5, y, codes[:, 7])
    codes[:, 8:258] = np.where(rng.random((600, 250)) < 0.3, codes[:, [7]], codes[:, 8:258])
    codes[:, 400] = np.where(rng.random(600) < 0.4, y, codes[:, 400])
    found = DEACS.published(1, include=[7]).fit(CodedData.from_codes(codes, y)).substitutes(n=1)
    assert found["x7"].substitutes[0].name == "x400"


def test_swapping_keeps_what_it_said_it_keeps(wine):
    selector = DEACS(5).fit(*wine)
    before = selector.substitutes()
    for entry in before.entries:
        for other in entry.substitutes[:2]:
            swapped = selector.swap(entry.name, other.name)
            now = swapped.substitutes(n=20)[other.name]
            np.testing.assert_allclose(now.scores, other.kept + other.gained, atol=1e-9)
            place = selector.selected_names_.index(entry.name)
            assert swapped.selected_names_[place] == other.name
            assert swapped.selected_names_[:place] == selector.selected_names_[:place]


@pytest.mark.parametrize(
    "selector",
    [DEACS(5, store_candidates=True), DEACS.published(4), CMI(4), JMI(5), MRMR(5)],
)
def test_a_changed_selection_is_what_fitting_it_anew_gives(selector, wine):
    selector.fit(*wine)
    first, last = selector.selected_names_[0], selector.selected_names_[-1]
    for changed in (selector.swap(last, "magnesium"), selector.drop(first), selector.drop(last)):
        again = clone(changed).fit(*wine)
        assert changed.selected_names_ == again.selected_names_
        np.testing.assert_allclose(changed.scores_, again.scores_)
        if hasattr(changed, "label_scores_"):
            np.testing.assert_allclose(changed.label_scores_, again.label_scores_)
            np.testing.assert_allclose(changed.residual_, again.residual_)
        assert hasattr(changed, "views_") == hasattr(again, "views_")
        if hasattr(changed, "views_"):
            np.testing.assert_allclose(changed.views_, again.views_)
    assert selector.selected_names_[0] == first  # the selection itself stays as it was


def test_labels_of_which_a_row_may_have_several_are_told_one_by_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0]).astype(int)
    X[:, 5] = X[:, 0] + 0.2 * rng.normal(size=200)
    selector = DEACS(3).fit(X, Y)
    entry = selector.substitutes()["x0"]
    assert selector.substitutes().outputs == ("0", "1")
    assert entry.substitutes[0].name == "x5"
    assert entry.scores.shape == (2,)
    assert selector.swap("x0", "x5").ranking_.tolist() == [5, *selector.ranking_[1:]]


def test_groups_are_exchanged_as_one(wine):
    X, y = wine
    groups = {"minerals": ["ash", "magnesium"], "phenols": ["flavanoids", "total_phenols"]}
    selector = DEACS(3, groups=groups).fit(X, y)
    assert "phenols" in selector.substitutes()
    swapped = selector.swap("phenols", "minerals")
    assert {"ash", "magnesium"} <= set(swapped.selected_names_)
    assert "flavanoids" not in swapped.selected_names_


def test_what_held_out_rows_say_is_estimated_for_the_changed_selection(wine):
    dropped = DEACS(4).fit(*wine).drop("flavanoids")
    assert dropped.unexplained_.shape == (4, 3)
    assert dropped.unexplained_[-1].mean() > DEACS(4).fit(*wine).unexplained_[-1].mean()


def test_a_truncated_selection_has_substitutes_among_those_cut_off(wine):
    shorter = DEACS(6).fit(*wine).truncate(2)
    entries = shorter.substitutes(n=20).entries
    assert len(entries) == 2
    assert "proline" in {other.name for entry in entries for other in entry.substitutes}


def test_a_frame_has_what_is_lost_for_whom(wine):
    found = DEACS(2).fit(*wine).substitutes()
    table = found.to_frame("pandas")
    assert list(table.columns[:3]) == ["feature", "substitute", "kept"]
    row = table.iloc[0]
    np.testing.assert_allclose(
        [row[f"lost[{k}]"] for k in range(3)], found.entries[0].substitutes[0].lost
    )


@pytest.mark.parametrize(
    "selector",
    [
        MIM(3),
        FCBF(),
        CFS(),
        OwnCriterion(lambda terms: terms.relevance, 3),
    ],
)
def test_selectors_that_do_not_score_given_the_others_refuse(selector, wine):
    selector.fit(*wine)
    assert selector.result_.substitutes is None
    with pytest.raises(InputError, match=f"given the selected.*{type(selector).__name__} does not"):
        selector.substitutes()
    with pytest.raises(InputError, match="swap is for selectors"):
        selector.swap(0, 1)


def test_errors_say_what_is_accepted(wine):
    selector = DEACS(3).fit(*wine)
    with pytest.raises(InputError, match="feature must be a selected feature \\('flavanoids'"):
        selector.swap("ash", "hue")
    with pytest.raises(InputError, match="not selected, got 'proline', which is number 3"):
        selector.swap("flavanoids", "proline")
    with pytest.raises(InputError, match="substitute names 'hu'"):
        selector.swap("flavanoids", "hu")
    with pytest.raises(InputError, match="n must be a whole number"):
        selector.substitutes(0)
    assert len(selector.substitutes(np.int64(1))) == len(selector.ranking_)
    with pytest.raises(InputError, match="the only one"):
        DEACS(1).fit(*wine).drop("flavanoids")
    with pytest.raises(InputError, match="pickled"):
        pickle.loads(pickle.dumps(selector)).substitutes()
    prices = dict.fromkeys(wine[0].columns, 1.0) | {"hue": 50.0}
    bought = DEACS(2, costs=Costs(prices, budget=3)).fit(*wine)
    with pytest.raises(InputError, match="budget"):
        bought.swap(bought.selected_names_[0], "hue")
