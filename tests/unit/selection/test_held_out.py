"""Shares of uncertainty for rows not seen: true of new rows, of noise and of the class itself."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_wine
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from deacs import DEACS, encode
from deacs.selection._html import selection_table
from deacs.selection.evidence import (
    PENALTIES,
    RIDGE,
    SHRINK,
    FoldEvidence,
    evidence_of,
    ridge_errors,
)
from deacs.selection.held_out import Fold, Refits, divisions, held_out, stratified_folds


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def refits_of(selector):
    return Refits(selector.result_.selector, selector.result_.source)


def test_shapes_follow_the_selected_features(wine):
    selector = DEACS(4).fit(*wine)
    assert selector.unexplained_.shape == (5, 3)
    assert selector.unexplained_[0].tolist() == [1.0, 1.0, 1.0]
    assert selector.held_out_.gain.shape == selector.held_out_.gain_error.shape == (4,)
    assert ((selector.unexplained_ >= 0) & (selector.unexplained_ <= 1)).all()


@pytest.mark.parametrize("kind", ["numbers", "codes"])
def test_noise_explains_nothing_of_new_rows_though_it_explains_the_fitted_ones(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 500)) if kind == "numbers" else rng.integers(0, 4, (80, 500))
    y = rng.integers(0, 2, 80)
    selector = DEACS.published(6).fit(X, y) if kind == "codes" else DEACS(6).fit(X, y)
    assert selector.unexplained_.min() > 0.85
    if kind == "codes":
        assert (selector.residual_[-1] < 0.2).all()


def test_the_class_itself_explains_all():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = np.column_stack([rng.normal(size=300), y])
    selector = DEACS(1).fit(X, y)
    assert selector.selected_names_ == ["x1"]
    assert selector.unexplained_[-1].max() < 0.05


def test_it_tells_what_a_model_reaches_on_rows_that_were_never_there():
    rng = np.random.default_rng(0)

    def draw(n):
        y = rng.integers(0, 2, n)
        return rng.normal(size=(n, 20)) + 0.8 * y[:, np.newaxis] * (np.arange(20) < 3), y

    X, y = draw(1000)
    X_new, y_new = draw(20_000)
    selector = DEACS(3).fit(X, y)
    assert sorted(selector.ranking_) == [0, 1, 2]
    scaler = StandardScaler().fit(selector.transform(X))
    model = LogisticRegression().fit(scaler.transform(selector.transform(X)), y)
    probabilities = model.predict_proba(scaler.transform(selector.transform(X_new)))
    reached = log_loss(y_new, probabilities) / np.log(2)
    assert selector.unexplained_[-1, 0] == pytest.approx(reached, abs=0.05)


def test_fewer_features_have_the_same_shares(wine):
    selector = DEACS(5).fit(*wine)
    before = selector.truncate(2)
    shares = selector.unexplained_
    np.testing.assert_array_equal(selector.truncate(2).unexplained_, shares[:3])
    np.testing.assert_allclose(before.unexplained_, shares[:3], rtol=1e-12)


def test_a_pickled_selector_takes_the_shares_along_and_no_rows(wine):
    selector = DEACS(2).fit(*wine)
    bare = pickle.loads(pickle.dumps(selector))
    with pytest.raises(AttributeError, match="needs the fitted rows here"):
        _ = bare.unexplained_
    shares = selector.unexplained_
    blob = pickle.dumps(selector)
    np.testing.assert_array_equal(pickle.loads(blob).unexplained_, shares)
    assert len(blob) < 20_000


def test_groups_count_as_one_step(wine):
    X, y = wine
    selector = DEACS(2, groups=[["ash", "hue"]], include=["ash"]).fit(X, y)
    assert selector.unexplained_.shape == (4, 3)
    np.testing.assert_array_equal(selector.unexplained_[1], selector.unexplained_[2])


@pytest.mark.parametrize("weights", ["whole", "fractions"])
def test_weighted_tables_have_shares_too(wine, weights):
    X, y = wine
    sample_weight = 1 + np.arange(len(y)) % 2
    if weights == "fractions":
        sample_weight = sample_weight / 7
    selector = DEACS(2).fit(X, y, sample_weight=sample_weight)
    assert (selector.unexplained_[-1] < 0.6).all()


def test_codes_are_enough(wine):
    X, y = wine
    selector = DEACS(3).fit(encode(X, y))
    assert (selector.unexplained_[-1] < 0.3).all()


def test_folds_keep_the_shares_of_classes_and_share_no_row():
    labels = np.repeat([0, 1, 2], [50, 30, 10]).astype(np.int32)
    folds = stratified_folds(labels)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(90))
    for train, test in folds:
        assert set(train) | set(test) == set(range(90))
        assert not set(train) & set(test)
        assert np.bincount(labels[test]).tolist() == [10, 6, 2]


def test_small_tables_are_divided_until_enough_rows_were_held_out():
    for n_rows, n_divisions in ((20, 5), (100, 3), (178, 2), (299, 2), (300, 1), (50_000, 1)):
        found = divisions((np.arange(n_rows) % 3).astype(np.int32), 10)
        assert len(found) == n_divisions
        firsts = {folds[0][1].tobytes() for folds in found}
        assert len(firsts) == n_divisions


def test_wide_tables_are_divided_once_as_every_refit_takes_long():
    labels = (np.arange(40) % 2).astype(np.int32)
    assert len(divisions(labels, 2_000)) == 5
    assert len(divisions(labels, 100_000)) == 1


def test_rows_count_once_however_often_they_were_held_out(wine):
    selector = DEACS(3).fit(*wine)
    refits = refits_of(selector)
    order, selected = refits.order, selector.ranking_.tolist()
    repeats = [
        [refits.fold(*rows, 3) for rows in folds]
        for folds in divisions(refits.data.labels[order], 13)
    ]
    each = [held_out([folds], selected, 3, np.arange(178)) for folds in repeats]
    found = selector.held_out_
    assert found.n_refits == 10
    np.testing.assert_allclose(found.left, np.mean([one.left for one in each], axis=0), rtol=1e-3)
    np.testing.assert_array_equal(found.chosen, np.sum([one.chosen for one in each], axis=0))
    # The same division twice says no more than once.
    twice = held_out([repeats[0], repeats[0]], selected, 3, np.arange(178))
    np.testing.assert_allclose(twice.gain, each[0].gain)
    is_everywhere = each[0].chosen == 5
    assert (twice.gain_error[is_everywhere] > 0.9 * each[0].gain_error[is_everywhere]).all()


def test_large_tables_are_split_once():
    labels = (np.arange(50_000) % 2).astype(np.int32)
    [(train, test)] = stratified_folds(labels)
    assert len(test) == 10_000
    assert len(train) == 40_000


def test_evidence_adds_up_to_bayes_rule():
    # One binary feature, 3 of 4 rows of class 1 and 1 of 4 of class 0 have it: log odds 3 : 1.
    codes = np.tile([[0], [0], [0], [1], [1], [1], [1], [0]], (1000, 1))
    labels = np.tile(np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32), 1000)
    nothing, ones = np.zeros(codes.shape), np.ones(len(labels))
    new = np.array([[1]])
    fold = evidence_of(
        (codes, new),
        (nothing, np.zeros((1, 1))),
        (labels, np.array([1], dtype=np.int32)),
        (ones, np.ones(1)),
        2,
        [[0]],
    )
    odds = fold.counted[0, 0, 1] - fold.counted[0, 0, 0]
    assert odds == pytest.approx(np.log(3), abs=1e-3)
    assert (fold.ordered == 0).all()


def test_a_discriminant_of_the_first_features_is_the_sum_of_their_terms():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 5000).astype(np.int32)
    base = rng.normal(size=(5000, 3))
    scores = base @ np.array([[1.0, 0.5, 0.2], [0, 1, 0.7], [0, 0, 1]]) + labels[:, np.newaxis]
    codes = np.zeros(scores.shape, dtype=np.int64)
    ones = np.ones(len(labels))
    fold = evidence_of(
        (codes, codes[:50]), (scores, scores[:50]), (labels, labels[:50]),
        (ones, ones[:50]), 2, [[0], [1], [2]],
    )  # fmt: skip
    for m in (1, 2, 3):
        means = [scores[labels == c, :m].mean(axis=0) for c in (0, 1)]
        within = np.cov((scores[:, :m] - np.array(means)[labels]).T).reshape(m, m)
        within += np.diag(SHRINK * np.diag(within) + RIDGE)
        direction = np.linalg.solve(within, means[1] - means[0])
        expected = (scores[:50, :m] - (means[0] + means[1]) / 2) @ direction
        ours = fold.ordered[:m].sum(axis=0)
        np.testing.assert_allclose(ours[:, 1] - ours[:, 0], expected, atol=1e-3)


def test_gains_are_what_the_loss_falls_by():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000).astype(np.int32)
    codes = np.column_stack([labels ^ (rng.random(4000) < 0.1), rng.integers(0, 2, 4000)])
    ones, nothing = np.ones(4000), np.zeros((4000, 2))
    folds = [
        Fold(
            test,
            ones[test],
            [0, 1],
            [
                evidence_of(
                    (codes[train], codes[test]),
                    (nothing[train], nothing[test]),
                    (labels[train], labels[test]),
                    (ones[train], ones[test]),
                    2,
                    [[0], [1]],
                )
            ],
        )
        for train, test in stratified_folds(labels)
    ]
    found = held_out([folds], [0, 1], 2, np.arange(4000))
    noise = 0.1
    left = -(noise * np.log2(noise) + (1 - noise) * np.log2(1 - noise))
    assert found.unexplained[1, 0] == pytest.approx(left, abs=0.03)
    assert found.gain[0] == pytest.approx(1 - left, abs=0.03)
    assert abs(found.gain[1]) < 4 * found.gain_error[1] + 1e-3
    np.testing.assert_allclose(found.left, [1, *(1 - np.cumsum(found.gain) / found.loss)])


def a_fold(rows, steps, bits):
    """A fold whose models say the class of every row, each step surer by so many bits."""
    labels = np.arange(len(rows), dtype=np.int32) % 2
    gap = np.log(2) * np.array(bits)[:, np.newaxis, np.newaxis]
    surer = np.where(labels[:, np.newaxis] == np.arange(2), gap, 0.0)
    prior, seen = np.log([0.5, 0.5]), np.ones(2, dtype=bool)
    evidence = FoldEvidence(labels, prior, seen, surer, np.zeros_like(surer))
    return Fold(np.array(rows), np.ones(len(rows)), steps, [evidence])


def bits_left(surer):
    """The log loss of a row whose class has the odds 2**surer."""
    return np.log2(1 + 2.0**-surer)


def test_a_gain_is_what_the_feature_added_where_it_was_selected_whatever_its_step():
    # The fit selected 7, 8 and 9; three folds 7 then 5, one 8 then 7, and none selected 9.
    folds = [a_fold(range(10 * k, 10 * k + 10), [7, 5], [3.0, 1.0]) for k in range(3)]
    folds.append(a_fold(range(30, 40), [8, 7], [2.0, 4.0]))
    found = held_out([folds], [7, 8, 9], 2, np.arange(40))
    assert found.chosen.tolist() == [4, 1, 0]
    assert found.n_refits == 4
    of_7 = (3 * (bits_left(0) - bits_left(3)) + bits_left(2) - bits_left(6)) / 4
    np.testing.assert_allclose(found.gain[:2], [of_7, bits_left(0) - bits_left(2)])
    assert np.isnan(found.gain[2])
    assert np.isnan(found.gain_error[2])
    # What is left is of the procedure: of the first m features of every fold.
    left = [
        bits_left(0),
        (3 * bits_left(3) + bits_left(2)) / 4,
        (3 * bits_left(4) + bits_left(6)) / 4,
    ]
    np.testing.assert_allclose(found.left, [*left, left[-1]])
    # One fold of four is not known better than to the size of what it says.
    assert found.gain_error[1] > 0.8 * found.gain[1]


@pytest.mark.parametrize(
    "rule", [{}, {"n_features_to_select": "auto"}, {"n_features_to_select": 2}]
)
def test_folds_repeat_the_rule_that_ended_the_selection(rule):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (200, 8))
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 3, 200) > 3).astype(int)
    same = {"label_score": "one-vs-rest", "conditioning": "joint", "stop": None, **rule}
    refits = refits_of(DEACS(**same).fit(X, y))
    order = refits.order
    lengths = set()
    for train, test in stratified_folds(refits.data.labels[order]):
        steps = refits.fold(train, test, 2).steps
        rows = order[train]
        if rule.get("n_features_to_select") == "auto":  # its shuffles follow the order of rows
            same["stop"] = DEACS("auto", stop="significant").get_params()["stop"]
            lengths.add(len(steps))
            continue
        assert steps == DEACS(**same).fit(X[rows], y[rows]).ranking_.tolist()
        lengths.add(len(steps))
    assert max(lengths) <= (8 if not rule else 3)


def test_gains_in_noise_are_within_two_standard_errors_of_zero():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(100, 2000)), np.arange(100) % 2
        held = DEACS(4).fit(X, y).held_out_
        known = held.chosen > 0
        assert (np.abs(held.gain) <= 2 * held.gain_error + 1e-12)[known].all()
        assert (held.left > 0.9).all()


def test_gains_are_those_of_fresh_rows():
    rng = np.random.default_rng(5)

    def draw(n):
        y = rng.integers(0, 2, n)
        shift = np.zeros(12)
        shift[:3] = 1.2, 0.9, 0.7
        return rng.normal(size=(n, 12)) + shift * y[:, np.newaxis], y

    X, y = draw(600)
    X_new, y_new = draw(20_000)
    selector = DEACS(3).fit(X, y)
    held, losses = selector.held_out_, [1.0]
    assert selector.ranking_.tolist() == [0, 1, 2]
    for m in (1, 2, 3):
        columns = selector.ranking_[:m]
        model = LogisticRegression().fit(X[:, columns], y)
        losses.append(log_loss(y_new, model.predict_proba(X_new[:, columns])) / np.log(2))
    assert held.chosen.tolist() == [5, 5, 5]
    assert (np.abs(held.gain + np.diff(losses)) < 2 * held.gain_error).all()
    np.testing.assert_allclose(held.left, losses, atol=0.06)


def shuffled(X, y, weights, order):
    return X[order], y[order], None if weights is None else weights[order]


TARGETS = {
    "classes": lambda rng, X: (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int),
    "numbers": lambda rng, X: X[:, 0] + rng.normal(size=len(X)),
    "labels": lambda rng, X: (X[:, :2] + rng.normal(size=(len(X), 2)) > 0).astype(int),
}


@pytest.mark.parametrize("kind", TARGETS)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**6), how=st.sampled_from(["plain", "published", "weights", "copies"]))
def test_the_order_of_rows_changes_no_bit(kind, seed, how):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5))
    X[:, 1] = np.round(X[:, 1])
    X[rng.random((60, 5)) < 0.05] = np.nan
    y = TARGETS[kind](rng, np.nan_to_num(X))
    if how == "copies":
        X, y = np.vstack([X, X[:30]]), np.concatenate([y, y[:30]])
    weights = rng.integers(1, 4, len(X)) if how == "weights" else None
    selector = DEACS.published(3) if how == "published" else DEACS(3)
    found = []
    for order in (np.arange(len(X)), rng.permutation(len(X))):
        a, b, w = shuffled(X, y, weights, order)
        found.append(copy.deepcopy(selector).fit(a, b, sample_weight=w).held_out_)
    for name in ("unexplained", "left", "gain", "gain_error", "chosen"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))


@pytest.mark.parametrize("labels", ["same", "own"])
@pytest.mark.parametrize("kind", ["numbers", "codes"])
def test_rows_that_are_copies_are_held_out_together(kind, labels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40)) if kind == "numbers" else rng.integers(0, 4, (60, 40))
    y = np.arange(60) % 2
    X, y = np.repeat(X, 10, axis=0), np.repeat(y, 10)
    if labels == "own":
        y[::10] = 1 - y[::10]
    selector = DEACS(3).fit(X, y)
    assert selector.unexplained_.min() > 0.85
    [note] = [note for note in selector.notes_ if note.kind == "copies"]
    assert note.startswith("540 of 600 rows repeat another row")
    # Not so much is known of 60 rows as of 600.
    known = selector.held_out_.chosen > 0
    assert (np.abs(selector.held_out_.gain) <= 2 * selector.held_out_.gain_error + 1e-12)[
        known
    ].all()


def test_half_of_the_rows_may_be_copies():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10))
    X, y = np.vstack([X, X[:30]]), np.r_[np.arange(60) % 2, np.arange(30) % 2]
    refits = refits_of(DEACS(2).fit(X, y))
    order = refits.order
    for folds in divisions(refits.data.labels[order], 10, np.arange(90)[order] % 60):
        for train, test in folds:
            assert not set(order[train] % 60) & set(order[test] % 60)
            assert 15 <= len(test) <= 21


def test_rows_of_few_values_are_naturally_equal():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3))
    y = (X[:, 0] ^ (rng.random(400) < 0.1)).astype(int)
    selector = DEACS(2).fit(X, y)
    assert not [note for note in selector.notes_ if note.kind == "copies"]
    # h(0.1) is left; a cell that is held out as a whole would tell nothing.
    assert selector.unexplained_[1, 0] == pytest.approx(0.47, abs=0.1)
    one_hot = (rng.integers(0, 5, 400)[:, np.newaxis] == np.arange(5)).astype(int)
    assert not DEACS(2).fit(np.hstack([X, one_hot, one_hot]), y).notes_


def test_r2_of_a_number_is_that_of_fresh_rows():
    rng = np.random.default_rng(0)

    def draw(n):
        X = rng.normal(size=(n, 6))
        shelf = rng.integers(0, 3, n)
        y = 2.0 * np.array([0, 3, 1])[shelf] + X[:, 0] - 1.5 * X[:, 1] + rng.normal(size=n)
        return np.column_stack([shelf, X]), y

    (X, y), (X_new, y_new) = draw(400), draw(20_000)
    selector = DEACS(3).fit(X, y)
    held = selector.held_out_
    assert sorted(selector.ranking_) == [0, 1, 2]
    wide = [np.column_stack([part[:, 1:3], part[:, :1] == np.arange(3)]) for part in (X, X_new)]
    reached = LinearRegression().fit(wide[0], y).score(wide[1], y_new)
    assert held.r2[-1] == pytest.approx(reached, abs=0.03)
    np.testing.assert_allclose(held.gain.sum(), held.r2[-1], atol=1e-9)
    assert held.chosen.tolist() == [5, 5, 5]
    selector = DEACS(2).fit(rng.normal(size=(200, 20)), rng.normal(size=200))
    assert selector.held_out_.r2.max() < 0.05


def test_ridge_regression_of_the_first_features_is_a_sum_of_terms():
    rng = np.random.default_rng(0)
    scores, codes = rng.normal(size=(60, 3)), rng.integers(0, 3, (60, 3))
    y = scores @ [1.0, 2.0, 0.5] + (codes[:, 2] == 1) + rng.normal(size=60)
    weights = rng.integers(1, 4, 60).astype(float)
    a, b = slice(0, 40), slice(40, 60)
    found = ridge_errors(
        (codes[a], codes[b]), (scores[a], scores[b]), (y[a], y[b]), weights[a], [[0], [1, 2]]
    )
    for m, columns in ((1, [0]), (2, [0, 1, 2])):
        design = np.column_stack(
            [
                part
                for j in columns
                for part in (scores[:, j], *(codes[:, j] == np.arange(3)[:, np.newaxis]))
            ]
        )
        design = design - np.average(design[a], axis=0, weights=weights[a])
        mean, W = np.average(y[a], weights=weights[a]), np.diag(weights[a])
        for k, penalty in enumerate(PENALTIES[:-1]):
            A = design[a]
            slope = np.linalg.solve(
                A.T @ W @ A + penalty * np.eye(A.shape[1]), A.T @ W @ (y[a] - mean)
            )
            np.testing.assert_allclose(found[k, m], (y[b] - mean - design[b] @ slope) ** 2)


def test_rows_of_weight_zero_and_folds_that_select_nothing_are_held_out_too():
    X, y = load_wine(return_X_y=True)
    weights = np.arange(178) % 3
    kept = np.flatnonzero(weights)
    weighted = DEACS(3).fit(X, y, sample_weight=weights).unexplained_
    without = DEACS(3).fit(X[kept], y[kept], sample_weight=weights[kept]).unexplained_
    np.testing.assert_array_equal(weighted, without)
    # Forty codes, each in both classes: nothing is cut, so nothing is selected in any fold.
    useless = np.arange(400.0)[:, np.newaxis] % 40
    nothing = DEACS.published().fit(useless, np.arange(400) // 40 % 2)
    np.testing.assert_array_equal(nothing.unexplained_, [[1.0, 1.0]])


def test_classes_without_training_rows_are_not_explained():
    # Every class has one row, so no held-out row has a class that was seen: nothing is explained.
    rng = np.random.default_rng(0)
    y = np.array([f"c{k}" for k in range(60)])
    held = DEACS(2, target="classes").fit(rng.normal(size=(60, 4)), y).held_out_
    assert not (held.gain > 1e-9).any()
    assert held.unexplained.min() > 0.99


def test_a_class_of_one_row_leaves_the_others_as_they_are():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [60, 60, 1])
    X = rng.normal(size=(121, 3))
    X[:, 0] += 3 * (y == 1)
    held = DEACS(1).fit(X, y).held_out_
    # Rows of the others are seen not to be of this class where it has a training row; no more.
    assert held.unexplained[-1, 2] > 0.95
    assert held.unexplained[-1, :2].max() < 0.6


def changes_of_the_table():
    def add(X):
        X["predicted"] = 0

    def insert(X):
        X.insert(0, "key", np.arange(len(X)))

    def scale(X):
        X["proline"] /= 1000.0

    def pop(X):
        X.pop("hue")

    def shuffle(X):
        X[:] = X.to_numpy()[::-1]

    return [
        (add, False),
        (insert, False),
        (scale, True),
        (pop, True),
        (shuffle, True),
    ]


@pytest.mark.parametrize(("change", "matters"), changes_of_the_table())
def test_a_table_that_changed_after_fit_is_noticed(wine, change, matters):
    X, y = wine[0].copy(), wine[1]
    selector = DEACS(2).fit(X, y)
    change(X)
    if matters:
        with pytest.raises(AttributeError, match="unexplained_ needs the table as it was in fit"):
            selector.unexplained_  # noqa: B018
        assert selector.result_.held_out is None
        assert "flavanoids" in selector._repr_html_()
    else:
        np.testing.assert_array_equal(selector.unexplained_, DEACS(2).fit(*wine).unexplained_)


def test_one_row_that_changed_is_noticed_in_a_large_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(39_999, 2))
    y = (X[:, 0] > 0).astype(int)
    selector = DEACS(1).fit(X, y)
    X[20_001, 0] = -X[20_001, 0]
    with pytest.raises(AttributeError, match="as it was in fit"):
        selector.unexplained_  # noqa: B018


def test_copies_of_a_fit_still_know_their_table(wine):
    selector = DEACS(2).fit(*wine)
    other = copy.deepcopy(selector)
    np.testing.assert_array_equal(other.unexplained_, selector.unexplained_)
    other.set_params(n_features_to_select=5)
    assert selector.n_features_to_select == 2


def test_an_array_or_weights_that_changed_after_fit_are_noticed_or_kept():
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(0).random(len(y))
    weights[:5] = 0
    kept = DEACS(2).fit(X, y, sample_weight=weights.copy()).unexplained_
    selector = DEACS(2).fit(X, y, sample_weight=weights)
    weights[:] = 1
    np.testing.assert_array_equal(selector.unexplained_, kept)
    selector = DEACS(2).fit(X, y)
    X.sort(axis=0)
    assert not hasattr(selector, "unexplained_")
    rows = X.tolist()
    selector = DEACS(2).fit(rows, y)
    del rows[50:]
    assert not hasattr(selector, "unexplained_")


def test_a_notebook_shows_held_out_numbers_once_they_are_known(wine):
    selector = DEACS(3).fit(*wine)
    assert ">again<" not in selection_table(selector.result_)
    held = selector.held_out_
    page = selection_table(selector.result_)
    for words in (">again<", f"{held.chosen[2]}/10", f"leaves {held.left[-1]:.1%} unexplained"):
        assert words in page
    X = wine[0]
    number = DEACS(2, target="numbers").fit(X.drop(columns="proline"), X["proline"])
    r2 = number.held_out_.r2[-1]
    assert f"R² {r2:.2f}. 2 of 12" in number._repr_html_()
