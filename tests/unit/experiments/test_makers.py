"""Tables that are drawn, made up or filled."""

import numpy as np
import polars as pl

from deacs import DEACS, encode
from deacs.experiments import REGISTRY, dataset_from_table, load_dataset
from deacs.experiments import datasets as loading
from deacs.experiments.makers import filled, made_up, sample_of


def test_a_sample_has_rows_of_the_set_so_many_of_each_class_and_always_the_same():
    draw, wine = sample_of("wine", n_per_class=7, seed=3), load_dataset("wine")
    X, y = draw()
    assert np.unique(y, return_counts=True)[1].tolist() == [7, 7, 7]
    known = set(zip(wine.X.rows(), wine.classes[wine.labels], strict=True))
    drawn = list(zip(X.rows(), y.tolist(), strict=True))
    assert set(drawn) <= known
    again, _ = draw()
    assert again.equals(X)
    other, _ = sample_of("wine", n_per_class=7, seed=4)()
    assert not other.equals(X)


def test_columns_of_a_class_are_shifted_in_its_rows_and_noise_is_not():
    X, y = made_up(n_per_class=400, n_columns=8, n_per_signal=2, shift=2.0, seed=0)()
    means = np.array([X.to_numpy()[y == label].mean(axis=0) for label in "abc"])
    expected = np.zeros((3, 8))
    for i in range(3):
        expected[i, 2 * i : 2 * i + 2] = 2.0
    # A mean of 400 has a standard error of 0.05.
    np.testing.assert_allclose(means, expected, atol=0.25)
    assert X.columns == ["a0", "a1", "b0", "b1", "c0", "c1", "noise0", "noise1"]


def test_the_registry_s_made_table_ends_early_because_its_rows_are_told_apart():
    made = load_dataset("few-rows-made")
    assert (made.source, made.n_rows, made.n_features) == ("made", 60, 2000)
    data = encode(made.X, made.labels, discrete_features=made.discrete)
    selector = DEACS.published().fit(data)
    assert selector.stop_reason_ == "exhausted"
    assert len(selector.ranking_) < 10
    assert not selector.residual_[-1].any()
    assert (data.n_values > 1).sum() < 100  # nearly all noise is left in one interval


def test_gaps_are_filled_by_means_and_by_the_most_frequent_category(monkeypatch):
    X = pl.DataFrame({"size": [1.0, None, 5.0, 3.0], "colour": ["red", "blue", None, "red"]})
    holey = dataset_from_table("holey", X, ["a", "b", "a", "b"])
    monkeypatch.setattr(loading, "load_dataset", lambda name: holey)
    whole, y = filled("holey")()
    assert whole["size"].to_list() == [1.0, 3.0, 5.0, 3.0]
    assert whole["colour"].to_list() == ["red", "blue", "red", "red"]
    assert y.tolist() == ["a", "b", "a", "b"]


def test_other_readings_of_a_set_have_its_shape():
    for name, of in (("arrhythmia-filled", "arrhythmia"), ("dna-numeric", "dna")):
        reading, original = REGISTRY[name], REGISTRY[of]
        assert reading.n_rows == original.n_rows
        assert reading.n_features == original.n_features
        assert reading.n_classes == original.n_classes
