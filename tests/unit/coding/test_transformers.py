"""What all discretisers share: kinds of tables, output, names, weights, threads, metadata."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.datasets import load_iris, load_wine
from sklearn.pipeline import make_pipeline

from deacs import MDLP, EqualFrequency, EqualWidth
from deacs.coding import DISCRETIZERS
from deacs.coding.cuts import interval_labels
from deacs.exceptions import InputError
from deacs.tables import read_columns, read_labels
from deacs.tables.weights import read_weights

ALL = {"mdlp": MDLP(), "equal-width": EqualWidth(), "equal-frequency": EqualFrequency()}
every = pytest.mark.parametrize("discretizer", ALL.values(), ids=ALL)

X, Y = load_iris(return_X_y=True)
NAMES = ["a", "b", "c", "d"]
TABLES = {
    "pandas": lambda: pd.DataFrame(X, columns=NAMES),
    "polars": lambda: pl.DataFrame(X, schema=NAMES),
    "polars lazy": lambda: pl.LazyFrame(X, schema=NAMES),
    "pyarrow": lambda: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "csr": lambda: sp.csr_array(X),
    "csc": lambda: sp.csc_matrix(X),
    "fortran": lambda: np.asfortranarray(X),
    "big-endian": lambda: X.astype(">f8"),
    "masked": lambda: np.ma.array(X),
}


@every
@pytest.mark.parametrize("make", TABLES.values(), ids=TABLES)
def test_every_kind_of_table_is_cut_and_coded_alike(discretizer, make):
    expected = discretizer.fit(X, Y)
    cuts, codes = [c.tolist() for c in expected.cut_points_], expected.transform(X)
    table = make()
    assert [c.tolist() for c in discretizer.fit(table, Y).cut_points_] == cuts
    np.testing.assert_array_equal(discretizer.transform(table), codes)


@every
def test_the_registry_finds_the_same_cuts_without_an_estimator(discretizer):
    [name] = [name for name, other in ALL.items() if other is discretizer]
    weights = np.random.default_rng(0).random(len(Y))
    columns, labels = read_columns(X).columns, read_labels(Y, len(Y))
    found = DISCRETIZERS[name](columns, labels, weights=read_weights(weights, len(Y)), n_jobs=2)
    expected = discretizer.fit(X, Y, sample_weight=weights).cut_points_
    assert [c.tolist() for c in found] == [c.tolist() for c in expected]
    assert sorted(DISCRETIZERS) == sorted([*ALL, "auto"])


@every
def test_labels_name_the_interval_that_the_code_numbers(discretizer):
    table = X.copy()
    table[3, 1] = np.nan
    codes = discretizer.set_params(output="codes").fit(table, Y).transform(table)
    names = discretizer.set_params(output="labels").transform(table)
    discretizer.set_params(output="codes")
    assert np.isnan(names[3, 1])
    for j, cuts in enumerate(discretizer.cut_points_):
        expected = interval_labels(cuts)
        assert len(set(expected)) == discretizer.n_bins_[j]
        there = ~np.isnan(codes[:, j])
        assert names[there, j].tolist() == [expected[int(k)] for k in codes[there, j]]


@every
@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("output", ["codes", "labels"])
def test_output_may_be_a_frame_with_the_same_names(discretizer, library, output):
    frame = library.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)})
    own = type(discretizer)(output=output).set_output(transform=library.__name__)
    out = own.fit(frame, Y).transform(frame)
    assert isinstance(out, library.DataFrame)
    assert list(out.columns) == NAMES == own.get_feature_names_out().tolist()


@every
def test_a_frame_of_another_library_may_be_transformed_and_wrong_names_may_not(discretizer):
    discretizer.fit(TABLES["pandas"](), Y)
    np.testing.assert_array_equal(
        discretizer.transform(TABLES["polars"]()), discretizer.transform(TABLES["pandas"]())
    )
    for wrong in (["b", "a", "c", "d"], ["a", "b", "c", "e"]):
        with pytest.raises(ValueError, match="feature names should match"):
            discretizer.transform(pd.DataFrame(X, columns=wrong))


@every
def test_values_never_seen_lie_in_the_outer_intervals(discretizer):
    codes = discretizer.fit(X, Y).transform([[-np.inf] * 4, [-1e9] * 4, [1e9] * 4, [np.inf] * 4])
    top = (discretizer.n_bins_ - 1).tolist()
    assert codes.tolist() == [[0] * 4, [0] * 4, top, top]


@every
@pytest.mark.usefixtures("work_is_shared")
def test_threads_change_nothing(discretizer):
    X, y = load_wine(return_X_y=True)
    one = discretizer.set_params(n_jobs=None).fit(X, y)
    cuts, codes = [c.tolist() for c in one.cut_points_], one.transform(X)
    many = discretizer.set_params(n_jobs=3).fit(X, y)
    assert [c.tolist() for c in many.cut_points_] == cuts
    np.testing.assert_array_equal(many.transform(X), codes)
    discretizer.set_params(n_jobs=None)


@every
def test_weights_are_routed_through_a_pipeline(discretizer):
    weights = np.random.default_rng(0).integers(0, 3, len(Y))
    with config_context(enable_metadata_routing=True):
        own = type(discretizer)().set_fit_request(sample_weight=True)
        routed = make_pipeline(own).fit(X, Y, sample_weight=weights)[0]
    expected = discretizer.fit(X, Y, sample_weight=weights).cut_points_
    assert [c.tolist() for c in routed.cut_points_] == [c.tolist() for c in expected]


@every
def test_text_is_refused_by_name(discretizer):
    frame = pl.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(InputError, match="'colour' holds text such as 'blue'"):
        discretizer.fit(frame, [0, 1])


def test_intervals_get_digits_until_they_differ():
    close = np.array([0.1, np.nextafter(0.1, 1)])
    assert interval_labels(np.array([])) == ["(-inf, inf)"]
    assert interval_labels(np.array([1 / 3])) == ["(-inf, 0.333333]", "(0.333333, inf)"]
    assert len(set(interval_labels(close))) == 3
