"""Shares of uncertainty for rows not seen: true of new rows, of noise and of the class itself."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

from deacs import DEACS, encode
from deacs.selection.held_out import (
    RIDGE,
    SHRINK,
    divisions,
    evidence_of,
    held_out,
    stratified_folds,
)


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


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
    with pytest.raises(AttributeError, match="needs the fitted rows in memory"):
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
        found = divisions((np.arange(n_rows) % 3).astype(np.int32))
        assert len(found) == n_divisions
        firsts = {folds[0][1].tobytes() for folds in found}
        assert len(firsts) == n_divisions


def test_losses_are_averaged_row_by_row_over_divisions(wine):
    selector = DEACS(3).fit(*wine)
    refits = selector._refits
    each = []
    for folds in divisions(refits.data.labels):
        evidence = [refits._evidence(train, test, 3)[0] for train, test in folds]
        each.append(held_out([evidence], 3, 3))
        # The same losses in another order: averaged with those of other rows, they would vary less.
        twice = held_out([evidence, evidence[::-1]], 3, 3)
        np.testing.assert_allclose(twice.gain_error, each[-1].gain_error)
        np.testing.assert_allclose(twice.unexplained, each[-1].unexplained)
    found = selector.held_out_
    np.testing.assert_allclose(found.gain, np.mean([one.gain for one in each], axis=0))
    assert found.loss == pytest.approx(np.mean([one.loss for one in each]))


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
        np.array([0]),
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
        np.arange(50), (codes, codes[:50]), (scores, scores[:50]), (labels, labels[:50]),
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
        evidence_of(
            test,
            (codes[train], codes[test]),
            (nothing[train], nothing[test]),
            (labels[train], labels[test]),
            (ones[train], ones[test]),
            2,
            [[0], [1]],
        )
        for train, test in stratified_folds(labels)
    ]
    found = held_out([folds], 2, 2)
    noise = 0.1
    left = -(noise * np.log2(noise) + (1 - noise) * np.log2(1 - noise))
    assert found.unexplained[1, 0] == pytest.approx(left, abs=0.03)
    assert found.gain[0] == pytest.approx(1 - left, abs=0.03)
    assert abs(found.gain[1]) < 4 * found.gain_error[1] + 1e-3


def test_rows_of_weight_zero_and_folds_that_select_nothing_are_held_out_too():
    X, y = load_wine(return_X_y=True)
    weights = np.arange(178) % 3
    kept = np.flatnonzero(weights)
    weighted = DEACS(3).fit(X, y, sample_weight=weights).unexplained_
    without = DEACS(3).fit(X[kept], y[kept], sample_weight=weights[kept]).unexplained_
    np.testing.assert_allclose(weighted, without)
    # Forty codes, each in both classes: nothing is cut, so nothing is selected in any fold.
    useless = np.arange(400.0)[:, np.newaxis] % 40
    nothing = DEACS.published().fit(useless, np.arange(400) // 40 % 2)
    np.testing.assert_array_equal(nothing.unexplained_, [[1.0, 1.0]])


def test_classes_without_training_rows_are_not_explained():
    # Every class has one row, so no held-out row has a class that was seen: nothing is explained.
    rng = np.random.default_rng(0)
    y = np.array([f"c{k}" for k in range(60)])
    held = DEACS(2).fit(rng.normal(size=(60, 4)), y).held_out_
    assert held.gain.sum() <= 1e-9
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
        assert selector.outcome().fitted.held_out() is None
        assert "flavanoids" in selector._repr_html_()
    else:
        np.testing.assert_array_equal(selector.unexplained_, DEACS(2).fit(*wine).unexplained_)


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
