"""Stores change whole: one writer at a time, and a kill leaves the old store or the new one."""

import os
import subprocess
import sys
import threading
import time
from itertools import count

import numpy as np
import pandas as pd
import pytest

from deacs import encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore
from deacs.distributed.disk import unfinished
from deacs.distributed.disk.unfinished import UnfinishedStore
from deacs.exceptions import InputError


def _data(value=0, n_rows=50):
    codes = np.full((n_rows, 1), value)
    return CodedData.from_codes(codes, np.arange(n_rows) % 2)


def _value(place):
    return int(CodedStore.open(place).data.column(0)[0])


def test_a_second_writer_is_told_of_the_first(tmp_path):
    place = tmp_path / "store"
    with (
        UnfinishedStore(place),
        pytest.raises(InputError, match=r"store is being made by another process.*wait until"),
    ):
        CodedStore.write(_data(), place)
    assert CodedStore.write(_data(), place).n_rows == 50


def test_the_lock_of_a_process_that_was_killed_does_not_last(tmp_path):
    place = tmp_path / "store"
    script = (
        "import sys, time; from pathlib import Path\n"
        "from deacs.distributed.disk.unfinished import UnfinishedStore\n"
        "with UnfinishedStore(Path(sys.argv[1])): print('locked', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(InputError, match="being made by another process"):
            CodedStore.write(_data(), place)
        other.kill()
    assert CodedStore.write(_data(), place).n_rows == 50


def test_writers_that_come_one_after_another_leave_one_whole_store(tmp_path):
    place, refused = tmp_path / "store", []

    def write(value):
        for _ in range(20):
            try:
                CodedStore.write(_data(value), place, overwrite=True)
            except InputError as error:
                refused.append(str(error))

    writers = [threading.Thread(target=write, args=(value,)) for value in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert _value(place) in range(3)
    assert os.listdir(tmp_path) == ["store"]
    assert all("being made by another process" in said for said in refused)


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
        (unfinished, "_exchange"),
        (unfinished, "to_disk"),
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
        if not place.exists():  # between two renames, where directories cannot be exchanged
            assert not can_exchange
            with UnfinishedStore(place):
                pass
        found.append(_value(place))
        CodedStore.write(_data(1), place, overwrite=True)
        assert os.listdir(tmp_path) == ["store"]
    assert set(found) == {1, 2}
    assert found == sorted(found)


def test_a_kill_at_any_moment_leaves_the_old_store_or_the_new(tmp_path):
    place = tmp_path / "store"
    CodedStore.write(_data(0), place)
    script = (
        "import sys; from tests.distributed.disk.test_unfinished import _data\n"
        "from deacs.distributed import CodedStore\n"
        "print('begins', flush=True)\n"
        "for value in range(10**6): CodedStore.write(_data(value % 5), sys.argv[1],"
        " overwrite=True)"
    )
    command = [sys.executable, "-c", script, str(place)]
    for k in range(3):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout.readline() == "begins\n"
            time.sleep(0.05 + 0.013 * k)
            other.kill()
        assert _value(place) in range(5)
    CodedStore.write(_data(4), place, overwrite=True)
    assert os.listdir(tmp_path) == ["store"]


def test_a_reader_keeps_the_store_that_it_opened_while_another_takes_its_place(tmp_path):
    place = tmp_path / "store"
    opened = CodedStore.write(_data(3), place)
    CodedStore.write(_data(4), place, overwrite=True)
    assert opened.data.column(0)[0] == 3
    assert _value(place) == 4


def test_a_symbolic_link_is_followed_and_stays(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "store")
    for value in (1, 2):
        CodedStore.write(_data(value), tmp_path / "link", overwrite=True)
        assert _value(tmp_path / "store") == _value(tmp_path / "link") == value
    assert sorted(os.listdir(tmp_path)) == ["link", "store"]
    assert (tmp_path / "link").is_symlink()


def test_a_table_that_is_refused_leaves_nothing_behind(tmp_path):
    strange = encode(pd.DataFrame({"when": pd.Categorical([pd.Timestamp(0)] * 4)}), [0, 1, 0, 1])
    with pytest.raises(InputError, match="which a store does not hold"):
        CodedStore.write(strange, tmp_path / "store")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_said_with_its_place(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.save", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*store\.partial'"):
        CodedStore.write(_data(), tmp_path / "store")
