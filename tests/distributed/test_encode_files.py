"""Files of any size to a store: the same bytes as coding the table in memory."""

import shutil
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deacs import DEACS, encode, read_table
from deacs.distributed import CodedStore, encode_files
from deacs.distributed.files.merging import Cutter, Runs
from deacs.distributed.files.spill import SpilledBatch, sorted_entries, write_batch
from deacs.exceptions import IdentifierWarning, InputError
from tests.distributed.test_store import same_tables


def _frame(n_rows=3000, seed=0):
    """Every kind of column that files know."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["no", "yes", "perhaps"], n_rows)
    tells = (kind == "no") * 2.0 + (kind == "yes")
    holes = rng.random(n_rows) < 0.1
    return pl.DataFrame(
        {
            "text": rng.choice(["ä", "b, c", 'say "d"', "e\nf", " g "], n_rows),
            "real": tells + rng.normal(size=n_rows),
            "rounded": np.round(tells + rng.normal(size=n_rows), 1),
            "holed": pl.Series(np.where(holes, np.nan, tells + rng.normal(size=n_rows))).fill_nan(
                None
            ),
            "few": rng.integers(-3, 20, n_rows),
            "far": rng.choice([-(10**12), 5, 10**15], n_rows),
            "many": rng.integers(0, 500, n_rows) + (100 * tells).astype(int),
            "holed whole": pl.Series(
                [
                    None if h else int(v)
                    for h, v in zip(holes, rng.integers(0, 9, n_rows), strict=True)
                ]
            ),
            "flag": rng.random(n_rows) < 0.5,
            "label": kind,
            "codes": [f"v{k % 300}" for k in range(n_rows)],
            "nothing": pl.Series([None] * n_rows, dtype=pl.String),
            "one": np.ones(n_rows),
            "late": ["7"] * (n_rows - 1) + ["007x"],
            "later": [str(k % 5) for k in range(n_rows - 1)] + ["2.5"],
        }
    )


def _whole(paths, target="label", **how):
    """What encode gives of the same rows in memory."""
    reading = {k: how.pop(k) for k in ("exclude", "nominal", "delimiter") if k in how}
    frames = [read_table(path, **reading) for path in paths]
    frame = pl.concat(frames)
    return encode(frame.drop(target), frame[target], **how)


@pytest.mark.parametrize("memory", ["1MB", "40MB"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "csv.gz"])
def test_the_store_has_the_bytes_of_the_table_in_memory(suffix, memory, tmp_path):
    frame = _frame()
    path = tmp_path / f"table.{suffix}"
    if suffix == "parquet":
        frame.write_parquet(path, row_group_size=700)
    elif suffix == "csv":
        frame.write_csv(path)
    else:
        import gzip

        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    store = encode_files(path, "label", tmp_path / "store", memory=memory)
    same_tables(store.to_memory(), _whole([path]))
    store.verify()
    assert not (store.path / "work").exists()


@pytest.mark.parametrize(
    "how",
    [
        {"missing": "ignore"},
        {"discretizer": None},
        {"discretizer": "equal-frequency"},
        {"discretizer": "equal-width"},
        {"discrete_features": ["few", "many", "holed"]},
        {"discrete_features": False, "exclude": ["text", "codes", "nothing", "late"]},
        {"nominal": ["few", "real"], "exclude": ["codes"]},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_settings_mean_what_they_mean_in_memory(how, tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)
    if how.get("discrete_features") is False:
        frame = _frame(600).with_columns(pl.col("flag").cast(pl.Int8))
        frame.write_csv(path)
    memory = "30kB" if how.get("discretizer", "mdlp") in ("mdlp", None) else "200kB"
    store = encode_files(path, "label", tmp_path / "store", memory=memory, **how)
    same_tables(store.to_memory(), _whole([path], **how))


def test_many_files_are_one_table(tmp_path):
    frame = _frame().drop("late", "later")
    paths = []
    for k, part in enumerate(frame.iter_slices(900)):
        paths.append(tmp_path / f"part-{k}.csv")
        part.write_csv(paths[-1])
    store = encode_files(paths, "label", tmp_path / "store", memory="2MB", n_jobs=2)
    same_tables(store.to_memory(), _whole(paths))
    assert (
        DEACS.published(3).fit(store).ranking_.tolist()
        == DEACS.published(3).fit(_whole(paths)).ranking_.tolist()
    )


def test_whole_numbers_in_one_file_and_fractions_in_another_are_floats(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,p\n2,q\n,p\n")
    (tmp_path / "b.csv").write_text("x,y\n1.5,p\n3,q\n")
    store = encode_files([tmp_path / "a.csv", tmp_path / "b.csv"], "y", tmp_path / "store")
    frame = pl.DataFrame({"x": [1.0, 2.0, None, 1.5, 3.0], "y": ["p", "q", "p", "p", "q"]})
    same_tables(store.to_memory(), encode(frame[["x"]], frame["y"]))


def test_semicolons_and_decimal_commas_are_read_as_read_table_reads_them(tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(f"{k},5;{k};{'ab'[k % 2]};1e{k % 3}\n" for k in range(400))
    path.write_text(f"x;n;kind;e\n{rows}")
    store = encode_files(path, "kind", tmp_path / "store", memory="24kB")
    same_tables(store.to_memory(), _whole([path], "kind"))
    assert store.features[0].kind == "continuous"


def test_categories_of_parquet_keep_their_declared_order(tmp_path):
    path = tmp_path / "table.parquet"
    size = pl.Enum(["small", "middle", "large", "huge"])
    rng = np.random.default_rng(0)
    pl.DataFrame(
        {
            "size": pl.Series(rng.choice(["large", "small", "huge"], 50), dtype=size),
            "word": pl.Series(rng.choice(["b", "a"], 50), dtype=pl.Categorical),
            "short": pl.Series(rng.integers(0, 9, 50), dtype=pl.UInt8),
            "apart": pl.Series(rng.choice([-30_000, 30_000], 50), dtype=pl.Int16),
            "f": pl.Series(rng.normal(size=50), dtype=pl.Float32),
            "y": rng.integers(0, 2, 50),
        }
    ).write_parquet(path)
    store = encode_files(path, "y", tmp_path / "store")
    same_tables(store.to_memory(), _whole([path], "y"))
    assert store.features[0].values.tolist() == ["small", "large", "huge"]


FIELDS = st.one_of(
    st.sampled_from(
        ["1", "2", "-7", "2.5", "1e3", "inf", " 4", "true", "False", "x", "", "NA", "?"]
    ),
    st.floats(allow_nan=False).map(repr),
    st.integers(-(2**70), 2**70).map(str),
)


@given(
    columns=st.lists(st.lists(FIELDS, min_size=1, max_size=4), min_size=1, max_size=3),
    n_rows=st.integers(2, 400),
    seed=st.integers(0, 2**32 - 1),
    memory=st.sampled_from([1000, 60_000, 10**7]),
)
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_any_text_is_coded_as_in_memory(columns, n_rows, seed, memory, tmp_path):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    y[:2] = 0, 1
    fields = [rng.choice(choice, n_rows) for choice in columns]
    names = [f"c{j}" for j in range(len(columns))]
    lines = [",".join([*row, f"k{label}"]) for *row, label in zip(*fields, y, strict=True)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join([",".join([*names, "y"]), *lines]) + "\n")
    shutil.rmtree(tmp_path / "store", ignore_errors=True)
    store = encode_files(path, "y", tmp_path / "store", memory=memory, overwrite=True)
    same_tables(store.to_memory(), _whole([path], "y"))


@pytest.mark.parametrize("n_distinct", [5, 700, 10**9])
@pytest.mark.parametrize("memory", [2_000, 5_000, 400_000])
def test_cuts_of_columns_merged_on_disk_are_those_of_columns_in_memory(
    n_distinct, memory, tmp_path
):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 4000)
    x = rng.integers(0, n_distinct, 4000) / 7 + y * n_distinct / 15
    for k, rows in enumerate(np.array_split(np.arange(4000), 7)):
        entries = sorted_entries(x[rows], y[rows].astype(np.uint8), 3)
        noted = [{"kind": "float", "missing": 0}]
        write_batch(tmp_path / str(k), y[rows].astype(np.int32), np.arange(3), [entries], noted)
    batches = [SpilledBatch(tmp_path / str(k)) for k in range(7)]
    runs = Runs(batches, 0, True, [np.arange(3, dtype=np.uint8)] * 7, 3)
    cuts = Cutter("mdlp", np.arange(3), 4000, memory, tmp_path).cut_points(runs, 0)
    assert cuts.tolist() == encode(x[:, None], y).features[0].values.tolist()
    assert len(cuts) > 0


def test_a_run_that_was_killed_goes_on_where_it_ended(tmp_path):
    path = tmp_path / "table.csv"
    pl.concat([_frame(3000, seed) for seed in range(4)]).drop("late", "later").write_csv(path)
    script = (
        "import sys; from deacs.distributed import encode_files\n"
        "encode_files(sys.argv[1], 'label', sys.argv[2], memory='2MB')"
    )
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "store")]
    batches = tmp_path / "store.partial" / "work"
    run = subprocess.Popen(command)
    while run.poll() is None and len(list(batches.glob("batch-??????"))) < 3:
        time.sleep(0.01)
    run.kill()
    run.wait()
    with pytest.raises(InputError, match="is not finished"):
        CodedStore.open(tmp_path / "store")
    done = {place.name: place.stat().st_ino for place in batches.glob("batch-??????")}
    assert len(done) >= 3
    kept = set()

    def watch(what, share):
        if what.startswith("cutting"):
            kept.update(n for n, inode in done.items() if (batches / n).stat().st_ino == inode)

    store = encode_files(path, "label", tmp_path / "store", memory="2MB", progress=watch)
    assert kept == set(done)
    same_tables(store.to_memory(), _whole([path]))


def _may_not(*arguments, **more):
    raise AssertionError("done before, and done again")


@pytest.mark.parametrize(
    ("stage", "not_again"),
    [
        ("learning", []),
        ("cutting", ["encoding.learn_batch"]),
        ("coding", ["encoding.learn_batch", "merging.Cutter.cut_points"]),
    ],
)
def test_a_run_that_breaks_anywhere_goes_on_there(stage, not_again, tmp_path, monkeypatch):
    monkeypatch.setattr("deacs.distributed.files.coding_pass.SECONDS_A_NOTE", 0.0)
    path = tmp_path / "table.csv"
    _frame().drop("late", "later").write_csv(path)

    def stop(what, share):
        if what.startswith(stage) and 0.3 < share < 1:
            raise KeyboardInterrupt

    how = {"memory": "500kB", "target": "label", "out": tmp_path / "store"}
    with pytest.raises(KeyboardInterrupt):
        encode_files(path, progress=stop, **how)
    for name in not_again:
        monkeypatch.setattr(f"deacs.distributed.files.{name}", _may_not)
    store = encode_files(path, **how)
    same_tables(store.to_memory(), _whole([path]))


def test_a_run_with_other_settings_begins_anew(tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)

    def stop(what, share):
        if what.startswith("coding"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode_files(path, "label", tmp_path / "store", progress=stop)
    store = encode_files(path, "label", tmp_path / "store", discretizer="equal-width")
    same_tables(store.to_memory(), _whole([path], discretizer="equal-width"))


def test_identifiers_are_warned_of(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("id,x,y\n" + "".join(f"n{k},{k % 2},{k % 3}\n" for k in range(50)))
    with pytest.warns(IdentifierWarning, match="'id': as many values as rows"):
        encode_files(path, "y", tmp_path / "store")


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        ("x,y\n1,a\n2,b\n", "x,y\nred,a\n", r"'x' holds numbers in .*a\.csv but text in .*b\.csv"),
        ("x,y\n1,a\n2,b\n", "z,y\n1,a\n", r"b\.csv has no column 'x', which .*a\.csv has"),
        ("x,y\ntrue,a\n", "x,y\n1,b\n", "'x' holds booleans in .* but numbers in"),
        ("x,y\n1,a\n2,b\n", "x,y\n1,\n", "target 'y' must not have missing values"),
        ("x,y\n1,a\n2,b\n", "x,y\n1,a,5\n", r"b\.csv.*3 fields, but the header has 2"),
        ("x,y\n1,a\n", "x,y\n1,a\n", "y must have at least two classes"),
        ("x,z\n1,a\n", "x,y\n1,a\n", "target names 'y'"),
    ],
)
def test_files_that_do_not_agree_are_refused_by_name(one, other, message, tmp_path):
    (tmp_path / "a.csv").write_text(one)
    (tmp_path / "b.csv").write_text(other)
    with pytest.raises(InputError, match=message):
        encode_files([tmp_path / "a.csv", tmp_path / "b.csv"], "y", tmp_path / "store")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"discretizer": "magic"}, "discretizer must be one of mdlp"),
        ({"missing": "drop"}, "missing must be one of"),
        ({"memory": "lots"}, "memory must be"),
        ({"exclude": ["nobody"]}, "exclude names 'nobody'"),
        ({"missing": "error"}, "column 'x' has 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(how, message, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n,b\n3,a\n")
    with pytest.raises(InputError, match=message):
        encode_files(tmp_path / "a.csv", "y", tmp_path / "store", **how)


def test_discretizers_that_sort_a_whole_column_ask_for_the_memory(tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)
    with pytest.raises(InputError, match="memory must be at least 192 kB for discretizer='equal-w"):
        encode_files(path, "label", tmp_path / "store", memory="30kB", discretizer="equal-width")


def test_a_target_of_another_type_is_refused(tmp_path):
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 4), eager=True)
    pl.DataFrame({"x": [1, 1, 2, 2], "y": days}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="target 'y' must hold text, whole numbers or booleans"):
        encode_files(tmp_path / "a.parquet", "y", tmp_path / "store")


def test_a_column_of_no_use_is_refused_by_name(tmp_path):
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 4), eager=True)
    pl.DataFrame({"x": days, "y": [1, 1, 2, 2]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"column 'x' has type Date.*or drop it"):
        encode_files(tmp_path / "a.parquet", "y", tmp_path / "store")


def test_other_formats_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "a.arff").write_text("@relation a\n@attribute x {a}\n@data\na\n")
    with pytest.raises(InputError, match="CSV, TSV and Parquet; convert it"):
        encode_files(tmp_path / "a.arff", "x", tmp_path / "store")


def test_a_finished_store_is_not_overwritten_unasked(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n2,a\n")
    encode_files(tmp_path / "a.csv", "y", tmp_path / "store")
    with pytest.raises(InputError, match="is there already"):
        encode_files(tmp_path / "a.csv", "y", tmp_path / "store")
    assert encode_files(tmp_path / "a.csv", "y", tmp_path / "store", overwrite=True).n_rows == 3
