"""Codes on disk: whole or not at all, damage is noticed, nothing of others is touched."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import DEACS, encode
from deacs.coding import CodedData, on_disk
from deacs.coding.on_disk import open_codes, target_of, write_codes
from deacs.exceptions import InputError, StorageError

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 60)
TABLE = pl.DataFrame(
    {
        "size": Y + RNG.normal(size=60).round(1),
        "colour": [["red", "blue", None][k % 3] for k in range(60)],
        "wide": RNG.integers(0, 40, 60) * 10,
        "y": Y,
    }
)


def _data(value=0, n_rows=50):
    return CodedData.from_codes(np.full((n_rows, 1), value), np.arange(n_rows) % 2)


def _contents(folder):
    """Every file below a folder with its bytes, links as links."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def _taken_by_a_web_site(place):
    place.mkdir()
    (place / "table.json").write_text('{"name": "Site", "icons": []}')


def _taken_by_a_link(place):
    place.with_name("home").mkdir()
    (place.with_name("home") / "letters.txt").write_text("dear")
    place.symlink_to(place.with_name("home"))


@pytest.mark.parametrize(
    "take",
    [
        _taken_by_a_web_site,
        _taken_by_a_link,
        Path.mkdir,
        Path.touch,
        lambda p: write_codes(_data(), p),
    ],
    ids=["web site", "link", "empty folder", "file", "codes"],
)
def test_a_place_that_is_taken_stays_as_it_is(take, tmp_path):
    take(tmp_path / "codes")
    before = _contents(tmp_path)
    with pytest.raises(InputError, match=r"is there already; name another|is a symbolic link"):
        write_codes(_data(), tmp_path / "codes")
    assert _contents(tmp_path) == before
    assert (tmp_path / "codes").exists()


@pytest.mark.parametrize("name", ["codes.partial", "codes.unfinished", "codes.x.unfinished"])
def test_folders_beside_codes_are_of_others(name, tmp_path):
    (tmp_path / name / "codes").mkdir(parents=True)
    for place in ("thesis.txt", "journal.json", "codes/labels.npy"):
        (tmp_path / name / place).write_text("mine")
    before = _contents(tmp_path)
    write_codes(_data(), tmp_path / "codes")
    after = _contents(tmp_path)
    assert {path: after[path] for path in before} == before


@pytest.mark.parametrize("inside", ["", "codes"])
def test_planted_links_are_not_followed(inside, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "labels.npy").write_text("dear")
    planted = tmp_path / "codes.planted.unfinished"
    if inside:
        planted.mkdir()
        (planted / "journal.json").write_text("{}")
    (planted / inside if inside else planted).symlink_to(home)
    write_codes(_data(), tmp_path / "codes")
    assert _contents(home) == {"labels.npy": b"dear"}


def test_what_appears_in_the_place_meanwhile_stays(tmp_path, monkeypatch):
    finish = on_disk.CodesWriter.finish

    def meddle(self, *arguments):
        self.place.mkdir()
        finish(self, *arguments)

    monkeypatch.setattr(on_disk.CodesWriter, "finish", meddle)
    with pytest.raises(InputError, match="is there already"):
        write_codes(_data(), tmp_path / "codes")
    assert os.listdir(tmp_path) == ["codes"]
    assert os.listdir(tmp_path / "codes") == []


def test_a_table_that_is_refused_leaves_nothing_behind(tmp_path):
    strange = encode(pd.DataFrame({"when": pd.Categorical([pd.Timestamp(0)] * 4)}), [0, 1, 0, 1])
    with pytest.raises(InputError, match="which codes on disk do not hold"):
        write_codes(strange, tmp_path / "codes")
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
    with pytest.raises(StorageError, match=f"no space is left on the disk of {tmp_path}; free"):
        write_codes(_data(), tmp_path / "codes")
    assert os.listdir(tmp_path) == []


KILLED = """
import os, signal, sys
from deacs import encode
from deacs.coding import on_disk
append = on_disk.CodesWriter.append
def until(self, columns):
    if self.n_done >= int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    append(self, columns)
on_disk.CodesWriter.append = until
encode([sys.argv[2]], "y", out=sys.argv[3], memory=8_000)
"""


def _kill(block, source, out):
    done = subprocess.run([sys.executable, "-c", KILLED, str(block), str(source), str(out)])
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_killed_run_continues_behind_its_last_whole_block(kind, tmp_path, monkeypatch):
    source, out = tmp_path / f"t.{kind}", tmp_path / "codes"
    getattr(TABLE, f"write_{kind}")(source)
    _kill(2, source, out)
    [left] = [name for name in os.listdir(tmp_path) if name.startswith("codes")]
    assert left.endswith(".unfinished")
    coded = []
    append = on_disk.CodesWriter.append

    def counted(self, columns):
        before = self.n_done
        append(self, columns)
        coded.extend(range(before, self.n_done))

    monkeypatch.setattr(on_disk.CodesWriter, "append", counted)
    found = encode([source], "y", out=out, memory=8_000)
    assert coded == [2]
    assert sorted(os.listdir(tmp_path)) == ["codes", f"t.{kind}"]
    monkeypatch.undo()
    again = encode([source], "y", out=tmp_path / "anew", memory=8_000)
    for j in range(3):
        assert found.column(j).tolist() == again.column(j).tolist()
    assert found.order.scores.tolist() == again.order.scores.tolist()


def test_what_a_killed_run_with_other_settings_left_is_removed(tmp_path):
    source, out = tmp_path / "t.parquet", tmp_path / "codes"
    TABLE.write_parquet(source)
    _kill(1, source, out)
    encode([source], "y", out=out, memory=8_000, discretizer="equal-width")
    assert sorted(os.listdir(tmp_path)) == ["codes", "t.parquet"]
    assert open_codes(out).features[0].by_classes is False


def test_a_flipped_bit_anywhere_is_refused_or_harmless(tmp_path):
    place = tmp_path / "codes"
    write_codes(encode(TABLE.drop("y"), Y, order=True), place, "y")
    whole = DEACS.published(3).fit(open_codes(place)).scores_.tolist()
    files = sorted(place.iterdir())
    refused = 0
    for _ in range(1000):
        file = files[RNG.integers(len(files))]
        raw = bytearray(file.read_bytes())
        if not raw:
            continue
        bit = int(RNG.integers(8 * len(raw)))
        raw[bit // 8] ^= 1 << bit % 8
        original = file.read_bytes()
        file.write_bytes(raw)
        try:
            found = open_codes(place)
        except InputError:
            refused += 1
        else:
            assert DEACS.published(3).fit(found).scores_.tolist() == whole
        file.write_bytes(original)
    assert refused > 900


def test_damage_names_the_column(tmp_path):
    place = tmp_path / "codes"
    data = write_codes(encode(TABLE.drop("y"), Y), place, "y")
    row = [f.dtype for f in map(data.column, range(3))].index(np.dtype("u1"))
    raw = bytearray((place / "codes-1.npy").read_bytes())
    raw[128] ^= 1
    del data
    (place / "codes-1.npy").write_bytes(raw)
    with pytest.raises(InputError, match=f"damaged: column {TABLE.columns[row]!r} is not what was"):
        open_codes(place)


@pytest.mark.parametrize("name", ["codes-1.npy", "labels.npy", "scores.npy", "table.json"])
def test_a_file_that_is_gone_or_cut_is_refused(name, tmp_path):
    place = tmp_path / "codes"
    write_codes(encode(TABLE.drop("y"), Y), place, "y")
    raw = (place / name).read_bytes()
    (place / name).write_bytes(raw[:-1])
    with pytest.raises(InputError, match="the codes are damaged"):
        open_codes(place)
    (place / name).unlink()
    with pytest.raises(InputError, match=r"the codes are damaged|no folder of codes"):
        open_codes(place)


def test_other_versions_and_forged_tables_are_refused(tmp_path):
    place = tmp_path / "codes"
    write_codes(_data(1), place, "y")
    for name, value in (("version", 9), ("columns", []), ("weight_scale", 3.0)):
        table = json.loads((place / "table.json").read_text())
        kept = (place / "table.json").read_text()
        del table["check"]
        (place / "table.json").write_text(on_disk._checked(table | {name: value}))
        with pytest.raises(InputError):
            open_codes(place)
        (place / "table.json").write_text(kept)
    assert target_of(place) == "y"
