"""The numbers that attributes, words, tables and charts share, against their definitions."""

import copy
import pickle
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
)
from deacs.exceptions import InputError, Note
from deacs.report.races import races
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
    result = selector.result_
    data = result.data
    codes = [data.column(int(j)).tolist() for j in selector.ranking_]
    for i in range(3):
        is_class = (data.labels == i).tolist()
        for step in range(4):
            given = codes[:step] or [[0] * data.n_rows]
            left = entropy(is_class, *given) - entropy(*given)
            assert result.residual[step, i] == pytest.approx(left, abs=1e-9)
            if step < 3:
                more = [*given, codes[step]]
                gained = left - (entropy(is_class, *more) - entropy(*more))
                assert result.label_scores[step, i] == pytest.approx(gained, abs=1e-9)
        alone = entropy(is_class) + entropy(codes[0]) - entropy(is_class, codes[0])
        assert result.alone(selector.ranking_[:1])[0, i] == pytest.approx(alone, abs=1e-9)


def test_the_runner_up_is_selected_when_the_winner_is_not_there(wine):
    X, y = wine
    result = DEACS.published(n_features_to_select=1).fit(X, y).result_
    [race] = races(result)
    second = DEACS.published(n_features_to_select=1).fit(
        X.drop(columns=result.selected_names[0]), y
    )
    assert X.columns[race.features[race.runner_up]] == second.selected_names_[0]


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
def test_every_kind_of_selector_has_a_result(wine, selector):
    result = selector.fit(*wine).result_
    assert result.n_shown == result.n_selected == len(selector.ranking_)
    assert result.residual.shape == (result.n_selected + 1, 3)
    assert len(races(result)) == result.n_selected


def test_candidates_that_the_fit_kept_are_shown_and_not_counted_again(wine, monkeypatch):
    selector = DEACS(n_features_to_select=4, store_candidates=True).fit(*wine)
    result = selector.result_
    monkeypatch.setattr("deacs.report.races.counted_races", None)
    raced = [race.label_scores[race.winner] for race in races(result)]
    np.testing.assert_array_equal(raced, selector.label_scores_)
    assert [len(race.features) for race in races(result)] == [13, 12, 11, 10]


def test_groups_that_competed_are_those_that_the_fit_kept(wine):
    X, y = wine
    groups = {"phenols": ["total_phenols", "flavanoids"], "acids": ["malic_acid", "ash"]}
    kept, counted = (
        races(DEACS.published(2, groups=groups, store_candidates=stores).fit(X, y).result_)
        for stores in (True, False)
    )
    for one, other in zip(kept, counted, strict=True):
        np.testing.assert_array_equal(one.features, other.features)
        np.testing.assert_allclose(one.label_scores, other.label_scores, atol=1e-12)
        assert one.winner == other.winner


def test_copies_share_a_result_and_pickles_leave_its_rows_behind(wine):
    selector = DEACS(3).fit(*wine)
    assert copy.deepcopy(selector).result_ is selector.result_
    shorter = pickle.loads(pickle.dumps(selector.truncate(2)))
    np.testing.assert_array_equal(shorter.label_scores_, selector.label_scores_[:2])
    assert shorter.selected_names_ == selector.selected_names_[:2]
    assert shorter.result_.held_out is None
    with pytest.raises(InputError, match="needs the fitted rows in memory"):
        _ = shorter.result_.data


def test_a_result_keeps_the_options_of_its_fit(wine):
    selector = DEACS(2, costs=np.ones(13)).fit(*wine)
    assert selector.set_params(costs=None).costs_.tolist() == [[1.0], [1.0]]
    summed = DEACS(2, judge="sum").fit(*wine)
    assert not hasattr(summed.set_params(judge="radial"), "efficiency_")


def test_two_classes_are_one_variable_unless_their_scores_differ():
    rows = [0, 0, 1, 1, 1, 2, 2, 2]
    data = table_of([rows], ["a", "a", "a", "b", "b", "b", "b", "b"])
    result = DEACS.published().fit(data).result_
    assert result.output_names == ("a or b",)
    assert result.outputs.tolist() == [0]
    divergence = DEACS.published(label_score="divergence").fit(data).result_
    assert divergence.output_names == ("a", "b")


def test_classes_that_are_numbers_are_called_classes():
    data = table_of([[0, 0, 0, 0, 1, 1, 1, 1]], [5, 5, 8, 8, 3, 3, 3, 3])
    said = sentences(in_these_rows(DEACS.published().fit(data).result_))
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
    result = selector.result_
    assert result.is_grouped
    assert result.n_selected == len(selector.groups_) < len(selector.ranking_)
    assert [list(columns) for columns in result.columns] == [g.tolist() for g in selector.groups_]
    assert result.selected_names[0] == "phenols"
    # Every column of a group has the score of the group.
    repeated = np.repeat(result.scores, [len(columns) for columns in result.columns])
    np.testing.assert_array_equal(repeated, selector.scores_)
    np.testing.assert_array_equal(result.residual[-1], selector.residual_[-1])
    assert len(result.residual) == result.n_selected + 1
    codes = [result.source.table.column(j).tolist() for j in result.columns[0]]
    for i in range(3):
        is_class = (result.data.labels == i).tolist()
        told = entropy(is_class) + entropy(*codes) - entropy(is_class, *codes)
        assert result.label_scores[0, i] == pytest.approx(told, abs=1e-9)


def test_the_snippet_repeats_the_selection(wine):
    X, y = wine
    selector = DEACS.published(4, judge=Radial(tie_break="last"), include=["ash"]).fit(X, y)
    scope = {"X": X, "y": y}
    exec(selector.result_.code, scope)
    assert scope["selector"].selected_names_ == selector.selected_names_
    assert scope["X_selected"].shape == (178, 4)


def in_these_rows(result):
    """The same, estimated on the fitted rows, as where others are not in memory."""
    other = replace(result)
    vars(other)["_estimates"] = AttributeError("the rows are elsewhere")
    return other


def table_of(columns, y):
    return CodedData.from_codes(np.array(columns).T, y, [f"f{j}" for j in range(len(columns))])


def test_words_say_that_features_suffice():
    data = table_of([[0, 0, 1, 1], [0, 1, 0, 1]], ["a", "a", "b", "b"])
    result = in_these_rows(DEACS.published().fit(data).result_)
    assert headline(result) == "1 of 2 features suffices to separate the classes of these rows."
    assert "Nothing about any class is left unexplained in these rows" in sentences(result)[0]


def test_words_say_what_is_explained_in_rows_not_seen(wine):
    X, y = wine
    selector = DEACS(3).fit(X, y)
    result = selector.result_
    left = selector.held_out_.left[-1]
    told = (
        "3 of 13 features are selected. In new rows, a selection like this explains "
        f"{1 - left:.0%} of the uncertainty about the classes."
    )
    assert headline(result) == told
    assert result.left[-1] == left
    np.testing.assert_array_equal(result.unexplained, selector.unexplained_[-1])
    assert result.adds_error.shape == (3,)


def test_words_say_where_a_ranking_has_told_all():
    # f1 repeats f0, which settles the classes; f2 tells nothing.
    data = table_of([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]], ["a", "a", "b", "b"])
    result = MRMR().fit(data).result_
    told = "The first 1 of 3 ranked features suffices to separate the classes of these rows."
    assert headline(result) == told
    assert sentences(result)[-1] == "The selection ended because all features are ranked."


def test_words_say_how_much_of_which_class_is_left():
    # f0 settles class c and tells nothing between a and b, for each of which
    # H(C_i) = h(1/4) and H(C_i | f0) = 1/2 * 1 is left.
    data = table_of([[0, 0, 0, 0, 1, 1, 1, 1]], ["a", "a", "b", "b", "c", "c", "c", "c"])
    result = in_these_rows(DEACS.published().fit(data).result_)
    left = 0.5 / -(0.25 * log2(0.25) + 0.75 * log2(0.75))
    np.testing.assert_allclose(result.unexplained, [left, left, 0])
    share = f"{left * 100:.0f}%"
    said = sentences(result)[0].replace("\u2068", "").replace("\u2069", "")
    assert said == f"Still unexplained: {share} of a and {share} of b; nothing of the other class."
    explained = 1 - 2 * 0.5 / (2 * 0.5 / left + 1)  # H(C_i) of a, b and c; half a bit is left twice
    assert headline(result).startswith(
        f"1 of 1 features explains {explained:.0%} of the uncertainty"
    )


def test_words_say_that_nothing_tells_anything():
    data = table_of([[0, 1, 0, 1]], ["a", "a", "b", "b"])
    result = DEACS.published().fit(data).result_
    assert headline(result) == "No feature is informative about the classes beyond chance."
    assert result.label_scores.shape == (0, 2)


def test_words_warn_of_an_identifier_that_was_selected():
    data = table_of([[0, 1, 2, 3, 4, 5]], list("aabbcc"))
    result = DEACS.published().fit(data).result_
    assert result.identifiers() == ("f0",)
    assert any("like an identifier" in sentence for sentence in sentences(result))


def test_numbers_read_as_text_are_no_identifiers():
    data = table_of([[0, 1, 2, 3, 4, 5]] * 2, list("aabbcc"))
    note = Note("'f1': read as text", kind="read as text", columns=["f1"])
    assert DEACS.published().fit(data).result_.identifiers([note]) == ("f0",)


def test_words_warn_of_several_identifiers_and_count_the_rest():
    data = table_of([[0, 1, 2, 3, 4, 5]] * 5, list("aabbcc"))
    result = MRMR(5).fit(data).result_
    said = " ".join(sentences(result)).replace("\u2068", "").replace("\u2069", "")
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
        "import sys, deacs.report, deacs.selection\n"
        "deacs.report.write_html, deacs.selection.Result\n"
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
    result = fitted.result_
    itself = clone(fitted.selector_).fit(*wine).truncate(fitted.n_features_).result_
    assert list(result.selected_names) == list(itself.selected_names) == fitted.selected_names_
    assert np.array_equal(result.label_scores, itself.label_scores)
    assert np.array_equal(result.residual, itself.residual)
    assert result.parameters == search.get_params(deep=False)
    if itself.held_out is not None:
        assert np.array_equal(result.held_out.gain, itself.held_out.gain)
    assert headline(result)
