"""The numbers that words, tables and charts share, against their definitions."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from math import log2

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

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
    encode,
)
from deacs.exceptions import InputError, Note
from deacs.greedy.setting import PUBLISHED, Setting, dea_cs
from deacs.report import summarize, summarize_path
from deacs.report.sentences import headline, percent, sentences


@pytest.fixture(scope="module")
def wine():
    bunch = load_wine(as_frame=True)
    return bunch.data, bunch.target_names[bunch.target]


def entropy(*columns):
    """H of the joint value of some columns, by its definition."""
    n = len(columns[0])
    return -sum(c / n * log2(c / n) for c in Counter(zip(*columns, strict=True)).values())


def test_bits_and_residuals_of_any_selector_are_the_conditional_informations(wine):
    selector = MRMR(n_features_to_select=3).fit(*wine)
    summary = summarize(selector, *wine)
    data = summary.data
    codes = [data.column(int(j)).tolist() for j in selector.ranking_]
    for i in range(3):
        is_class = (data.labels == i).tolist()
        for step in range(4):
            given = codes[:step] or [[0] * data.n_rows]
            left = entropy(is_class, *given) - entropy(*given)
            assert summary.residual[step, i] == pytest.approx(left, abs=1e-9)
            if step < 3:
                more = [*given, codes[step]]
                gained = left - (entropy(is_class, *more) - entropy(*more))
                assert summary.label_scores[step, i] == pytest.approx(gained, abs=1e-9)
        alone = entropy(is_class) + entropy(codes[0]) - entropy(is_class, codes[0])
        assert summary.alone(selector.ranking_[:1])[0, i] == pytest.approx(alone, abs=1e-9)


def test_the_runner_up_is_selected_when_the_winner_is_not_there(wine):
    X, y = wine
    summary = summarize(DEACS.published(n_features_to_select=1).fit(X, y), X, y)
    [race] = summary.races
    second = DEACS.published(n_features_to_select=1).fit(
        X.drop(columns=summary.selected_names[0]), y
    )
    assert X.columns[race.features[race.runner_up]] == second.selected_names_[0]


def test_an_estimator_and_a_path_give_the_same_summary(wine):
    X, y = wine
    data = encode(X, y)
    one = summarize(DEACS.published().fit(data), data)
    setting = Setting(**PUBLISHED)
    two = summarize_path(dea_cs(data, setting), data, setting, snippet="deacs select wine.csv")
    assert one.selected_names == two.selected_names
    assert one.score_name == two.score_name == "super-efficiency"
    np.testing.assert_array_equal(one.residual, two.residual)
    assert two.snippet == "deacs select wine.csv"


@pytest.mark.parametrize(
    "selector",
    [
        DEACS.published(label_score="divergence", judge="sum"),
        DEACS(4, conditioning=Blocks(5, 1), label_score=OneVsRest("miller-madow"), judge="radial"),
        JMI(n_features_to_select=4),
        ReliefF(n_features_to_select=4),
    ],
    ids=["divergence", "blocks", "jmi", "relieff"],
)
def test_every_kind_of_selector_has_a_summary(wine, selector):
    summary = summarize(selector.fit(*wine), *wine)
    assert summary.n_shown == summary.n_selected == len(selector.ranking_)
    assert summary.residual.shape == (summary.n_selected + 1, 3)
    assert len(summary.races) == summary.n_selected


def test_candidates_that_the_fit_kept_are_shown_and_not_counted_again(wine, monkeypatch):
    selector = DEACS(n_features_to_select=4, store_candidates=True).fit(*wine)
    summary = summarize(selector, *wine)
    monkeypatch.setattr("deacs.report.summary.counted_races", None)
    raced = [race.label_scores[race.winner] for race in summary.races]
    np.testing.assert_array_equal(raced, selector.label_scores_)
    assert [len(race.features) for race in summary.races] == [13, 12, 11, 10]


def test_coded_data_is_not_coded_again(wine, monkeypatch):
    data = encode(*wine)
    selector = DEACS(n_features_to_select=2, store_candidates=True).fit(data)
    monkeypatch.setattr("deacs.report.fits.encode", None)
    assert summarize(selector, data).table is data
    # Nor is the table that the selector still holds.
    X, y = wine
    summary = summarize(DEACS(n_features_to_select=2).fit(X, y), X, y)
    assert summary.table.n_rows == len(X)


def test_groups_that_competed_are_those_that_the_fit_kept(wine):
    X, y = wine
    groups = {"phenols": ["total_phenols", "flavanoids"], "acids": ["malic_acid", "ash"]}
    kept, counted = (
        summarize(DEACS.published(2, groups=groups, store_candidates=stores).fit(X, y), X, y).races
        for stores in (True, False)
    )
    for one, other in zip(kept, counted, strict=True):
        np.testing.assert_array_equal(one.features, other.features)
        np.testing.assert_allclose(one.label_scores, other.label_scores, atol=1e-12)
        assert one.winner == other.winner


def test_two_classes_are_one_variable_unless_their_scores_differ():
    rows = [0, 0, 1, 1, 1, 2, 2, 2]
    data = table_of([rows], ["a", "a", "a", "b", "b", "b", "b", "b"])
    summary = summarize(DEACS.published().fit(data), data)
    assert summary.output_names == ("a or b",)
    assert summary.outputs.tolist() == [0]
    divergence = summarize(DEACS.published(label_score="divergence").fit(data), data)
    assert divergence.output_names == ("a", "b")


def test_classes_that_are_numbers_are_called_classes():
    data = table_of([[0, 0, 0, 0, 1, 1, 1, 1]], [5, 5, 8, 8, 3, 3, 3, 3])
    said = sentences(in_these_rows(summarize(DEACS.published().fit(data), data)))
    plain = [sentence.replace("\u2068", "").replace("\u2069", "") for sentence in said]
    assert re.fullmatch(
        r"Still unexplained: \d+% of class 5 and \d+% of class 8; nothing of the other class\.",
        plain[0],
    )
    assert "most informative about class 3." in plain[1]


def test_groups_are_summarized_as_they_competed(wine):
    X, y = wine
    groups = {"phenols": ["total_phenols", "flavanoids"], "acids": ["malic_acid", "ash"]}
    selector = DEACS.published(groups=groups).fit(X, y)
    summary = summarize(selector, X, y)
    assert summary.is_grouped
    assert summary.n_selected == len(selector.groups_) < len(selector.ranking_)
    assert [list(columns) for columns in summary.columns] == [g.tolist() for g in selector.groups_]
    assert summary.selected_names[0] == "phenols"
    # Every column of a group has the score of the group.
    repeated = np.repeat(summary.scores, [len(columns) for columns in summary.columns])
    np.testing.assert_array_equal(repeated, selector.scores_)
    np.testing.assert_array_equal(summary.residual[-1], selector.residual_[-1])
    assert len(summary.residual) == summary.n_selected + 1
    codes = [summary.table.column(j).tolist() for j in summary.columns[0]]
    for i in range(3):
        is_class = (summary.data.labels == i).tolist()
        told = entropy(is_class) + entropy(*codes) - entropy(is_class, *codes)
        assert summary.label_scores[0, i] == pytest.approx(told, abs=1e-9)


def test_the_snippet_repeats_the_selection(wine):
    X, y = wine
    selector = DEACS.published(4, judge=Radial(tie_break="last"), include=["ash"]).fit(X, y)
    scope = {"X": X, "y": y}
    exec(summarize(selector, X, y).snippet, scope)
    assert scope["selector"].selected_names_ == selector.selected_names_
    assert scope["X_selected"].shape == (178, 4)


def test_another_table_than_the_fitted_one_is_refused(wine):
    X, y = wine
    selector = DEACS.published(n_features_to_select=2).fit(X, y)
    with pytest.raises(InputError, match="13 features and 3 classes, got 12 and 3"):
        summarize(selector, X.iloc[:, 1:], y)
    with pytest.raises(InputError, match="fit it on this table first"):
        summarize(selector, X.iloc[::-1].reset_index(drop=True), y)


def test_weights_of_the_fit_are_needed_again(wine):
    X, y = wine
    weights = np.arange(178) % 3 + 1
    selector = DEACS.published(n_features_to_select=2).fit(X, y, sample_weight=weights)
    with pytest.raises(InputError, match="sample_weight too"):
        summarize(selector, X, y)
    summary = summarize(selector, X, y, sample_weight=weights)
    np.testing.assert_array_equal(summary.residual, selector.residual_)


def test_a_selector_that_is_not_fitted_is_refused(wine):
    with pytest.raises(InputError, match="call its fit"):
        summarize(DEACS.published(), *wine)


def in_these_rows(summary):
    """The same, estimated on the fitted rows, as where others are not in memory."""
    return replace(summary, fitted=replace(summary.fitted, held_out=None))


def table_of(columns, y):
    return CodedData.from_codes(np.array(columns).T, y, [f"f{j}" for j in range(len(columns))])


def test_words_say_that_features_suffice():
    data = table_of([[0, 0, 1, 1], [0, 1, 0, 1]], ["a", "a", "b", "b"])
    summary = in_these_rows(summarize(DEACS.published().fit(data), data))
    assert headline(summary) == "1 of 2 features suffices to separate the classes of these rows."
    assert "Nothing about any class is left unexplained in these rows" in sentences(summary)[0]


def test_words_say_what_is_explained_in_rows_not_seen(wine):
    X, y = wine
    selector = DEACS(3).fit(X, y)
    summary = summarize(selector, X, y)
    left = selector.held_out_.left[-1]
    told = (
        "3 of 13 features are selected. In new rows, a selection like this explains "
        f"{1 - left:.0%} of the uncertainty about the classes."
    )
    assert headline(summary) == told
    assert summary.left[-1] == left
    np.testing.assert_array_equal(summary.unexplained, selector.unexplained_[-1])
    assert summary.adds_error.shape == (3,)


def test_words_say_where_a_ranking_has_told_all():
    # f1 repeats f0, which settles the classes; f2 tells nothing.
    data = table_of([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]], ["a", "a", "b", "b"])
    summary = summarize(MRMR().fit(data), data)
    told = "The first 1 of 3 ranked features suffices to separate the classes of these rows."
    assert headline(summary) == told
    assert sentences(summary)[-1] == "The selection ended because all features are ranked."


def test_words_say_how_much_of_which_class_is_left():
    # f0 settles class c and tells nothing between a and b, for each of which
    # H(C_i) = h(1/4) and H(C_i | f0) = 1/2 * 1 is left.
    data = table_of([[0, 0, 0, 0, 1, 1, 1, 1]], ["a", "a", "b", "b", "c", "c", "c", "c"])
    summary = in_these_rows(summarize(DEACS.published().fit(data), data))
    left = 0.5 / -(0.25 * log2(0.25) + 0.75 * log2(0.75))
    np.testing.assert_allclose(summary.unexplained, [left, left, 0])
    share = f"{left * 100:.0f}%"
    said = sentences(summary)[0].replace("\u2068", "").replace("\u2069", "")
    assert said == f"Still unexplained: {share} of a and {share} of b; nothing of the other class."
    explained = 1 - 2 * 0.5 / (2 * 0.5 / left + 1)  # H(C_i) of a, b and c; half a bit is left twice
    assert headline(summary).startswith(
        f"1 of 1 features explains {explained:.0%} of the uncertainty"
    )


def test_words_say_that_nothing_tells_anything():
    data = table_of([[0, 1, 0, 1]], ["a", "a", "b", "b"])
    summary = summarize(DEACS.published().fit(data), data)
    assert headline(summary) == "No feature is informative about the classes beyond chance."
    assert summary.label_scores.shape == (0, 2)


def test_words_warn_of_an_identifier_that_was_selected():
    data = table_of([[0, 1, 2, 3, 4, 5]], list("aabbcc"))
    summary = summarize(DEACS.published().fit(data), data)
    assert summary.identifiers == ("f0",)
    assert any("like an identifier" in sentence for sentence in sentences(summary))


def test_numbers_read_as_text_are_no_identifiers():
    data = table_of([[0, 1, 2, 3, 4, 5]] * 2, list("aabbcc"))
    note = Note("'f1': read as text", kind="read as text", columns=["f1"])
    summary = summarize(DEACS.published().fit(data), data, notes=[note])
    assert summary.identifiers == ("f0",)


def test_words_warn_of_several_identifiers_and_count_the_rest():
    data = table_of([[0, 1, 2, 3, 4, 5]] * 5, list("aabbcc"))
    summary = summarize(MRMR(5).fit(data), data)
    said = " ".join(sentences(summary)).replace("\u2068", "").replace("\u2069", "")
    assert "But f0, f1, f2 and 2 more have a different value in every row" in said
    assert "exclude them and select again, as they are not" in said


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (-0.001, "0%"),
        (0.001, "less than 1%"),
        (0.116, "12%"),
        (0.999, "more than 99%"),
        (1, "100%"),
    ],
)
def test_a_percentage_hides_neither_a_little_nor_almost_all(share, text):
    assert percent(share) == text


@pytest.mark.system
def test_importing_the_package_loads_nothing_optional():
    code = (
        "import sys, deacs.report; deacs.report.summarize\n"
        "print([m for m in ('matplotlib', 'jinja2', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "search",
    [DEACSCV(cv=2, max_features=2), SelectorCV([DEACS()], [2], cv=2), SelectorCV([JMI()], [2])],
)
def test_what_cross_validation_chose_is_summarized_like_the_selector_itself(search, wine):
    fitted = search.fit(*wine)
    summary = summarize(fitted, *wine)
    itself = summarize(clone(fitted.selector_).fit(*wine).truncate(fitted.n_features_), *wine)
    assert list(summary.selected_names) == list(itself.selected_names) == fitted.selected_names_
    assert np.array_equal(summary.label_scores, itself.label_scores)
    assert np.array_equal(summary.residual, itself.residual)
    assert summary.settings == search.get_params(deep=False)
    if itself.held_out is not None:
        assert np.array_equal(summary.held_out.gain, itself.held_out.gain)
    assert headline(summary)
