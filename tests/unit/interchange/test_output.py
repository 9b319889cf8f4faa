"""scikit-learn's own ways around an estimator: containers of the output, metadata routing."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from deacs import CFS, DEACS, MDLP, MRMR, OneHotCodes, ReliefF
from deacs.exceptions import InputError
from tests.each import each

WINE = load_wine(as_frame=True)
FRAMES = {
    "pandas": WINE.data,
    "polars": pl.DataFrame(WINE.data.to_dict("list")),
    "arrow": pa.table(WINE.data.to_dict("list")),
    "arrays": WINE.data.to_numpy(),
}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@each("made", FRAMES)
@each("wanted", KINDS)
@pytest.mark.parametrize("estimator", [DEACS(3), MRMR(3), CFS(), ReliefF(3), MDLP(), OneHotCodes()])
def test_set_output_gives_the_frame_that_is_asked_for(estimator, wanted, made):
    fitted = sklearn.clone(estimator).set_output(transform=wanted).fit(FRAMES[made], WINE.target)
    out = fitted.transform(FRAMES[made])
    assert type(out) is KINDS[wanted]
    assert list(out.columns) == fitted.get_feature_names_out().tolist()
    plain = fitted.set_output(transform="default").transform(FRAMES[made])
    np.testing.assert_array_equal(np.asarray(out), np.asarray(plain))


MESSY = {
    "kind": ["a", "b", None, "a"] * 15,
    "size": [1.5, None, 2.5, 0.5] * 15,
    "count": [1, 2, None, 4] * 15,
    "noise": [float(k * 7 % 11) for k in range(60)],
}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("output", ["default", "pandas", "polars"])
def test_missing_values_and_text_are_put_back_in_their_columns(make, output):
    X, y = make(MESSY), [0, 1, 1, 0] * 15
    selector = DEACS.published(2, include=["kind", "size"]).set_output(transform=output).fit(X, y)
    whole = selector.inverse_transform(selector.transform(X))
    assert whole.shape == (60, 4)
    assert whole[:2, 0].tolist() == ["a", "b"]
    assert pd.isna(whole[2, 0])
    assert whole[[0, 2], 1].tolist() == [1.5, 2.5]
    assert pd.isna(whole[1, 1])
    assert (whole[:, 2:] == 0).all()
    with pytest.raises(InputError, match="X must have the 2 selected columns, got 4"):
        selector.inverse_transform(X)


def test_missing_values_of_arrays_and_sparse_matrices_are_put_back():
    X = np.array([[1.0, 0.0, np.nan], [0.0, 1.0, 2.0]] * 10)
    selector = DEACS.published(1, include=[2]).fit(X, [0, 1] * 10)
    expected = X * [0, 0, 1]
    np.testing.assert_array_equal(selector.inverse_transform(X[:, 2:]), expected)
    back = selector.inverse_transform(csr_array(X[:, 2:]))
    np.testing.assert_array_equal(back.toarray(), expected)


def test_sample_weights_are_routed_to_the_selector_inside_a_pipeline():
    rng = np.random.default_rng(0)
    informative, noise = rng.integers(0, 2, (2, 200))
    X = np.column_stack([informative, noise]).astype(float)
    y = np.where(np.arange(200) < 100, informative, noise)
    only_first = (np.arange(200) < 100).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        selector = DEACS(1).set_fit_request(sample_weight=True)
        tree = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(selector, tree)
        for weights, kept in ((only_first, 0), (1 - only_first, 1)):
            pipeline.fit(X, y, sample_weight=weights)
            assert pipeline[0].ranking_.tolist() == [kept]
        accuracy = make_scorer(accuracy_score).set_score_request(sample_weight=False)
        folds = cross_validate(
            pipeline,
            X,
            y,
            scoring=accuracy,
            params={"sample_weight": only_first},
            return_estimator=True,
        )
    assert [model[0].ranking_.tolist() for model in folds["estimator"]] == [[0]] * 5


@pytest.mark.parametrize("source", FRAMES)
def test_rows_stay_where_nothing_is_selected(source):
    X, y = FRAMES[source], np.arange(178) % 2
    selector = DEACS("auto").fit(X, y)
    assert selector.stop_reason_ == "not significant"
    with pytest.warns(UserWarning, match="No features? w"):
        assert selector.transform(X).shape == (178, 0)
    if source == "pandas":
        with pytest.warns(UserWarning, match="No feature was selected"):
            frame = selector.set_output(transform="pandas").transform(X[::-1])
        assert frame.shape == (178, 0)
        assert frame.index.tolist() == list(range(177, -1, -1))
