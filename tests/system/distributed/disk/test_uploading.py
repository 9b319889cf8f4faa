"""Stores behind addresses: there when they are whole, whatever stops their writers and readers."""

import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import fsspec
import numpy as np
import pytest
from typer.testing import CliRunner

from deacs import DEACS
from deacs.cli.app import app
from deacs.coding import CodedData
from deacs.distributed import CodedStore, OutOfCoreEngine, encode_files
from deacs.distributed.disk.uploading import UploadedStore
from deacs.exceptions import InputError, StorageError
from deacs.storage import Remote
from tests.system.s3_server import BUCKET, Proxy, forget_connections, s3


def _data(value=0, n_rows=50_000):
    codes = np.zeros((n_rows, 3), dtype=int)
    codes[0] = value, 1, 300  # codes of one and of two bytes
    return CodedData.from_codes(codes, np.arange(n_rows) % 2)


def _value(store):
    return int(store.data.column(0)[0])


@pytest.fixture(autouse=True)
def machine(monkeypatch, tmp_path):
    """A folder for temporary files that nothing else uses."""
    (tmp_path / "machine").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "machine"))
    return tmp_path / "machine"


@pytest.fixture
def s3_place(tmp_path):
    s3()
    forget_connections()
    yield f"s3://{BUCKET}/{tmp_path.name}/store"
    forget_connections()


@pytest.fixture(params=["s3", "memory", "file"])
def place(request, tmp_path):
    if request.param == "s3":
        return request.getfixturevalue("s3_place")
    return f"{request.param}://{tmp_path}/store"


def _names(place):
    return Remote(place).names()


def test_a_store_comes_back_as_it_was_written(place, machine):
    written = CodedStore.write(_data(7), place)
    opened = CodedStore.open(place)
    for store in (written, opened):
        assert _value(store) == 7
        assert store.data.column(2)[0] == 300
    assert str(opened.path) == place
    assert [re.sub("[0-9a-f]{16}$", "", name) for name in _names(place)] == [
        "files-",
        "manifest.json",
    ]
    assert not [path for path in machine.rglob("*") if path.is_file()]


def test_a_store_that_is_there_gives_way_only_if_it_may(place):
    first = CodedStore.write(_data(1), place)
    with pytest.raises(InputError, match=r"exists already; .*overwrite=True replaces it"):
        CodedStore.write(_data(2), place)
    assert _value(CodedStore.open(place)) == 1
    assert _value(CodedStore.write(_data(2), place, overwrite=True)) == 2
    assert len(_names(place)) == 2
    with pytest.raises(InputError, match=r"codes-1\.bin does not exist"):
        _value(first)


def test_nothing_but_a_store_is_replaced(place):
    files, path = fsspec.core.url_to_fs(place)
    files.makedirs(path, exist_ok=True)
    files.pipe_file(f"{path}/notes.txt", b"mine")
    with pytest.raises(InputError, match=r"exists already; .*it is not a coded store"):
        CodedStore.write(_data(), place, overwrite=True)
    files.pipe_file(f"{path}.csv", b"mine")
    with pytest.raises(InputError, match=r"exists already; .*it is not a coded store"):
        CodedStore.write(_data(), f"{place}.csv", overwrite=True)
    assert files.cat_file(f"{path}/notes.txt") == b"mine"


def test_a_store_copied_by_hand_opens_there_and_here(tmp_path, s3_place):
    CodedStore.write(_data(4), tmp_path / "store")
    files, path = fsspec.core.url_to_fs(s3_place)
    for file in (tmp_path / "store").iterdir():
        files.put_file(str(file), f"{path}/{file.name}")
    assert _value(CodedStore.open(s3_place)) == 4
    assert _value(CodedStore.write(_data(5), s3_place, overwrite=True)) == 5
    assert len(_names(s3_place)) == 2
    files.get(path, str(tmp_path / "copied"), recursive=True)
    assert _value(CodedStore.open(tmp_path / "copied")) == 5


def test_only_columns_that_are_counted_are_fetched(s3_place, monkeypatch):
    CodedStore.write(_data(), s3_place)
    asked = []
    read = Remote.read

    def counted(self, begin, end):
        asked.append((self.name, begin, end))
        return read(self, begin, end)

    monkeypatch.setattr(Remote, "read", counted)
    store = CodedStore.open(s3_place)
    assert not [name for name, _, _ in asked if name.startswith("codes")]
    asked.clear()
    for _ in range(2):
        store.checked([1])
    assert asked == [("codes-1.bin", 50_000, 100_000)]


def test_what_changed_in_the_storage_is_refused(place):
    store = CodedStore.write(_data(), place)
    files, path = fsspec.core.url_to_fs(place)
    [codes] = files.glob(f"{path}/files-*/codes-1.bin")
    raw = bytearray(files.cat_file(codes))
    raw[60_000] ^= 1
    files.pipe_file(codes, bytes(raw))
    with pytest.raises(InputError, match=r"the codes of column 'x1' have changed"):
        DEACS.published(1).fit(CodedStore.open(place))
    with pytest.raises(InputError, match=r"the codes of column 'x1' have changed"):
        store.verify()
    files.pipe_file(codes, bytes(raw[:-1]))
    with pytest.raises(InputError, match=r"codes-1\.bin should have 100,000 bytes, but it has"):
        CodedStore.open(place)


def test_a_manifest_that_names_another_folder_is_refused(place):
    CodedStore.write(_data(), place)
    remote = Remote(f"{place}/manifest.json")
    forged = json.loads(remote.read_bytes())
    del forged["check"]
    for folder in ("../secrets", "files-0", "", 7):
        forged["folder"] = folder
        check = zlib.crc32(json.dumps(forged, sort_keys=True).encode())
        remote.write_bytes(json.dumps(forged | {"check": check}).encode())
        with pytest.raises(InputError, match=r"manifest\.json names the folder"):
            CodedStore.open(place)


WRITE = """
import sys
import numpy as np
from deacs.coding import CodedData
from deacs.distributed import CodedStore
codes = np.zeros((50_000, 3), dtype=int)
codes[0] = int(sys.argv[2]), 1, 300
data = CodedData.from_codes(codes, np.arange(50_000) % 2)
CodedStore.write(data, sys.argv[1], overwrite=sys.argv[3] == "True")
"""


def _killed_in_the_middle(place, machine, hold, value=1, overwrite=False):
    """Write a store in a process that is killed while a file is on its way."""
    proxy = Proxy(s3(), hold=hold)
    environment = os.environ | {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}",
        "TMPDIR": str(machine),
    }
    command = [sys.executable, "-c", WRITE, place, str(value), str(overwrite)]
    with subprocess.Popen(command, env=environment) as process:
        assert proxy.held.wait(120)
        process.kill()
    proxy.close()


MOMENTS = [b"codes-1.bin", b"labels.npy", b"manifest.json"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_a_killed_writer_left_is_named_and_removed_if_it_may_be(s3_place, machine, moment):
    _killed_in_the_middle(s3_place, machine, moment)
    [left] = _names(s3_place)
    with pytest.raises(InputError, match=r"store is not finished: .*overwrite=True"):
        CodedStore.open(s3_place)
    with pytest.raises(InputError, match=rf"{left} \((begun .* UTC on |start unk).*overwrite=True"):
        CodedStore.write(_data(2), s3_place)
    assert _names(s3_place) == [left]
    assert _value(CodedStore.write(_data(2), s3_place, overwrite=True)) == 2
    assert len(_names(s3_place)) == 2
    assert left not in _names(s3_place)


def test_files_of_others_in_a_folder_of_a_store_are_not_removed(place):
    CodedStore.write(_data(1), place)
    [run] = [name for name in _names(place) if name.startswith("files-")]
    (Remote(place) / run / "thesis.txt").write_bytes(b"mine")
    with pytest.raises(InputError, match=rf"not just a coded store: see {run}/thesis\.txt"):
        CodedStore.write(_data(2), place, overwrite=True)
    assert (Remote(place) / run / "thesis.txt").read_bytes() == b"mine"
    assert _value(CodedStore.open(place)) == 1


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_store_stays_whole_while_another_is_on_its_way(s3_place, machine, moment):
    CodedStore.write(_data(1), s3_place)
    _killed_in_the_middle(s3_place, machine, moment, value=2, overwrite=True)
    assert _value(CodedStore.open(s3_place)) == 1
    assert len(_names(s3_place)) == 3
    assert _value(CodedStore.write(_data(3), s3_place, overwrite=True)) == 3
    assert len(_names(s3_place)) == 2


def test_a_second_writer_is_refused(place):
    with (
        UploadedStore(Remote(place), overwrite=False),
        pytest.raises(InputError, match=r"store is being made by another process"),
    ):
        CodedStore.write(_data(), place)


def test_of_two_writers_that_may_overwrite_the_last_manifest_wins(place, monkeypatch):
    move = UploadedStore._move

    def after_another(self):
        monkeypatch.setattr(UploadedStore, "_move", move)
        CodedStore.write(_data(2), place, overwrite=True)
        move(self)

    monkeypatch.setattr(UploadedStore, "_move", after_another)
    assert _value(CodedStore.write(_data(1), place, overwrite=True)) == 1
    assert len(_names(place)) == 2


def test_a_writer_whose_files_were_removed_says_so(place, monkeypatch):
    put = Remote.put

    def put_and_lose(self, path):
        put(self, path)
        if path.name == "labels.npy":
            self.remove()

    monkeypatch.setattr(Remote, "put", put_and_lose)
    with pytest.raises(StorageError, match=r"labels\.npy did not arrive whole, or was removed"):
        CodedStore.write(_data(), place)
    with pytest.raises(InputError, match="is not a coded store"):
        CodedStore.open(place)
    assert _names(place) == []


def test_what_cannot_be_coded_leaves_nothing(place, machine, tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,u\n2,u\n")
    with pytest.raises(InputError, match="at least two classes"):
        encode_files(tmp_path / "t.csv", "y", place)
    assert _names(place) == []
    assert not [path for path in machine.rglob("*") if path.is_file()]


def test_a_bucket_that_is_not_there_is_said_before_any_work(s3_place):
    with pytest.raises(InputError, match=r"s3://none/store does not exist: .*bucket"):
        CodedStore.write(_data(), "s3://none/store")
    for place in ("s3://none", f"{s3_place}-*/store", f"{s3_place}-[ab]"):
        with pytest.raises(InputError, match=r"is no place for a store; name one folder"):
            CodedStore.write(_data(), place)


@pytest.mark.parametrize("cuts", [2, 1000])
def test_a_read_of_columns_that_breaks_off_is_begun_again_or_an_error(s3_place, monkeypatch, cuts):
    CodedStore.write(_data(3), s3_place)
    proxy = Proxy(s3(), cuts=0)
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
    forget_connections()
    store = CodedStore.open(s3_place)
    proxy.cuts = cuts
    if cuts == 2:
        assert _value(store) == 3
        assert proxy.cuts == 0
    else:
        with pytest.raises(StorageError, match=r"codes-1\.bin could not be read: "):
            _value(store)
        proxy.cuts = 0
        assert _value(store) == 3
    proxy.close()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_behind_addresses_become_a_store_behind_an_address(s3_place, tmp_path, suffix):
    import polars as pl

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    frame = pl.DataFrame({"a": y + rng.integers(0, 2, 600), "b": rng.random(600), "y": y})
    addresses, paths = [], []
    for k in range(2):
        path = tmp_path / f"part-{k}.{suffix}"
        part = frame[300 * k : 300 * (k + 1)]
        (part.write_csv if suffix == "csv" else part.write_parquet)(path)
        addresses.append(f"{s3_place}-{path.name}")
        Remote(addresses[-1]).put(path)
        paths.append(path)
    store = encode_files(addresses, "y", s3_place)
    here = encode_files(paths, "y", tmp_path / "here")
    assert store.target == "y"
    for j in range(2):
        assert store.data.column(j).tobytes() == here.data.column(j).tobytes()
    fitted = [
        DEACS.published(2, engine=OutOfCoreEngine(columns_at_once=1)).fit(each)
        for each in (store, here)
    ]
    assert fitted[0].scores_.tobytes() == fitted[1].scores_.tobytes()


def test_the_command_line_codes_and_selects_behind_addresses(s3_place, tmp_path):
    rows = "".join(f"{k % 2},{k % 3},{'uv'[k % 2]}\n" for k in range(60))
    Remote(f"{s3_place}.csv").write_bytes(f"a,b,y\n{rows}".encode())

    def deacs(*arguments):
        done = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
        assert done.exit_code == 0, done.output
        return done.stdout

    out = deacs("encode", f"{s3_place}.csv", "--target", "y", "--out", s3_place)
    assert f"Wrote {s3_place}: 60 rows, 2 features, 2 classes" in out
    assert f"Next: deacs select {s3_place}\n" in out
    assert "a" in deacs("select", s3_place, "-k", "1", "--published")


def test_a_remote_store_is_opened_again_by_another_process(place):
    import pickle

    store = CodedStore.write(_data(6, 20), place)
    again = pickle.loads(pickle.dumps(store))
    assert str(again.path) == place
    assert _value(again) == 6
    assert Path(place) != again.path
