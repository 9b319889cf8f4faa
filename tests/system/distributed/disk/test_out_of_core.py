"""Columns from disk: bounded memory, settled rows forgotten, and errors that say what to do."""

import numpy as np
import pytest

from deacs import DEACS, JMI, encode
from deacs.coding import CodedData
from deacs.distributed import CodedStore, OutOfCoreEngine
from deacs.distributed.disk.column_blocks import column_parts
from deacs.distributed.disk.memory import read_size, size_in_words
from deacs.distributed.disk.out_of_core import BYTES_A_FEATURE, BYTES_A_ROW, OutOfCoreCounts
from deacs.exceptions import InputError
from deacs.greedy.engine import LocalCounts


def _data(n_rows=3000, n_features=9, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    noise = rng.integers(0, 5, (n_rows, n_features))
    return CodedData.from_codes(np.where(rng.random(noise.shape) < 0.4, noise, y[:, None]), y)


def test_settled_rows_are_forgotten_and_the_scores_stay():
    data = _data()
    here, there = LocalCounts(data), OutOfCoreCounts(data, 4, 1 << 20)
    rows, everything = [], np.arange(data.n_features)
    for feature in range(6):
        assert there.label_scores(everything).tobytes() == here.label_scores(everything).tobytes()
        rows.append(there._conditioning.n_rows)
        here.condition_on(feature)
        there.condition_on(feature)
        assert there.residual().tobytes() == here.residual().tobytes()
        assert there._conditioning.n_left == here._conditioning.n_left
    assert rows[0] == data.n_rows
    assert rows[-1] == there._conditioning.n_rows < data.n_rows / 4
    assert len(set(rows)) > 2  # more than once


def test_a_column_that_was_not_kept_is_read_again():
    data = _data()
    here, there = LocalCounts(data), OutOfCoreCounts(data, 4, 1 << 20)
    for feature in range(4):
        here.condition_on(feature)
        there.condition_on(feature)
    some, others = np.array([5, 4]), np.array([8, 5, 6])
    assert there.label_scores(some).tobytes() == here.label_scores(some).tobytes()
    assert there.label_scores(others).tobytes() == here.label_scores(others).tobytes()
    assert there._conditioning.n_rows < data.n_rows


def test_rows_that_do_not_fit_are_not_kept():
    data = _data()
    here, there = LocalCounts(data), OutOfCoreCounts(data, 4, 1)
    for feature in range(5):
        here.condition_on(feature)
        there.condition_on(feature)
    everything = np.arange(data.n_features)
    assert there.label_scores(everything).tobytes() == here.label_scores(everything).tobytes()
    assert there._conditioning.n_rows == data.n_rows


def test_parts_cover_what_was_asked_for_within_their_size():
    data = CodedData.from_codes(
        np.random.default_rng(0).integers(0, [2, 2, 300, 2, 2, 300, 2, 2], (500, 8)),
        np.arange(500) % 2,
    )
    asked = np.array([7, 0, 5, 3, 2, 1])
    checked = []
    parts = list(column_parts(data, asked, 2, 10_000, check=checked.extend))
    assert checked == [feature for part in parts for feature in part.features]
    assert sorted(place for part in parts for place in part.places) == list(range(6))
    for part in parts:
        assert len(part.block.features) <= 2
        features = part.features[part.members]
        assert features.tolist() == asked[part.places].tolist()
        for feature, member in zip(features, part.members, strict=True):
            assert part.block.codes[member].tolist() == data.column(feature).tolist()
    assert len(list(column_parts(data, asked, 8, 1, check=checked.extend))) == 6
    whole = next(iter(column_parts(data, np.arange(8), 8, 1 << 20, check=checked.extend)))
    assert np.shares_memory(whole.block.codes, data.blocks[0].codes)


@pytest.mark.parametrize("selector", [DEACS.published, JMI])
def test_a_table_too_large_for_the_memory_is_selected_from_in_parts(selector, tmp_path):
    data = _data(n_rows=2000, n_features=60)
    store = CodedStore.write(data, tmp_path / "store")
    engine = OutOfCoreEngine(((BYTES_A_ROW + 20) * 2000 + BYTES_A_FEATURE * 60) * 8 // 7)
    assert isinstance(engine.open(store), OutOfCoreCounts)
    assert isinstance(OutOfCoreEngine().open(store), LocalCounts)
    there, here = selector(5, engine=engine).fit(store), selector(5).fit(data)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.scores_.tobytes() == here.scores_.tobytes()


def test_too_little_memory_for_the_rows_is_refused_with_the_least(tmp_path):
    store = CodedStore.write(_data(), tmp_path / "store")
    with pytest.raises(InputError, match="at least 251 kB for 3,000 rows and 9 features, got 1000"):
        OutOfCoreEngine(1000).open(store)


def test_only_coded_tables_are_counted():
    with pytest.raises(InputError, match="CodedStore or CodedData, got list"):
        OutOfCoreEngine().open([[0], [1]])


@pytest.mark.parametrize("columns_at_once", [0, -1, 2.5, "3", True])
def test_a_number_of_columns_that_cannot_be_is_refused(columns_at_once):
    engine = OutOfCoreEngine(columns_at_once=columns_at_once)
    with pytest.raises(InputError, match="columns_at_once must be an integer of at least 1, or"):
        DEACS.published(engine=engine).fit(_data())


def test_plain_tables_are_coded_in_memory():
    X, y = [["a", 1.5], ["b", 2.5], ["a", 3.5], ["b", 4.5]], [0, 1, 0, 1]
    engine = OutOfCoreEngine(columns_at_once=1)
    assert engine.encode(X, y).column(0).tolist() == encode(X, y).column(0).tolist()
    assert DEACS.published(engine=engine).fit(X, y).ranking_.tolist() == [0]


@pytest.mark.parametrize(
    ("size", "n_bytes"),
    [("2GB", 2 * 10**9), ("1.5 mib", 3 << 19), (" 7 ", 7), (12, 12), (np.int64(5), 5)],
)
def test_sizes_are_read_as_people_write_them(size, n_bytes):
    assert read_size(size) == n_bytes


@pytest.mark.parametrize("size", ["", "2 potatoes", "-1GB", 0, -3, True, 2.5, None, "0"])
def test_sizes_that_are_none_are_refused(size):
    with pytest.raises(InputError, match="memory must be a positive number of bytes or a size"):
        read_size(size)


def test_sizes_are_said_as_people_read_them():
    assert [size_in_words(n) for n in (12, 1500, 2 * 10**9, 3 * 10**15)] == [
        *("12 B", "1.5 kB", "2 GB", "3e+03 TB"),
    ]
