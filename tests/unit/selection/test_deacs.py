"""DEA-CS against its naive twin, its identities and its contract."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from deacs import DEACS, CodedData, Radial, Sum, encode
from deacs.exceptions import InputError
from tests import naive
from tests.tables_of_codes import coded_tables

JUDGES = {"radial": Radial, "sum": Sum}
SCORES = {"one-vs-rest": naive.label_score, "divergence": naive.divergence}


def coded(columns, y):
    return CodedData.from_codes(np.array(columns).T, y)


def columns_of(data):
    return [data.column(j).tolist() for j in range(data.n_features)]


def assert_equals_naive(selector, twin):
    assert selector.ranking_.tolist() == [feature for feature, _, _ in twin]
    # A ratio of scores in fixed point: the smaller the rival, the fewer digits.
    np.testing.assert_allclose(selector.scores_, [theta for _, theta, _ in twin], rtol=1e-8)
    np.testing.assert_allclose(
        selector.label_scores_,
        np.array([scores for _, _, scores in twin]).reshape(selector.label_scores_.shape),
        rtol=1e-9,
        atol=1e-12,
    )


@given(
    coded_tables(),
    st.sampled_from(["one-vs-rest", "divergence"]),
    st.sampled_from(["radial", "sum"]),
    st.sampled_from(["sum", "last"]),
)
def test_selection_equals_the_naive_twin(table, label_score, judge, tie_break):
    columns, y = table
    selector = DEACS.published(label_score=label_score, judge=JUDGES[judge](tie_break=tie_break))
    twin = naive.dea_cs(columns, y, score=SCORES[label_score], judge=judge, tie_break=tie_break)
    assert_equals_naive(selector.fit(coded(columns, y)), twin)


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
@pytest.mark.parametrize("label_score", ["one-vs-rest", "divergence"])
def test_selection_equals_the_naive_twin_on_data_of_scikit_learn(load, label_score):
    data = encode(*load(return_X_y=True))
    twin = naive.dea_cs(columns_of(data), data.labels.tolist(), score=SCORES[label_score])
    assert_equals_naive(DEACS.published(label_score=label_score).fit(data), twin)


def test_selection_equals_the_naive_twin_on_ten_classes():
    X, y = load_digits(return_X_y=True)
    data = encode(X[::3], y[::3])
    twin = naive.dea_cs(columns_of(data), data.labels.tolist(), delta=3)
    assert_equals_naive(DEACS.published(n_features_to_select=3).fit(data), twin)


@given(coded_tables(max_labels=2))
def test_with_two_classes_the_selection_is_greedy_in_conditional_information(table):
    columns, y = table
    selector = DEACS.published().fit(coded(columns, y))
    chosen = []
    for feature in selector.ranking_.tolist():
        left = [j for j in range(len(columns)) if j not in chosen]
        given_ = [columns[j] for j in chosen]
        information = {j: naive.conditional_mutual_information(columns[j], y, given_) for j in left}
        assert information[feature] >= max(information.values()) * (1 - 1e-8)
        chosen.append(feature)


@pytest.mark.usefixtures("work_is_shared")
@pytest.mark.parametrize("n_jobs", [2, 7])
def test_threads_do_not_change_a_bit(n_jobs):
    X, y = load_digits(return_X_y=True)
    one, many = DEACS.published().fit(X, y), DEACS.published(n_jobs=n_jobs).fit(X, y)
    for name in ("ranking_", "scores_", "label_scores_", "residual_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))


@given(coded_tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_change_a_bit(table, random):
    columns, y = table
    rows = list(range(len(y)))
    random.shuffle(rows)
    before = DEACS.published().fit(coded(columns, y))
    after = DEACS.published().fit(
        coded([[c[r] for r in rows] for c in columns], [y[r] for r in rows])
    )
    for name in ("ranking_", "scores_", "label_scores_", "residual_"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))


def test_order_of_columns_and_names_of_labels_change_nothing_but_their_order():
    # Digits have no two features that tie, so the tie rule does not decide.
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(1)
    columns, labels = rng.permutation(X.shape[1]), rng.permutation(10)
    before = DEACS.published(8).fit(X, y)
    after = DEACS.published(8).fit(X[:, columns], labels[y])
    assert columns[after.ranking_].tolist() == before.ranking_.tolist()
    np.testing.assert_allclose(after.scores_, before.scores_, rtol=1e-9)
    np.testing.assert_array_equal(after.label_scores_[:, labels], before.label_scores_)


def test_sole_informant_of_a_label_ranks_first_with_infinite_theta():
    y = np.repeat([0, 1, 2], 8)
    half = np.tile([0, 1], 12)
    # Settles 0 against 1, and has the same values in 2 as in the rest: R_2 is exactly zero.
    strong = np.where(y == 2, half, y)
    # A trifle about 2: five ones of eight there, four of eight elsewhere.
    sole = half.copy()
    sole[16] = 1
    selector = DEACS.published(1, store_candidates=True).fit(coded([strong, sole], y))
    [step] = selector.candidates_
    assert step.label_scores[0, 2] == 0
    assert 0 < step.label_scores[1].sum() < step.label_scores[0].sum() / 10
    assert selector.ranking_.tolist() == [1]
    assert selector.scores_.tolist() == [np.inf]


def test_the_only_candidate_that_tells_anything_has_infinite_theta():
    y = np.repeat([0, 1, 2], 8)
    noise, strong = np.tile([0, 1], 12), np.where(y == 0, 0, 1)
    only = DEACS.published().fit(coded([noise, strong], y))
    assert only.ranking_.tolist() == [1]
    assert only.scores_.tolist() == [np.inf]


def test_equal_columns_both_score_one_and_a_weaker_feature_may_pass_them():
    y = np.array([0] * 50 + [1] * 50)
    strong = np.array([0] * 45 + [1] * 55)
    weak = np.array([0] * 40 + [1] * 20 + [0] * 5 + [1] * 35)
    step = (
        DEACS.published(1, store_candidates=True)
        .fit(coded([strong, strong, weak], y))
        .candidates_[0]
    )
    assert step.scores[:2].tolist() == [1.0, 1.0]
    assert step.scores[2] < 1


def test_ties_go_to_the_larger_sum_then_to_the_lower_column():
    y = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    a = np.array([0, 0, 1, 1, 1, 1, 1, 1])
    data = coded([a, a], y)
    assert DEACS.published(1).fit(data).ranking_.tolist() == [0]
    assert DEACS.published(1, judge=Radial(tie_break="last")).fit(data).ranking_.tolist() == [1]


def test_residual_is_the_entropy_of_each_label_given_what_is_selected():
    X, y = load_wine(return_X_y=True)
    data = encode(X, y)
    selector = DEACS.published().fit(data)
    columns, labels = columns_of(data), data.labels.tolist()
    for step in range(len(selector.ranking_) + 1):
        known = [columns[j] for j in selector.ranking_[:step]]
        for i in range(3):
            is_label = [label == i for label in labels]
            joint = list(zip(is_label, *known, strict=True))
            left = naive.entropy(joint) - (
                naive.entropy(list(zip(*known, strict=True))) if known else 0
            )
            assert selector.residual_[step, i] == pytest.approx(left, abs=1e-9)


def test_what_a_feature_tells_is_what_the_residual_loses():
    selector = DEACS.published().fit(*load_digits(return_X_y=True))
    np.testing.assert_allclose(
        -np.diff(selector.residual_, axis=0), selector.label_scores_, atol=1e-11
    )


def test_included_features_lead_and_are_scored_as_any_other_step():
    data = encode(*load_wine(return_X_y=True, as_frame=True))
    free = DEACS.published(4).fit(data)
    same = DEACS.published(4, include=free.selected_names_[:2]).fit(data)
    for name in ("ranking_", "label_scores_", "residual_"):
        np.testing.assert_array_equal(getattr(same, name), getattr(free, name))
    np.testing.assert_allclose(same.scores_, free.scores_, rtol=1e-12)
    forced = DEACS.published(3, include=["ash", 0]).fit(data)
    assert forced.ranking_[:2].tolist() == [2, 0]
    twin = naive.label_score(
        data.column(0).tolist(), data.labels.tolist(), 0, [data.column(2).tolist()]
    )
    assert forced.label_scores_[1, 0] == pytest.approx(twin, rel=1e-9)


def test_an_included_feature_may_tell_nothing():
    y = [0, 1] * 10
    selector = DEACS.published(include=[0]).fit(coded([[0] * 20, y], y))
    assert selector.ranking_.tolist() == [0, 1]
    assert selector.scores_.tolist() == [0.0, np.inf]


def test_candidate_tables_hold_every_candidate_and_its_theta():
    data = encode(*load_wine(return_X_y=True))
    selector = DEACS.published(store_candidates=True).fit(data)
    assert [len(step.features) for step in selector.candidates_] == [13, 12, 11, 10, 9]
    for step, feature, theta in zip(
        selector.candidates_, selector.ranking_, selector.scores_, strict=True
    ):
        competes = step.label_scores.any(axis=1)
        expected = naive.super_efficiency(np.ones((competes.sum(), 1)), step.label_scores[competes])
        np.testing.assert_allclose(step.scores[competes], expected, rtol=1e-9)
        assert (step.scores[~competes] == 0).all()
        assert step.scores[step.features == feature][0] == pytest.approx(theta, rel=1e-9)


def test_nothing_is_selected_from_constants_and_the_notes_say_so():
    selector = DEACS.published().fit(coded([[0] * 20, [0] * 20], [0, 1] * 10))
    assert selector.ranking_.tolist() == []
    assert selector.stop_reason_ == "exhausted"
    assert selector.label_scores_.shape == (0, 2)
    np.testing.assert_allclose(selector.residual_, [[1.0, 1.0]], rtol=1e-12)
    assert kinds(selector) == ["constant", "nothing"]
    assert selector.to_frame().shape[0] == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(np.zeros((3, 2))).shape == (3, 0)


def kinds(selector):
    return [note.kind for note in selector.notes_]


def test_few_candidates_recall_the_rule_of_thumb():
    X, y = load_wine(return_X_y=True)
    notes = DEACS.published().fit(X[:, :5], y).notes_
    assert any("fewer than 12 candidates" in note for note in notes)
    assert "crowded" not in kinds(DEACS.published(judge="sum").fit(X[:, :5], y))
    assert "crowded" not in kinds(DEACS.published(1).fit(X, y))


def test_two_classes_compete_on_one_output_whatever_their_number():
    X, y = load_wine(return_X_y=True)
    two = DEACS.published().fit(X[:, :5], y == 1)
    assert "crowded" not in kinds(two)
    assert (
        two.ranking_.tolist()
        == DEACS.published(judge="sum").fit(X[:, :5], y == 1).ranking_.tolist()
    )
    assert "crowded" in kinds(DEACS.published(label_score="divergence").fit(X[:, :5], y == 1))


def test_progress_is_called_for_every_feature():
    calls = []
    X, y = load_wine(return_X_y=True, as_frame=True)
    DEACS.published(3).set_progress(lambda *step: calls.append(step)).fit(X, y)
    assert calls == [(1, "flavanoids"), (2, "proline"), (3, "color_intensity")]


def test_progress_is_no_parameter_and_stays_behind_in_clones_and_pickles():
    X, y = load_wine(return_X_y=True)
    calls = []
    selector = DEACS.published(2).set_progress(lambda *step: calls.append(step)).fit(X, y)
    assert "progress" not in selector.get_params()
    pickle.loads(pickle.dumps(selector)).fit(X, y)
    clone(selector).fit(X, y)
    assert len(calls) == 2
    selector.set_progress(None).fit(X, y)
    assert len(calls) == 2
    with pytest.raises(InputError, match="progress must be callable or None, got 3"):
        selector.set_progress(3)


def test_a_fit_forgets_what_only_an_earlier_one_has():
    X, y = load_wine(return_X_y=True)
    selector = DEACS(2, store_candidates=True, costs=np.ones(13), groups=[[0, 1]]).fit(X, y)
    assert len(selector.result_.candidates) == 2
    selector.set_params(store_candidates=False, costs=None, groups=None).fit(X[:, :5], y)
    assert not selector.result_.candidates
    for name in ("candidates_", "costs_", "groups_"):
        assert not hasattr(selector, name)


@pytest.mark.parametrize("n", [2.0, True, "2", 0, 4], ids=repr)
def test_only_a_whole_number_of_features_is_kept(n):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match="n_features must be between 1 and 3"):
        DEACS(3).fit(X, y).truncate(n)
