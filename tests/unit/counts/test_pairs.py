"""`Pairs` against the definitions: planes, rows, weights, ignored missing values, threads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CodedData, encode
from deacs.counts import Pairs
from deacs.counts import pairs as pairs_module
from tests import naive
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, joined
from tests.tables_of_codes import coded_tables

close = {"rtol": 1e-9, "atol": 1e-11}
TERMS = ("redundancy", "conditional", "joint", "joint_entropy")


def naive_terms(x, s, y):
    return {
        "redundancy": naive.mutual_information(x, s),
        "conditional": naive_filters.conditional(x, s, y),
        "joint": naive_filters.joint(x, s, y),
        "joint_entropy": naive.entropy(joined(x, s, y)),
    }


def assert_equals_definitions(data, columns, y):
    pairs, everything = Pairs(data), np.arange(data.n_features)
    np.testing.assert_allclose(
        pairs.relevance, [naive.mutual_information(x, y) for x in columns], **close
    )
    np.testing.assert_allclose(pairs.entropy, [naive.entropy(x) for x in columns], **close)
    for selected, s in enumerate(columns):
        found = pairs.information(selected, everything)
        expected = [naive_terms(x, s, y) for x in columns]
        for term in TERMS:
            np.testing.assert_allclose(
                getattr(found, term), [terms[term] for terms in expected], **close
            )
        np.testing.assert_array_equal(pairs.redundancy(selected, everything), found.redundancy)


def everything_of(pairs, n_features):
    """All numbers of a table, in one array."""
    features = np.arange(n_features)
    found = [pairs.information(selected, features) for selected in features]
    alone = [pairs.redundancy(selected, features) for selected in features]
    terms = [getattr(information, term) for information in found for term in TERMS]
    return np.array([pairs.relevance, pairs.entropy, *alone, *terms])


def made(n_rows, n_values, n_labels=3, seed=0):
    """A table in which every other feature knows something of the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_labels, n_rows)
    y[:2] = 0, 1
    columns = []
    for j, n in enumerate(n_values):
        noise = rng.integers(0, n, n_rows)
        columns.append(np.where(rng.random(n_rows) < 0.4, y % n, noise) if j % 2 else noise)
    return columns, y


@pytest.fixture
def counted_by(monkeypatch):
    """Which ways of counting a test took."""
    ways = set()
    for way in ("_by_planes", "_by_tables", "_by_rows"):
        original = getattr(Pairs, way)

        def watched(self, *args, original=original, way=way):
            ways.add(way)
            return original(self, *args)

        monkeypatch.setattr(Pairs, way, watched)
    return ways


@pytest.fixture
def never_by_planes(monkeypatch):
    monkeypatch.setattr(pairs_module, "counts_by_planes", lambda *_: False)


@given(coded_tables())
def test_every_term_equals_its_definition(table):
    columns, y = table
    assert_equals_definitions(coded(columns, y), columns, y)


@pytest.mark.parametrize("n_rows", [63, 64, 65, 127, 128])
def test_rows_that_do_not_fill_a_word_are_counted(n_rows):
    columns, y = made(n_rows, [2, 3, 5, 16])
    columns, y = [column.tolist() for column in columns], y.tolist()
    assert_equals_definitions(coded(columns, y), columns, y)


@pytest.mark.parametrize("n_values", [[17, 3, 40, 2], [300, 4, 20, 1], [16, 17, 1, 2]])
def test_features_with_many_values_equal_their_definitions(n_values, counted_by):
    columns, y = made(400, n_values)
    columns, y = [column.tolist() for column in columns], y.tolist()
    assert_equals_definitions(coded(columns, y), columns, y)
    assert {"_by_planes", "_by_tables"} <= counted_by


def test_rows_beyond_one_part_of_a_plane_equal_their_definitions(counted_by):
    # A part is 1,024 words of 64 rows; here one row more.
    columns, y = made(1024 * 64 + 1, [2, 4])
    columns, y = [column.tolist() for column in columns], y.tolist()
    assert_equals_definitions(coded(columns, y), columns, y)
    assert "_by_planes" in counted_by


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([3, 64, 65, 700]),
    st.lists(st.integers(1, 20), min_size=2, max_size=5),
    st.integers(2, 5),
)
def test_rows_tables_and_planes_give_the_same_bits(seed, n_rows, n_values, n_labels):
    columns, y = made(n_rows, n_values, n_labels, seed)
    data = coded(columns, y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module, "counts_by_planes", lambda *_: True)
        by_planes = everything_of(Pairs(data), data.n_features)
        patch.setattr(pairs_module, "counts_by_planes", lambda *_: False)
        by_tables = everything_of(Pairs(data), data.n_features)
        patch.setattr(pairs_module, "MOST_CELLS", 0)
        by_rows = everything_of(Pairs(data), data.n_features)
    np.testing.assert_array_equal(by_planes, by_rows)
    np.testing.assert_array_equal(by_tables, by_rows)


@given(coded_tables(), st.integers(0, 2**32 - 1), st.booleans())
def test_whole_weights_are_repeated_rows(table, seed, by_planes):
    columns, y = table
    weights = np.random.default_rng(seed).integers(1, 5, len(y))
    weighted = replace(coded(columns, y), weights=weights)
    repeated = coded([np.repeat(x, weights) for x in columns], np.repeat(y, weights))
    n = weighted.n_features
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_module, "counts_by_planes", lambda *_: by_planes)
        found = everything_of(Pairs(weighted), n)
    np.testing.assert_array_equal(found, everything_of(Pairs(repeated), n))


@pytest.mark.parametrize(("n_weights", "way"), [(64, "_by_planes"), (65, "_by_tables")])
def test_rows_of_few_weights_are_counted_by_planes(n_weights, way, counted_by, monkeypatch):
    monkeypatch.setattr(pairs_module, "counts_by_planes", lambda *_: True)
    columns, y = made(500, [2, 3, 4])
    data = replace(coded(columns, y), weights=np.arange(500) % n_weights + 1)
    everything_of(Pairs(data), 3)
    assert counted_by == {way}


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(coded_tables(max_features=4), st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.5]))
def test_with_missing_ignored_a_term_counts_the_rows_in_which_its_variables_are_present(
    table, seed, share
):
    columns, y = table
    rng = np.random.default_rng(seed)
    holes = [(rng.random(len(y)) < share) & (j != 1) for j in range(len(columns))]
    for hole in holes:
        hole[:2] = False
    X = np.array(columns, dtype=object).T
    for j, hole in enumerate(holes):
        X[hole, j] = None
    pairs = Pairs(encode(X, y, discrete_features=True, missing="ignore"))
    features = np.arange(len(columns))

    def present(*which):
        rows = np.flatnonzero(~np.any([holes[j] for j in which], axis=0))
        return rows, [[columns[j][r] for r in rows] for j in which], [y[r] for r in rows]

    for j in features:
        _, [x], classes = present(j)
        assert pairs.entropy[j] == pytest.approx(naive.entropy(x), abs=1e-11)
        expected = naive.mutual_information(x, classes)
        assert pairs.relevance[j] == pytest.approx(expected, abs=1e-11)
    for selected in features:
        found = pairs.information(selected, features)
        alone = pairs.redundancy(selected, features)
        for j in features:
            _, [x, s], classes = present(j, selected)
            for term, expected in naive_terms(x, s, classes).items():
                assert getattr(found, term)[j] == pytest.approx(expected, abs=1e-11), term
            assert alone[j] == pytest.approx(naive.mutual_information(x, s), abs=1e-11)


@given(coded_tables(), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_change_a_bit(table, random):
    columns, y = table
    rows = list(range(len(y)))
    random.shuffle(rows)
    before = coded(columns, y)
    after = coded([[x[r] for r in rows] for x in columns], [y[r] for r in rows])
    n = before.n_features
    np.testing.assert_array_equal(everything_of(Pairs(before), n), everything_of(Pairs(after), n))


@pytest.mark.usefixtures("work_is_shared")
@pytest.mark.parametrize("n_jobs", [2, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_a_bit(n_jobs, weighted):
    columns, y = made(500, [2, 3, 4, 5, 16, 17, 300, 2, 3, 4, 5, 6])
    data = coded(columns, y)
    if weighted:
        data = replace(data, weights=np.arange(500) % 3 + 1)
    one = everything_of(Pairs(data, n_jobs=1), data.n_features)
    np.testing.assert_array_equal(everything_of(Pairs(data, n_jobs), data.n_features), one)


def test_what_rounding_leaves_is_zero():
    # Every value of a meets every value of b and every class equally often.
    a, b, y = (np.tile(axis.ravel(), 11) for axis in np.indices((3, 5, 7)))
    pairs = Pairs(coded([a, b], y))
    assert pairs.relevance.tolist() == [0, 0]
    assert pairs.redundancy(0, np.array([1])).tolist() == [0]
    found = pairs.information(0, np.array([1]))
    assert found.redundancy.tolist() == found.conditional.tolist() == found.joint.tolist() == [0]


def test_terms_come_in_the_order_of_the_features_that_were_asked_for():
    columns, y = made(300, [2, 300, 4, 17, 3])
    pairs = Pairs(coded(columns, y))
    every = pairs.information(0, np.arange(5))
    some = pairs.information(0, np.array([4, 1, 3]))
    for term in TERMS:
        np.testing.assert_array_equal(getattr(some, term), getattr(every, term)[[4, 1, 3]])


def test_more_selected_features_than_are_kept_are_counted_again():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (80, pairs_module.MAX_TARGETS + 6))
    data = CodedData.from_codes(codes, rng.integers(0, 2, 80))
    pairs, features = Pairs(data), np.arange(data.n_features)
    first = [pairs.information(selected, features).redundancy for selected in features]
    assert len(pairs._targets) == pairs_module.MAX_TARGETS
    np.testing.assert_array_equal(pairs.information(0, features).redundancy, first[0])
    np.testing.assert_allclose(first, np.transpose(first), rtol=0, atol=1e-15)
