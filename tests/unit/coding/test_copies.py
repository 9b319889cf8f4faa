"""Rows by content: copies are found where equality is surprising, and nowhere else."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs

from deacs import encode
from deacs._kernels.cuts import add_contents
from deacs.coding import copied_rows, row_contents
from tests.each import each


def splitmix(word):
    """The generator's output from a state, in Python's integers."""
    most = 2**64 - 1
    word = (word + 0x9E3779B97F4A7C15) & most
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & most
    word = (word ^ word >> 27) * 0x94D049BB133111EB & most
    return word ^ word >> 31


@each("bits", [8, 16, 32, 64])
def test_contents_are_sums_of_words_mixed_with_their_column(bits):
    rng = np.random.default_rng(bits)
    table = rng.integers(0, 2**bits, (3, 50), dtype=f"u{bits // 8}")
    columns, contents = [0, 7, 40_000], np.zeros(50, dtype=np.uint64)
    for column, values in zip(columns, table, strict=True):
        add_contents(values, column, contents)
    for row in range(50):
        words = [int(v) ^ splitmix(j) for v, j in zip(table[:, row], columns, strict=True)]
        assert int(contents[row]) == sum(map(splitmix, words)) % 2**64


def coded(X, **how):
    return encode(X, np.arange(len(X)) % 2, discretizer="auto", **how)


def natural_tables():
    rng = np.random.default_rng(0)
    factor = rng.integers(0, 3, (1000, 1))
    age = rng.integers(20, 80, 1000)
    return {
        "three columns of two values": rng.integers(0, 2, (1000, 3)),
        "one factor in forty columns": np.tile(factor, (1, 40)),
        "one-hot": (rng.integers(0, 5, (1000, 3))[:, :, None] == np.arange(5)).reshape(1000, -1)
        * 1,
        "mostly zero": (rng.random((1000, 300)) < 0.003).astype(int),
        "ages": age[:, np.newaxis],
        "ages and incomes": np.column_stack([age, rng.integers(0, 100, 1000)]),
        "different rows": rng.normal(size=(300, 5)),
    }


@pytest.mark.parametrize("name", natural_tables())
def test_equal_rows_of_such_tables_are_natural(name):
    assert copied_rows(coded(natural_tables()[name], order=True)) is None


@pytest.mark.parametrize("order", [True, False])
@pytest.mark.parametrize("n_values", [None, 4, 2])
def test_rows_that_stand_there_ten_times_are_copies(n_values, order):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40)) if n_values is None else rng.integers(0, n_values, (60, 40))
    found = copied_rows(coded(np.tile(X, (10, 1)), order=order))
    assert found is not None
    assert len(np.unique(found)) == 60
    assert (found.reshape(10, 60) == found[:60]).all()


def test_contents_are_equal_where_rows_are_and_follow_them():
    rng = np.random.default_rng(0)
    X = np.array([[0.5, "a"], [-0.0, "b"], [0.0, "b"], [None, "a"], [0.5, "a"]], dtype=object)
    data = coded(X, order=True)
    found = row_contents(data, np.arange(2))
    assert len(np.unique(found)) == 3
    assert found[0] == found[4]
    assert found[1] == found[2]
    order = rng.permutation(5)
    moved = row_contents(coded(X[order], order=True), np.arange(2))
    np.testing.assert_array_equal(moved, found[order])


def visits(jitter, n_people=40, n_visits=25):
    """Visits of people: columns and class are of the person, but for the jitter of a visit."""
    rng = np.random.default_rng(0)
    people = rng.normal(size=(n_people, 30)).repeat(n_visits, axis=0)
    return people + jitter * rng.normal(size=people.shape), rng.integers(0, 2, 40).repeat(25)


def test_visits_of_one_person_are_noted_whatever_their_order():
    X, y = visits(0.1)
    [note] = [note for note in encode(X, y).notes if note.kind == "copies"]
    assert note.startswith("Most rows have about 24 others that are nearly alike")
    shuffled = np.random.default_rng(1).permutation(len(X))
    assert note in encode(X[shuffled], y[shuffled]).notes


@pytest.mark.parametrize(
    "table",
    [
        lambda: load_wine(return_X_y=True),
        lambda: (visits(1.0)[0], visits(1.0)[1]),
        lambda: make_blobs(300, 6, centers=5, random_state=0),
        lambda: (np.outer(np.random.default_rng(2).normal(size=200), range(1, 8)), [0, 1] * 100),
    ],
    ids=["wine", "rows in general position", "clusters", "one factor"],
)
def test_rows_that_differ_as_rows_do_are_no_visits(table):
    X, y = table()
    assert not [note for note in encode(X, y).notes if note.kind == "copies"]
