"""Stores change whole, and nothing that a writer did not make is touched."""

import json
import os
import threading
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore
from deacs.distributed.disk import unfinished
from deacs.exceptions import InputError, StorageError


def _data(value=0, n_rows=50):
    codes = np.full((n_rows, 1), value)
    return CodedData.from_codes(codes, np.arange(n_rows) % 2)


def _value(place):
    return int(CodedStore.open(place).data.column(0)[0])


def _contents(folder):
    """Every file below a folder with its bytes, links as links."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize("name", ["store.partial", "store.replaced", "store.unfinished"])
@pytest.mark.parametrize("is_refused", [False, True])
def test_folders_beside_a_store_are_of_others(name, is_refused, tmp_path):
    (tmp_path / name / "store").mkdir(parents=True)
    for place in ("thesis.txt", "lock", "store/labels.npy"):
        (tmp_path / name / place).write_text("mine")
    before = _contents(tmp_path)
    if is_refused:
        strange = pd.DataFrame({"when": pd.Categorical([pd.Timestamp(0)] * 4)})
        with pytest.raises(InputError, match="which a store does not hold"):
            CodedStore.write(encode(strange, [0, 1, 0, 1]), tmp_path / "store")
        assert _contents(tmp_path) == before
    else:
        for value in range(3):
            CodedStore.write(_data(value), tmp_path / "store", overwrite=True)
        after = _contents(tmp_path)
        assert {name: after[name] for name in before} == before


@pytest.mark.parametrize("name", ["store.partial", "store.partial/lock", "store.replaced"])
def test_planted_links_are_not_followed(name, tmp_path):
    home = tmp_path / "home"
    (home / "store").mkdir(parents=True)
    (home / "letters.txt").write_text("dear")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to(home / "letters.txt" if name.endswith("lock") else home)
    for value in range(2):
        CodedStore.write(_data(value), tmp_path / "store", overwrite=True)
    assert _contents(home) == {"letters.txt": b"dear"}
    assert (home / "store").is_dir()
    assert (tmp_path / name).is_symlink()


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("of", ["nothing", "folder", "store"])
def test_a_link_in_the_place_of_a_store_stays_as_it_is(of, overwrite, tmp_path):
    if of == "store":
        CodedStore.write(_data(1), tmp_path / "there")
    elif of == "folder":
        (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    before = _contents(tmp_path)
    with pytest.raises(InputError, match="is a symbolic link, which is not followed"):
        CodedStore.write(_data(2), tmp_path / "link", overwrite=overwrite)
    assert _contents(tmp_path) == before


def _web_site(place):
    place.mkdir()
    (place / "manifest.json").write_text('{"name": "Site", "icons": []}')
    (place / "index.html").write_text("welcome")


def _empty(place):
    place.mkdir()


def _with_a_stranger(place):
    CodedStore.write(_data(), place)
    (place / "thesis.txt").write_text("mine")


def _with_a_folder(place):
    CodedStore.write(_data(), place)
    (place / "notes").mkdir()


def _with_a_link(place):
    CodedStore.write(_data(), place)
    (place / "labels.npy").rename(place.with_name("labels.npy"))
    (place / "labels.npy").symlink_to(place.with_name("labels.npy"))


def _with_a_changed_manifest(place):
    CodedStore.write(_data(), place)
    manifest = json.loads((place / "manifest.json").read_text())
    manifest["sizes"]["thesis.txt"] = 1
    (place / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "make",
    [
        _web_site,
        _empty,
        _with_a_stranger,
        _with_a_folder,
        _with_a_link,
        _with_a_changed_manifest,
        Path.touch,
    ],
)
@pytest.mark.parametrize("overwrite", [False, True])
def test_only_a_store_and_nothing_else_is_replaced(make, overwrite, tmp_path):
    make(tmp_path / "place")
    before = _contents(tmp_path)
    with pytest.raises(InputError, match=r"exists already; .*\(it is not") as refused:
        CodedStore.write(_data(), tmp_path / "place", overwrite=overwrite)
    assert "overwrite" not in str(refused.value)
    assert _contents(tmp_path) == before
    assert (tmp_path / "place").exists()


def test_what_appears_in_the_place_while_a_store_is_made_stays(tmp_path, monkeypatch):
    place = tmp_path / "store"
    save = unfinished.Manifest.save

    def meddle(self, folder):
        save(self, folder)
        place.mkdir()

    monkeypatch.setattr(unfinished.Manifest, "save", meddle)
    with pytest.raises(InputError, match="exists already"):
        CodedStore.write(_data(), place, overwrite=True)
    assert os.listdir(tmp_path) == ["store"]
    assert os.listdir(place) == []


def test_an_empty_folder_of_another_is_not_replaced_at_the_last_moment(tmp_path):
    made, taken = tmp_path / "made", tmp_path / "taken"
    made.mkdir()
    taken.mkdir()
    inode = taken.stat().st_ino
    with pytest.raises(InputError, match="was made by another in the meantime"):
        unfinished._rename_to_free(made, taken)
    assert made.is_dir()
    assert taken.stat().st_ino == inode


def test_writers_that_come_one_after_another_leave_one_whole_store(tmp_path):
    place, refused = tmp_path / "store", []

    def write(value):
        for _ in range(20):
            try:
                CodedStore.write(_data(value), place, overwrite=True)
            except (InputError, OSError) as error:
                refused.append(error)

    CodedStore.write(_data(0), place)
    writers = [threading.Thread(target=write, args=(value,)) for value in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert _value(place) in range(3)
    assert os.listdir(tmp_path) == ["store"]


def _paths_touched(monkeypatch, stop_at):
    """Interrupt at one of the steps that change what a reader sees."""
    steps = count()

    def interrupted(function):
        def step(*arguments, **how):
            if next(steps) == stop_at:
                raise KeyboardInterrupt
            return function(*arguments, **how)

        return step

    for owner, name in (
        (unfinished.Path, "rename"),
        (unfinished.shutil, "rmtree"),
        (unfinished.Path, "rmdir"),
        (unfinished, "_exchange"),
        (unfinished, "_to_disk"),
    ):
        monkeypatch.setattr(owner, name, interrupted(getattr(owner, name)))


@pytest.mark.parametrize("can_exchange", [True, False])
def test_an_interruption_at_any_step_leaves_the_old_store_or_the_new(
    can_exchange, tmp_path, monkeypatch
):
    place = tmp_path / "store"
    CodedStore.write(_data(1), place)
    found = []
    for stop_at in range(30):
        with monkeypatch.context() as patch:
            if not can_exchange:
                patch.setattr(unfinished, "_exchange", lambda one, other: False)
            _paths_touched(patch, stop_at)
            try:
                CodedStore.write(_data(2), place, overwrite=True)
            except KeyboardInterrupt:
                pass
            else:
                break
        found.append(_value(place))
        CodedStore.write(_data(1), place, overwrite=True)
    assert set(found) == {1, 2}
    assert found == sorted(found)


def test_a_reader_keeps_the_store_that_it_opened_while_another_takes_its_place(tmp_path):
    place = tmp_path / "store"
    opened = CodedStore.write(_data(3), place)
    CodedStore.write(_data(4), place, overwrite=True)
    assert opened.data.column(0)[0] == 3
    assert _value(place) == 4


def test_a_table_that_is_refused_leaves_nothing_behind(tmp_path):
    strange = encode(pd.DataFrame({"when": pd.Categorical([pd.Timestamp(0)] * 4)}), [0, 1, 0, 1])
    with pytest.raises(InputError, match="which a store does not hold"):
        CodedStore.write(strange, tmp_path / "store")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        OSError("1000 requested and 500 written"),
        pl.exceptions.ComputeError("underlying IO error: No space left on device (os error 28)"),
    ],
    ids=["system", "NumPy", "polars"],
)
def test_a_full_disk_is_said_with_its_place_and_what_to_do(error, tmp_path, monkeypatch):
    def full(*arguments, **how):
        raise error

    monkeypatch.setattr("numpy.save", full)
    with pytest.raises(StorageError) as raised:
        CodedStore.write(_data(), tmp_path / "store")
    assert str(raised.value) == (
        f"no space is left on the disk of {tmp_path}; free some, or write to a folder on another "
        "disk"
    )
    assert os.listdir(tmp_path) == []
