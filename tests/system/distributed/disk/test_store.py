"""A coded table on disk: what goes in comes out, and what is damaged is refused."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from deacs import DEACS, JMI, ReliefF, encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.distributed.disk.arrays import array_in, arrays_in
from deacs.exceptions import InputError
from tests.system.fuzz.stores import reseal, seal
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
    opened = CodedStore.open(tmp_path / "store")
    opened.verify()
    same_tables(opened.to_memory(), data)
    same_tables(opened.data, data)
    assert opened.n_rows == data.n_rows
    assert opened.nbytes == sum(block.codes.nbytes for block in data.blocks)


@given(table=coded_tables())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_a_selector_takes_a_store_as_it_is(store):
    selected = DEACS.published(2).fit(store)
    assert selected.ranking_.tolist() == DEACS.published(2).fit(_mixed()).ranking_.tolist()
    assert selected.classes_.tolist() == ["no", "perhaps", "yes"]
    assert isinstance(store.engine, OutOfCoreEngine)
    assert "700 rows, 7 features, 3 classes" in repr(store)


def test_another_process_opens_the_store_for_itself(store):
    sent = pickle.dumps(store)
    assert len(sent) < 1000
    same_tables(pickle.loads(sent).to_memory(), store.to_memory())


def test_only_coded_data_is_written(store, tmp_path):
    for other in (store, [[0, 1]]):
        with pytest.raises(InputError, match=r"must be CodedData, got (CodedStore|list); make"):
            CodedStore.write(other, tmp_path / "other")


def test_a_store_is_not_overwritten_unasked(store):
    with pytest.raises(InputError, match="exists already"):
        CodedStore.write(_mixed(), store.path)
    assert CodedStore.write(_mixed(), store.path, overwrite=True).n_rows == 700


def test_only_a_store_is_ever_replaced(tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(InputError, match="not a coded store"):
        CodedStore.write(_mixed(), tmp_path, overwrite=True)
    assert (tmp_path / "letters.txt").read_text() == "dear"


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
    ],
)
def test_a_changed_column_is_found_when_it_is_first_read(store, name, place, message):
    _flip(store.path / name, place)
    opened = CodedStore.open(store.path)
    assert opened.checked([0, 2]).n_rows == 700
    for read in (
        opened.verify,
        opened.to_memory,
        lambda: opened.data,
        lambda: DEACS.published(2).fit(opened),
        lambda: DEACS.published(2, engine=OutOfCoreEngine(columns_at_once=1)).fit(opened),
        lambda: JMI(2, engine=OutOfCoreEngine(columns_at_once=1)).fit(opened),
    ):
        with pytest.raises(InputError, match=f"the store is damaged: {message}"):
            read()


@pytest.mark.parametrize("name", ["labels.npy", "weights.npy"])
def test_changed_labels_and_weights_are_found_when_the_store_is_opened(name, tmp_path):
    store = CodedStore.write(_mixed(sample_weight=np.arange(700) % 5 + 1), tmp_path / "store")
    _flip(store.path / name, -8)
    with pytest.raises(InputError, match=f"the store is damaged: {name} has changed"):
        CodedStore.open(store.path)


def test_checksums_are_not_compared_on_a_disk_that_is_trusted(store):
    labels = store.data.labels.copy()
    _flip(store.path / "labels.npy", 128 + 4 * int(np.flatnonzero(labels < 2)[0]))
    trusted = CodedStore.open(store.path, verify=False)
    assert (trusted.data.labels != labels).sum() == 1
    assert (pickle.loads(pickle.dumps(trusted)).data.labels == trusted.data.labels).all()
    with pytest.raises(InputError, match="has changed"):
        trusted.verify()


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("codes-1.bin", np.full(700, 3, np.uint8), "column 'text': .* below its 3 values, got 3"),
        ("codes-2.bin", np.full(700, 65_535, "<u2"), "column 'many': .* below its 300 values"),
        ("labels.npy", np.full(700, 3, np.int32), "labels must lie between 0 and 2"),
        ("labels.npy", np.full(700, -1, np.int32), "labels must lie between 0 and 2 .*got -1"),
        ("labels.npy", np.zeros(699, np.int32), r"its shape is \(699,\) instead of \(700,\)"),
        ("labels.npy", np.zeros(700, np.int64), "array of int32"),
        ("weights.npy", np.full(700, -1), "weights must be at least 0, got -1"),
        ("weights.npy", np.full(700, 1 << 60), "weights must have a sum between"),
    ],
)
def test_what_kernels_cannot_count_is_refused_whatever_its_checksum(
    store, name, values, message, verify
):
    if name.endswith(".npy"):
        np.save(store.path / name, values)
    else:
        raw = (store.path / name).read_bytes()
        (store.path / name).write_bytes(values.tobytes() + raw[values.nbytes :])
    reseal(store.path)
    with pytest.raises(InputError, match=f"the store is damaged: .*{message}"):
        DEACS.published(2).fit(CodedStore.open(store.path, verify=verify))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("widths", np.full(7, 3, np.uint8), "codes"),
        ("widths", np.full(7, 2, np.uint8), "codes"),
        ("widths", np.ones(7), "float64 of shape"),
        ("ignored", np.full(7, 9), "ignored must be -1 or one of the feature's codes"),
        ("n_values", np.full(7, 1 << 50), "describes"),
        ("has_missing", np.ones(6, bool), "does not describe the features"),
        ("values_length", np.full(7, -1), "-1 values"),
        ("values_type", np.full(7, 9, np.int32), "features.npz"),
        ("names", np.frombuffer(b"[" * 90_000, np.uint8), "recursion"),
        ("names", np.frombuffer(b'["a"]', np.uint8), "there are not 7 names"),
        ("names", np.frombuffer(b"{}", np.uint8), "text is not a list"),
        ("values_0", np.frombuffer(b'[["a"], "b", "c"]', np.uint8), "neither text nor a number"),
        ("values_0", np.frombuffer(b'["a", "b"]', np.uint8), "do not add up"),
        ("names", None, "'names'"),
    ],
)
def test_a_catalogue_that_does_not_fit_together_is_refused(store, name, array, message):
    with np.load(store.path / "features.npz") as found:
        arrays = dict(found)
    if array is None:
        del arrays[name]
    else:
        arrays[name] = array
    np.savez(store.path / "features.npz", **arrays)
    reseal(store.path)
    with pytest.raises(InputError, match=f"the store is damaged: .*{message}"):
        CodedStore.open(store.path).to_memory()


def test_a_packed_catalogue_is_refused_before_it_is_unpacked(store):
    np.savez_compressed(store.path / "features.npz", names=np.zeros(10**7))
    with pytest.raises(InputError, match="its arrays are compressed"):
        arrays_in((store.path / "features.npz").read_bytes())


def test_an_array_is_not_allocated_on_the_word_of_its_header(store):
    raw = (store.path / "labels.npy").read_bytes()
    claimed = f"({10**12},), }}".encode()
    with pytest.raises(InputError, match="does not take its 2,800 bytes"):
        array_in(raw.replace(b"(700,), }".ljust(len(claimed)), claimed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_rows": 350}, "codes"),
        ({"n_rows": 0}, "says that n_rows is 0"),
        ({"n_rows": True}, "says that n_rows is True"),
        ({"n_features": 6}, "does not describe the features"),
        ({"n_classes": 2}, "3 classes instead of 2"),
        ({"target": 5}, "a target that is not text"),
        ({"sizes": {"../letters.txt": 4}}, "does not list the files"),
        ({"checks": {}}, "does not list the checksums"),
        ({"more": 1}, "has the entries"),
        ({"format": "something else"}, "is not what was written"),
    ],
)
def test_a_manifest_with_a_checksum_that_fits_is_still_read_with_care(store, changed, message):
    manifest = json.loads((store.path / "manifest.json").read_text())
    del manifest["check"]
    seal(store.path, manifest | changed)
    with pytest.raises(InputError, match=f"the store is damaged: .*{message}"):
        CodedStore.open(store.path)


def test_a_store_of_another_version_is_refused_by_its_version(store):
    manifest = json.loads((store.path / "manifest.json").read_text())
    del manifest["check"]
    seal(store.path, manifest | {"version": 1})
    with pytest.raises(
        InputError, match="a coded store of version 1, and this deacs reads version 2"
    ):
        CodedStore.open(store.path)


def test_a_changed_manifest_is_refused(store):
    place = store.path / "manifest.json"
    manifest = json.loads(place.read_text())
    place.write_text(json.dumps({**manifest, "n_rows": 699}))
    with pytest.raises(InputError, match="is not what was written"):
        CodedStore.open(store.path)
    for text in ("{", "[]", '{"check":' + "[" * 90_000):
        place.write_text(text)
        with pytest.raises(InputError, match=r"the store is damaged: .* is not what was written"):
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
