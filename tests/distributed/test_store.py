"""A coded table on disk: what goes in comes out, and what is damaged is refused."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from deacs import DEACS, ReliefF, encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.exceptions import InputError
from tests.tables_of_codes import coded_tables


def same_tables(one, other):
    """Assert that two coded tables agree in everything, types included."""
    assert one.classes.dtype == other.classes.dtype
    assert one.classes.tolist() == other.classes.tolist()
    assert one.feature_names == other.feature_names
    assert one.is_named == other.is_named
    assert one.labels.dtype == other.labels.dtype
    assert one.labels.tobytes() == other.labels.tobytes()
    assert (one.weights is None) == (other.weights is None)
    if one.weights is not None:
        assert one.weights.tobytes() == other.weights.tobytes()
    for mine, its in zip(one.features, other.features, strict=True):
        for name in ("kind", "n_values", "has_missing", "by_classes"):
            assert getattr(mine, name) == getattr(its, name)
        assert mine.values.dtype == its.values.dtype
        assert mine.values.tolist() == its.values.tolist()
        assert [type(v) for v in mine.values.tolist()] == [type(v) for v in its.values.tolist()]
    assert len(one.blocks) == len(other.blocks)
    for mine, its in zip(one.blocks, other.blocks, strict=True):
        assert mine.codes.dtype == its.codes.dtype
        for name in ("features", "codes", "n_values", "ignored"):
            assert getattr(mine, name).tobytes() == getattr(its, name).tobytes()


def _mixed(n_rows=700, **how):
    """Every kind of column and every width but the widest."""
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes", "perhaps"], n_rows)
    frame = pd.DataFrame(
        {
            "text": rng.choice(["ä", "b, c", '"'], n_rows),
            "number": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(size=n_rows)),
            "small": rng.integers(-3, 3, n_rows).astype(np.int8),
            "flag": rng.random(n_rows) < 0.5,
            "many": [f"v{k % 300}" for k in range(n_rows)],
            "whole": pd.Categorical(rng.integers(0, 4, n_rows)),
            "cut": (y == "no") * 3 + rng.normal(size=n_rows),
        }
    )
    return encode(frame, y, **how)


@pytest.fixture
def store(tmp_path):
    return CodedStore.write(_mixed(), tmp_path / "store")


@pytest.mark.parametrize(
    "how",
    [{}, {"missing": "ignore"}, {"sample_weight": np.arange(700) % 5 + 1}],
    ids=["plain", "ignoring missing", "weighted"],
)
def test_what_is_written_comes_back(how, tmp_path):
    data = _mixed(**how)
    CodedStore.write(data, tmp_path / "store")
    opened = CodedStore.open(tmp_path / "store", verify=True)
    same_tables(opened.to_memory(), data)
    same_tables(opened.data, data)
    assert opened.n_rows == data.n_rows
    assert opened.nbytes == sum(block.codes.nbytes for block in data.blocks)


@given(table=coded_tables())
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_of_codes_comes_back(table, tmp_path):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y)
    same_tables(CodedStore.write(data, tmp_path / "store", overwrite=True).to_memory(), data)


def test_wide_codes_come_back(tmp_path):
    codes = np.array([[0, 300, 70_000], [1, 0, 1], [0, 5, 69_999]])
    data = CodedData.from_codes(codes, [0, 1, 0])
    store = CodedStore.write(data, tmp_path / "store", overwrite=True)
    assert [block.codes.itemsize for block in store.data.blocks] == [1, 2, 4]
    same_tables(store.to_memory(), data)


def test_a_selector_takes_a_store_as_it_is(store):
    selected = DEACS(2).fit(store)
    assert selected.ranking_.tolist() == DEACS(2).fit(_mixed()).ranking_.tolist()
    assert selected.classes_.tolist() == ["no", "perhaps", "yes"]
    assert isinstance(store.engine, OutOfCoreEngine)
    assert "700 rows, 7 features, 3 classes" in repr(store)


def test_another_process_opens_the_store_for_itself(store):
    sent = pickle.dumps(store)
    assert len(sent) < 1000
    same_tables(pickle.loads(sent).to_memory(), store.to_memory())


def test_a_store_is_not_overwritten_unasked(store):
    with pytest.raises(InputError, match="is there already"):
        CodedStore.write(_mixed(), store.path)
    assert CodedStore.write(_mixed(), store.path, overwrite=True).n_rows == 700


def test_only_a_store_is_ever_replaced(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(InputError, match="not a coded store"):
        CodedStore.write(_mixed(), tmp_path, overwrite=True)
    assert (tmp_path / "letters.txt").read_text() == "dear"


def test_a_half_written_store_is_never_opened(tmp_path, monkeypatch):
    def power_cut(self, path):
        raise KeyboardInterrupt

    monkeypatch.setattr("deacs.distributed.disk.catalogue.Catalogue.save", power_cut)
    with pytest.raises(KeyboardInterrupt):
        CodedStore.write(_mixed(), tmp_path / "store")
    with pytest.raises(InputError, match="is not finished"):
        CodedStore.open(tmp_path / "store")
    monkeypatch.undo()
    assert CodedStore.write(_mixed(), tmp_path / "store").n_rows == 700


def test_a_folder_that_is_no_store_is_named(tmp_path):
    with pytest.raises(InputError, match=r"not a coded store: it has no manifest\.json"):
        CodedStore.open(tmp_path)


@pytest.mark.parametrize("name", ["codes-1.bin", "labels.npy", "features.npz"])
def test_a_file_that_was_cut_off_is_refused_when_the_store_is_opened(store, name):
    raw = (store.path / name).read_bytes()
    (store.path / name).write_bytes(raw[:-1])
    with pytest.raises(InputError, match=f"{name} should have {len(raw):,} bytes"):
        CodedStore.open(store.path)
    (store.path / name).unlink()
    with pytest.raises(InputError, match="it is not there"):
        CodedStore.open(store.path)


def test_a_changed_catalogue_is_refused_when_the_store_is_opened(store):
    _flip(store.path / "features.npz", 400)
    with pytest.raises(InputError, match=r"features\.npz has changed"):
        CodedStore.open(store.path)


@pytest.mark.parametrize(
    ("name", "place", "message"),
    [
        ("codes-1.bin", 701, "the codes of column 'number' have changed"),
        ("codes-2.bin", 0, "the codes of column 'many' have changed"),
        ("labels.npy", -1, r"labels\.npy has changed"),
    ],
)
def test_a_changed_byte_is_found_on_demand(store, name, place, message):
    _flip(store.path / name, place)
    with pytest.raises(InputError, match=message):
        CodedStore.open(store.path).verify()
    with pytest.raises(InputError, match=message):
        CodedStore.open(store.path, verify=True)


def test_a_changed_manifest_and_another_version_are_refused(store):
    place = store.path / "manifest.json"
    manifest = json.loads(place.read_text())
    place.write_text(json.dumps({**manifest, "n_rows": 699}))
    with pytest.raises(InputError, match="is not what was written"):
        CodedStore.open(store.path)
    place.write_text("{")
    with pytest.raises(InputError, match="is not what was written"):
        CodedStore.open(store.path)


def test_values_that_have_no_text_are_refused(tmp_path):
    frame = pd.DataFrame({"when": pd.Categorical([pd.Timestamp(0), pd.Timestamp(1)] * 2)})
    data = encode(frame, [0, 1, 0, 1])
    with pytest.raises(InputError, match=r"'when' has the value .* which a store does not hold"):
        CodedStore.write(data, tmp_path / "store")


def _flip(path, place):
    raw = bytearray(path.read_bytes())
    raw[place] ^= 1
    path.write_bytes(raw)


def test_selectors_that_measure_distances_say_that_they_need_memory(tmp_path):
    store = CodedStore.write(encode([["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 1]), tmp_path / "store")
    with pytest.raises(InputError, match="ReliefF measures distances between rows in memory"):
        ReliefF().fit(store)
    assert ReliefF().fit(store.to_memory()).ranking_.tolist() == [0]
