"""Data sets: from a folder, from scikit-learn, from a stub of OpenML; checked all the same."""

import gzip
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import polars as pl
import pytest
from reproduction import datasets as loading
from reproduction.datasets import (
    REGISTRY,
    DatasetInfo,
    dataset_from_table,
    filled,
    load_dataset,
    made_up,
    sample_of,
)
from sklearn.datasets import _openml, load_wine

from deacs import DEACS, encode
from deacs.exceptions import InputError
from tests.real_data import _folder as data_folder

ARFF = b"""@relation tiny
@attribute id {r1,r2,r3,r4}
@attribute colour {blue,red}
@attribute size numeric
@attribute stripes {0,3,5}
@attribute kind {yes,no}
@data
r1,red,1.5,0,yes
r2,blue,?,3,no
r3,?,2.5,5,no
r4,red,0.5,3,yes
"""


def tiny(**changes):
    given = {
        "name": "tiny", "n_rows": 4, "n_features": 3, "n_classes": 2, "openml_id": 7,
        "is_nominal": lambda column: column == "colour", "dropped": ("id",),
    }  # fmt: skip
    return DatasetInfo(**(given | changes))


@pytest.fixture
def openml(monkeypatch):
    """A server that answers as OpenML does; yields the paths that were asked for."""
    asked = []
    features = [
        {"index": str(j), "name": name, "data_type": kind, "is_ignore": "false",
         "number_of_missing_values": "0",
         "is_row_identifier": "false", "is_target": "true" if name == "kind" else "false"}
        for j, (name, kind) in enumerate(
            [("id", "nominal"), ("colour", "nominal"), ("size", "numeric"),
             ("stripes", "nominal"), ("kind", "nominal")]
        )
    ]  # fmt: skip

    class Stub(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            here = f"http://127.0.0.1:{self.server.server_port}"
            answers = {
                "/api/v1/json/data/7": {"data_set_description": {
                    "id": "7", "name": "tiny", "version": "1", "format": "ARFF", "file_id": "70",
                    "status": "active", "description": "four rows", "url": f"{here}/data/70",
                    "md5_checksum": hashlib.md5(ARFF).hexdigest()}},
                "/api/v1/json/data/features/7": {"data_features": {"feature": features}},
                "/api/v1/json/data/qualities/7": {"data_qualities": {"quality": [
                    {"name": "NumberOfInstances", "value": "4"}]}},
            }  # fmt: skip
            body = ARFF if self.path == "/data/70" else json.dumps(answers[self.path]).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Stub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    here = f"http://127.0.0.1:{server.server_port}/api/v1/json/data/"
    for name, path in (("INFO", ""), ("FEATURES", "features/"), ("QUALITIES", "qualities/")):
        monkeypatch.setattr(_openml, f"_DATA_{name}", here + path + "{}")
    monkeypatch.delenv("DEACS_DATA", raising=False)
    monkeypatch.setitem(REGISTRY, "tiny", tiny())
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_openml_gives_named_categories_and_numbers_as_the_registry_types_them(openml, tmp_path):
    dataset = load_dataset("tiny", data_home=str(tmp_path))
    assert dataset.source == "openml"
    assert dataset.X.columns == ["colour", "size", "stripes"]  # without the identifier
    assert dataset.X["colour"].to_list() == ["red", "blue", None, "red"]
    assert dataset.X["size"].to_list() == [1.5, None, 2.5, 0.5]
    assert dataset.X["stripes"].to_list() == [0.0, 3.0, 5.0, 3.0]
    assert dataset.discrete.tolist() == [True, False, False]
    assert dataset.classes[dataset.labels].tolist() == ["yes", "no", "no", "yes"]


def test_openml_is_asked_once_and_kept(openml, tmp_path):
    first = load_dataset("tiny", data_home=str(tmp_path))
    n_asked = len(openml)
    again = load_dataset("tiny", data_home=str(tmp_path))
    assert len(openml) == n_asked
    assert first.checksum == again.checksum


def test_rows_of_a_part_are_cut_out(openml, tmp_path, monkeypatch):
    monkeypatch.setitem(REGISTRY, "tiny", tiny(n_rows=3, rows=(-3, None)))
    dataset = load_dataset("tiny", data_home=str(tmp_path))
    assert dataset.X["size"].to_list() == [None, 2.5, 0.5]


def test_another_shape_is_refused(openml, tmp_path, monkeypatch):
    monkeypatch.setitem(REGISTRY, "tiny", tiny(n_features=5))
    with pytest.raises(InputError, match=r"must have 4 rows, 5 features and 2 classes, got 4, 3"):
        load_dataset("tiny", data_home=str(tmp_path))


def test_without_a_network_the_error_says_what_to_do(openml, tmp_path, monkeypatch):
    monkeypatch.setattr(_openml, "_DATA_INFO", "http://127.0.0.1:9/{}")  # nobody listens there
    monkeypatch.setattr(_openml.time, "sleep", lambda seconds: None)
    with (
        pytest.warns(UserWarning, match="A network error occurred"),  # scikit-learn tries again
        pytest.raises(InputError, match=r"put tiny.csv.gz into a folder, and set DEACS_DATA"),
    ):
        load_dataset("tiny", data_home=str(tmp_path))


def test_the_folder_comes_first(openml, tmp_path, monkeypatch):
    table = b"colour,size,stripes,class\nred,1,0,a\nblue,2,3,b\nred,3,5,b\nred,4,3,a\n"
    (tmp_path / "tiny.csv.gz").write_bytes(gzip.compress(table))
    monkeypatch.setenv("DEACS_DATA", str(tmp_path))
    dataset = load_dataset("tiny")
    assert dataset.source == "folder"
    assert dataset.discrete.tolist() == [True, False, False]
    assert openml == []


def test_other_contents_of_the_right_shape_are_told(tmp_path, monkeypatch):
    monkeypatch.setitem(REGISTRY, "tiny", tiny(sha256="0" * 64))
    (tmp_path / "tiny.csv").write_text(
        "colour,size,stripes,class\nr,1,0,a\nb,2,3,b\nr,3,5,b\nr,4,3,a\n"
    )
    monkeypatch.setenv("DEACS_DATA", str(tmp_path))
    with pytest.warns(UserWarning, match="is not the table that published numbers"):
        load_dataset("tiny")


def test_a_set_without_a_source_says_where_to_put_it(monkeypatch):
    monkeypatch.delenv("DEACS_DATA", raising=False)
    with pytest.raises(InputError, match=r"put gisette-standin-mnist4v9.csv.gz into one, and"):
        load_dataset("gisette-standin-mnist4v9")


def test_sets_of_scikit_learn_are_whole():
    wine, X = load_dataset("wine"), load_wine()
    np.testing.assert_array_equal(wine.X.to_numpy(), X.data)
    np.testing.assert_array_equal(wine.classes[wine.labels], X.target_names[X.target])


@pytest.mark.parametrize("change", ["value", "name", "class", "missing"])
def test_the_checksum_sees_every_change(change):
    X, y = pl.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["u", "v", "u"]}), ["k", "l", "l"]
    before = dataset_from_table("t", X, y).checksum
    if change == "value":
        X = X.with_columns(a=pl.Series([1.0, 2.0, 3.5]))
    elif change == "name":
        X = X.rename({"a": "c"})
    elif change == "class":
        y = ["k", "l", "k"]
    else:
        X = X.with_columns(a=pl.Series([1.0, None, 3.0]))
    assert dataset_from_table("t", X, y).checksum != before


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["flags", "flags-nominal", "kr-vs-kp", "splice", "arrhythmia"])
def test_real_sets_have_the_registry_s_checksums(name, monkeypatch):
    monkeypatch.setenv("DEACS_DATA", str(data_folder()))
    assert load_dataset(name).checksum == REGISTRY[name].sha256


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
    assert (made.source, *made.X.shape) == ("made", 60, 2000)
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
