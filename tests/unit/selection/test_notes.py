"""Caveats: what a careful reader is told, and nothing where there is nothing to tell."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine

from deacs import CFS, CMI, DEACS, JMI, MRMR, MultiSURF, Radial, ReliefF, encode
from deacs.exceptions import Note, Parameter, TableWarning


def kinds(selector):
    return {note.kind for note in selector.notes_}


@pytest.fixture(scope="module")
def shop():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = pd.DataFrame({f"x{j}": rng.normal(size=300) + 0.7 * y for j in range(4)})
    return X, y


def test_a_column_that_settles_the_class_is_called_a_possible_leak(shop):
    X, y = shop
    leaking = X.assign(refund=np.where(y == 1, "yes", "no"), closed=2 * y - 1)
    for selector in (DEACS(), DEACS(3), DEACS.published()):
        [note] = [note for note in selector.fit(leaking, y).notes_ if note.kind == "leak"]
        assert set(note.columns) == {"refund", "closed"}
        assert "possible leak" in note
        assert note.endswith("Are they known before the class is? If not, exclude them.")
    assert "leak" not in kinds(DEACS(3).fit(X, y))


def test_a_leak_is_named_by_filters_and_where_another_column_comes_first(shop):
    X, y = shop
    leaking = X.assign(refund=np.where(y == 1, "yes", "no"))
    prices = dict.fromkeys(leaking.columns, 1.0) | {"refund": 100.0}
    for selector in (JMI(2), CMI(2), DEACS(2, include=["x0"]), DEACS(2, costs=prices)):
        [note] = [note for note in selector.fit(leaking, y).notes_ if note.kind == "leak"]
        assert note.columns == ("refund",)
        assert note.startswith("'refund' (100.0% of the uncertainty) alone determines the class")
        assert note.endswith("Is it known before the class is? If not, exclude it.")
    assert "leak" not in kinds(JMI(2).fit(X, y))


@pytest.mark.parametrize("weight", [1, 50])
def test_weights_make_no_leak_of_a_column_of_numbers(shop, weight):
    X, y = shop
    weights = np.full(300, weight)
    assert "leak" not in kinds(DEACS(1).fit(X[["x0"]], y, sample_weight=weights))
    leaking = X.assign(total=y + X["x0"] / 100)
    [note] = [
        note
        for note in DEACS(2).fit(leaking, y, sample_weight=weights).notes_
        if note.kind == "leak"
    ]
    assert note.columns == ("total",)


def test_nearly_every_row_is_enough_for_a_leak(shop):
    X, y = shop
    late = y.copy()
    late[0] = 1 - late[0]
    many = pd.concat([X] * 10, ignore_index=True).assign(late=np.r_[np.tile(y, 9), late])
    selector = DEACS(2).fit(many, np.tile(y, 10))
    [note] = [note for note in selector.notes_ if note.kind == "leak"]
    assert note.columns == ("late",)


def test_columns_without_a_cut_are_counted():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([rng.normal(size=(200, 9)), y + rng.normal(scale=0.2, size=200)])
    for discretizer, seen in (("auto", "equally many rows"), ("mdlp", "only their order is seen")):
        selector = DEACS(3, discretizer=discretizer).fit(X, y)
        [note] = [note for note in selector.notes_ if note.kind == "uncut"]
        assert note.startswith("MDLP finds no cut point in 9 of 10 columns of numbers")
        assert note.columns == tuple(f"x{j}" for j in range(9))
        assert seen in note
    assert "uncut" not in kinds(DEACS(3).fit(*load_wine(return_X_y=True)))


def test_one_column_without_a_cut_is_it():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = pd.DataFrame({"flag": y, "noise": rng.normal(size=200)})
    [note] = [note for note in DEACS().fit(X, y).notes_ if note.kind == "uncut"]
    assert note == (
        "MDLP finds no cut point in the only column of numbers, as it is not informative enough "
        "by itself: it was cut into intervals with equally many rows."
    )


def test_the_joint_value_of_many_features_leaves_few_rows_and_blocks_do_not():
    X, y = load_digits(return_X_y=True)
    assert "starved" in kinds(DEACS.published().fit(X, y))
    assert "starved" not in kinds(DEACS.published(1).fit(X, y))
    assert "starved" not in kinds(DEACS(20).fit(X, y))


@pytest.mark.parametrize("judge", ["radial", Radial(weight_ratio=np.inf)], ids=repr)
def test_an_infinite_score_is_explained_where_it_stands(judge):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([y ^ (rng.random(200) < 0.1), np.zeros(200)])
    selector = DEACS.published(judge=judge).fit(X, y)
    assert np.isinf(selector.scores_[0])
    [note] = [note for note in selector.notes_ if note.kind == "sole"]
    assert note.startswith("The score of step 1 is infinite")


def test_a_lone_contender_is_no_caveat_where_weights_are_bounded():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([y ^ (rng.random(200) < 0.1), np.zeros(200)])
    selector = DEACS().fit(X, y)
    assert np.isinf(selector.scores_[0])
    assert "sole" not in kinds(selector)


def test_a_note_is_text_that_keeps_its_parts():
    note = Note("use ", Parameter("judge", "sum"), " here", kind="crowded", columns=["a"])
    assert note == "use judge='sum' here"
    assert note.worded(lambda p: f"--{p.name} {p.value}") == "use --judge sum here"
    copy = pickle.loads(pickle.dumps(note))
    assert (copy, copy.parts, copy.kind, copy.columns) == (note, note.parts, "crowded", ("a",))


def test_included_features_may_be_an_array(shop):
    X, y = shop
    data = encode(X, y)
    assert DEACS(2, include=np.array([0, 1])).fit(data).ranking_.tolist() == [0, 1]


@pytest.mark.parametrize("selector", [DEACS(1), DEACS.published(1), MRMR(1)])
def test_labels_of_all_rows_or_none_are_noted_and_warned_of_once(shop, selector):
    X, y = shop
    Y = pd.DataFrame({"all": 1, "some": y, "none": 0, "few": y * (np.arange(300) % 3 > 0)})
    with pytest.warns(TableWarning, match="no row has the label 'none'") as warned:
        selector.fit(X, Y)
    assert len(warned) == 1
    [note] = [note for note in selector.notes_ if note.kind == "constant labels"]
    assert note == (
        "no row has the label 'none' and all 300 rows have the label 'all': there is nothing to "
        "tell apart, so these labels score zero"
    )
    assert note.columns == ("all", "none")


SELECTORS = [DEACS(2), DEACS.published(2), MRMR(2), CFS(), ReliefF(2), MultiSURF(2)]


@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("kind", ["numbers", "integers", "text"])
def test_every_selector_counts_rows_that_are_copies(selector, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 20)) if kind == "numbers" else rng.integers(0, 4, (70, 20))
    X, y = np.vstack([X, X[:50]]), np.arange(120) % 2
    table = pd.DataFrame(X).add_prefix("x").astype(str) if kind == "text" else X
    [note] = [note for note in selector.fit(table, y).notes_ if note.kind == "copies"]
    assert note.startswith("50 of 120 rows repeat another row in every column")


@pytest.mark.parametrize("selector", SELECTORS)
def test_rows_that_only_fall_into_the_same_intervals_are_no_copies(selector):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = rng.normal(size=(300, 30)) + 3 * y[:, np.newaxis]
    X[150:] = X[:150] + 0.01 * rng.random((150, 30))
    assert "copies" not in kinds(selector.fit(X, np.r_[y[:150], y[:150]]))


def test_whole_weights_of_rows_that_nothing_makes_alike_are_noted():
    rng = np.random.default_rng(0)
    y, counts = np.arange(120) % 2, rng.integers(1, 4, 120)
    measured, few = rng.normal(size=(120, 10)), rng.integers(0, 2, (120, 3))
    [note] = [note for note in fit_weighted(measured, y, counts).notes_ if note.kind == "copies"]
    assert f"holds whole numbers, so 120 rows count as {counts.sum()}" in note
    # Shares of the whole are no numbers of rows, and rows of few values are alike by nature.
    assert "copies" not in kinds(fit_weighted(measured, y, counts / counts.mean()))
    assert "copies" not in kinds(fit_weighted(few, y, counts))


def fit_weighted(X, y, weights):
    return DEACS(2).fit(X, y, sample_weight=weights)
