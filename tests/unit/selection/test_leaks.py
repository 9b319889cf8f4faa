"""Leaks: what gives the target away is named; what does so by chance is not."""

from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest

from deacs import CFS, DEACS, JMI, MRMR, ReliefF, RReliefF, StabilitySelection, encode
from deacs.exceptions import TableWarning
from deacs.selection.leaks import chance_of_settling, leak_notes


def leaks(selector):
    return [note for note in selector.notes_ if note.kind == "leak"]


def naive_chance(column, classes, n_intervals=None):
    """The share of orders of the classes that the column settles; or that intervals could."""
    orders = set(permutations(classes))
    settled = 0
    for order in orders:
        if n_intervals is None:
            settled += all(
                len({c for v, c in zip(column, order, strict=True) if v == value}) == 1
                for value in set(column)
            )
        else:
            settled += 1 + sum(a != b for a, b in pairwise(order)) <= n_intervals
    return settled / len(orders)


@pytest.mark.parametrize(
    ("column", "classes"),
    [
        ([0, 0, 0, 0, 1, 1, 1, 1], "aaaabbbb"),
        ([0, 0, 1, 1, 2, 2, 3, 3], "aaaabbbb"),
        ([0, 0, 0, 1, 1, 2, 2, 2], "aaabbbbb"),
        ([0, 0, 0, 0, 0, 0, 1, 1], "aabbbbbb"),
        ([0, 0, 0, 0, 0, 0, 0, 1], "aaabbbbb"),
    ],
)
def test_the_chance_for_two_classes_is_that_of_all_orders(column, classes):
    rows, sizes = np.bincount(column), np.array([classes.count(c) for c in "ab"])
    assert chance_of_settling(rows, sizes) == pytest.approx(naive_chance(column, classes))


@pytest.mark.parametrize("classes", ["aaaabbbb", "aabbbccc", "aaaaabcc", "aaaaaaab"])
@pytest.mark.parametrize("n_intervals", [2, 3, 4])
def test_the_chance_of_a_column_that_was_cut_to_fit_is_no_less_than_that_of_all_orders(
    classes, n_intervals
):
    sizes = np.array([classes.count(c) for c in sorted(set(classes))])
    exact = naive_chance(range(8), classes, n_intervals)
    bound = chance_of_settling(n_intervals, sizes, is_cut=True)
    assert exact <= bound * (1 + 1e-9)
    assert bound <= max(4 * exact, 0.01)


def test_the_bound_for_three_classes_and_for_long_tables_holds():
    column, classes = [0, 0, 1, 1, 2, 2, 3, 3], "aabbcccc"
    sizes = np.array([2, 2, 4])
    exact = naive_chance(column, classes)
    assert exact <= chance_of_settling(np.bincount(column), sizes) * (1 + 1e-9)
    assert exact <= chance_of_settling(4, sizes) * (1 + 1e-9)
    assert chance_of_settling(2, np.array([1, 999_999])) == pytest.approx(2e-6, rel=0.01)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(12, 2000), (16, 5000)])
def test_noise_in_many_columns_is_no_leak(n_rows, n_columns):
    y = np.arange(n_rows) % 2
    for seed in range(20):
        X = np.random.default_rng(seed).normal(size=(n_rows, n_columns))
        assert leak_notes(encode(X, y)) == []


def test_a_copy_of_the_class_beside_few_columns_of_few_rows_is_a_leak():
    y = np.arange(16) % 2
    X = np.column_stack([y, np.random.default_rng(0).normal(size=(16, 9))])
    [note] = leak_notes(encode(X, y))
    assert note.columns == ("x0",)


@pytest.fixture(scope="module")
def ward():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(240) < 0.4, "dead", "alive")
    X = pd.DataFrame({f"x{j}": rng.normal(size=240) + 0.6 * (y == "dead") for j in range(4)})
    return X, y


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_missing_values_that_give_the_class_away_are_a_leak(ward, missing):
    X, y = ward
    rng = np.random.default_rng(1)
    days = pd.Series([f"day {k}" for k in rng.permutation(240)])
    X = X.assign(
        dose=np.where(y == "alive", np.nan, rng.normal(size=240)),
        day=days.where(y == "dead"),
    )
    for selector in (DEACS(2, missing=missing), MRMR(2, missing=missing), JMI(2, missing=missing)):
        with pytest.warns(TableWarning, match="missing just where the row has that class"):
            selector.fit(X, y)
        [note] = leaks(selector)
        assert note.startswith("'dose' (class 'alive'), 'day' (class 'alive') are each missing")
        assert note.columns == ("dose", "day")


def test_missing_values_here_and_there_are_no_leak(ward):
    X, y = ward
    some = X.mask(np.random.default_rng(2).random(X.shape) < 0.2)
    assert leaks(DEACS(2).fit(some, y)) == []


def test_missing_values_of_one_class_among_three_give_that_class_away(ward):
    X, _ = ward
    y = np.arange(240) % 3
    X = X.assign(dose=np.where(y == 2, np.nan, 1.5 + X["x0"]))
    [note] = leaks(DEACS(2).fit(X, y))
    assert note.startswith("'dose' (class '2') is missing just where the row has that class")


@pytest.mark.parametrize("several", [False, True])
def test_values_of_one_class_only_among_three_give_that_class_away(ward, several):
    X, _ = ward
    y = np.arange(240) % 3
    X = X.assign(dose=np.where(y == 2, 1.5 + X["x0"], np.nan))
    target = (y[:, np.newaxis] == np.arange(3)) | (np.arange(240) % 5 == 0)[:, np.newaxis]
    target[:, 2] = y == 2
    noun = "label" if several else "class"
    for selector in (DEACS(2), MRMR(2)):
        [note] = leaks(selector.fit(X, target.astype(int) if several else y))
        assert note.startswith(f"'dose' ({noun} '2') has values just where the row has that {noun}")
        assert note.endswith(f"Is it known before the {noun} is? If not, exclude it.")


def test_a_copy_of_one_label_of_several_is_a_leak(ward):
    X, _ = ward
    Y = np.random.default_rng(3).random((240, 4)) < 0.4
    X = X.assign(copy=np.where(Y[:, 2], "on", "off"))
    for selector in (DEACS(2), JMI(2)):
        [note] = leaks(selector.fit(X, Y.astype(int)))
        assert note.startswith("'copy' (label '2') alone determines the label of nearly every row")
        assert note.columns == ("copy",)
    assert leaks(DEACS(2).fit(ward[0], Y.astype(int))) == []


def test_noise_that_equals_a_rare_label_is_no_leak():
    rng = np.random.default_rng(0)
    Y = np.zeros((200, 12), dtype=int)
    for label in range(12):
        Y[rng.choice(200, 1), label] = 1
    X = (rng.random((200, 600)) < 0.005).astype(int)
    X = X[:, X.any(axis=0)]
    assert leak_notes(encode(X, Y)) == []


def test_every_selector_names_a_leak_and_warns_of_it_once(ward):
    X, y = ward
    X = X.assign(refund=np.where(y == "dead", "yes", "no"))
    for selector in (DEACS(2), MRMR(2), CFS(), ReliefF(2), StabilitySelection(n_resamples=4)):
        with pytest.warns(TableWarning, match="possible leak") as caught:
            selector.fit(X, y)
        assert len(caught) == 1
        assert caught[0].filename == __file__
        [note] = leaks(selector)
        assert note.columns == ("refund",)


def test_relief_for_numbers_names_the_copy_of_its_target(ward):
    X, _ = ward
    y = np.random.default_rng(4).normal(size=240)
    [note] = leaks(RReliefF(2).fit(X.assign(price=2 * y), y))
    assert note.columns == ("price",)
