"""Discretisers by name: their facts, and one that comes from outside."""

import numpy as np
import pytest

from deacs import DEACS, OneHotCodes, encode
from deacs.coding import DISCRETIZERS, Discretizer, register_discretizer
from deacs.coding.new_rows import code_new_rows
from deacs.exceptions import InputError


def at_median(columns, labels, n_jobs=None, weights=None):
    return [np.array([np.nanmedian(column.floats())]) for column in columns]


@pytest.fixture
def median():
    toy = register_discretizer(Discretizer("median", "At the median", at_median))
    yield toy
    del DISCRETIZERS[toy.name]


X = np.arange(40.0).reshape(-1, 1) * [1, -1]
Y = (np.arange(40) > 19).astype(int)


def test_a_discretiser_from_outside_codes_tables_and_new_rows(median):
    data = encode(X, Y, discretizer="median")
    assert data.column(0).tolist() == Y.tolist()
    assert not data.features[0].by_classes
    assert code_new_rows(data, [[50.0, 0.0]], [0]).tolist() == [[1]]


def test_a_discretiser_from_outside_serves_every_estimator(median):
    assert DEACS(1, discretizer="median").fit(X, Y).get_support().tolist() == [True, False]
    assert OneHotCodes(discretizer="median").fit(X, Y).transform(X).shape == (40, 4)


def test_names_are_not_taken_twice():
    with pytest.raises(InputError, match="'mdlp' again"):
        register_discretizer(Discretizer("mdlp", "Another", at_median))


def test_an_unknown_name_lists_the_known_ones(median):
    with pytest.raises(
        InputError, match=r"equal-width, equal-frequency, auto, median, .* 'mdl'"
    ) as e:
        encode(X, Y, discretizer="mdl")
    assert e.value.parameter == "discretizer"
    assert e.value.accepted == tuple(DISCRETIZERS)


def test_each_says_whether_it_looks_at_the_classes():
    assert {d.name for d in DISCRETIZERS.values() if d.needs_classes} == {"mdlp", "auto"}
    assert all(d.title for d in DISCRETIZERS.values())
