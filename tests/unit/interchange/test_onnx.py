"""Fitted selectors and discretisers as ONNX: onnxruntime gives what `transform` gives."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import deacs
from deacs.coding.transformers import __all__ as TRANSFORMERS
from deacs.exceptions import InputError
from deacs.interchange import register_onnx_converters
from deacs.selection import SELECTORS
from tests.each import each

skl2onnx = pytest.importorskip("skl2onnx", reason="pip install 'deacs[onnx]' has the converters")
runtime = pytest.importorskip("onnxruntime", reason="pip install 'deacs[onnx]' has the runtime")

X, Y = load_wine(return_X_y=True)
TREE = LogisticRegression(max_iter=5_000)
GIVEN = {
    "DEACSCV": {"estimator": make_pipeline(StandardScaler(), TREE)},
    "SelectorCV": {"estimator": make_pipeline(StandardScaler(), TREE)},
    "DEASelector": {"n_features_to_select": 3},
}
pytestmark = [
    pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:skl2onnx|onnx"),
]


@pytest.fixture(autouse=True, scope="module")
def converters():
    register_onnx_converters()


def run(model, given):
    """Return what onnxruntime makes of the model, and the model's bytes."""
    converted = skl2onnx.to_onnx(model, given[:1]).SerializeToString()
    session = runtime.InferenceSession(converted, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: given})


@pytest.mark.parametrize("name", sorted({*SELECTORS} - {"OwnCriterion"}))
@each("kind", [np.float32, np.float64])
def test_selectors_keep_the_same_columns(name, kind):
    selector = getattr(deacs, name)(**GIVEN.get(name, {})).fit(X, Y)
    [out] = run(selector, X.astype(kind))
    assert out.dtype == kind
    np.testing.assert_array_equal(out, selector.transform(X.astype(kind)))


def with_hard_values(discretizer, kind):
    """Return rows that lie on cut points, right beside them, far outside, or are missing."""
    cuts = [c if len(c) else np.zeros(1) for c in discretizer.cut_points_]
    width = max(map(len, cuts))
    on = np.array([np.resize(c, width) for c in cuts]).T.astype(kind)
    beside = [np.nextafter(on, kind(sign * np.inf)) for sign in (-1, 1)]
    far = np.full((3, len(cuts)), [[np.inf], [-np.inf], [np.nan]], dtype=kind)
    return np.vstack([X.astype(kind), on, *beside, far])


@pytest.mark.parametrize("name", sorted(TRANSFORMERS))
@each("kind", [np.float32, np.float64])
def test_discretisers_give_the_same_intervals_also_at_the_cut_points(name, kind):
    discretizer = getattr(deacs, name)().fit(X, Y)
    assert max(discretizer.n_bins_) > 1
    given = with_hard_values(discretizer, kind)
    [out] = run(discretizer, given)
    np.testing.assert_array_equal(out, discretizer.transform(given))


def test_a_discretiser_without_any_cut_is_all_zeros():
    discretizer = deacs.MDLP().fit([[1.0], [1.0], [2.0], [2.0]], [0, 1, 0, 1])
    assert discretizer.n_bins_.tolist() == [1]
    [out] = run(discretizer, np.array([[1.0], [5.0], [np.nan]]))
    np.testing.assert_array_equal(out, [[0.0], [0.0], [np.nan]])


def test_a_whole_pipeline_predicts_the_same():
    model = make_pipeline(deacs.DEACS(3), deacs.MDLP(), LogisticRegression(max_iter=5_000))
    model.fit(X, Y)
    labels, _ = run(model, X.astype(np.float32))
    np.testing.assert_array_equal(labels, model.predict(X.astype(np.float32)))


def test_labels_of_intervals_are_refused_with_advice():
    discretizer = deacs.MDLP(output="labels").fit(X, Y)
    with pytest.raises(InputError, match=r"output must be 'codes' for ONNX, got 'labels'"):
        run(discretizer, X)
