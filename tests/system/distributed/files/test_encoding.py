"""Files of any size to a store: the same bytes as coding the table in memory."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deacs import DEACS, encode, read_table
from deacs.distributed import CodedStore, encode_files
from deacs.exceptions import IdentifierWarning, InputError
from tests.system.distributed.disk.test_store import same_tables


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
    assert {entry.name for entry in store.path.iterdir()} == {
        *("manifest.json", "features.npz", "labels.npy", "codes-1.bin", "codes-2.bin")
    }
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["store", path.name]


@pytest.mark.parametrize(
    "how",
    [
        {"missing": "ignore"},
        {"discretizer": None},
        {"discretizer": "equal-frequency"},
        {"discretizer": "equal-width"},
        {"discretizer": "auto"},
        {"discrete_features": ["few", "many", "holed"]},
        {"discrete_features": False, "exclude": ["text", "codes", "nothing", "late"]},
        {"nominal": ["few", "real"], "exclude": ["codes"]},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::deacs.exceptions.TableWarning")
def test_settings_mean_what_they_mean_in_memory(how, tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)
    if how.get("discrete_features") is False:
        frame = _frame(600).with_columns(pl.col("flag").cast(pl.Int8))
        frame.write_csv(path)
    store = encode_files(path, "label", tmp_path / "store", memory="150kB", **how)
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
    store = encode_files(path, "kind", tmp_path / "store", memory="100kB")
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


def test_parts_of_parquet_that_differ_in_width_are_one_column(tmp_path):
    rng = np.random.default_rng(0)
    values, y = rng.integers(0, 90, 120), rng.integers(0, 2, 120)
    text = rng.choice(["b", "a"], 120)
    types = {
        "a": (pl.Int8, pl.Float32, pl.Enum(["b", "a"])),
        "b": (pl.Int64, pl.Int16, pl.Enum(["a", "b"])),
        "c": (pl.UInt16, pl.Float64, pl.String),
    }
    paths = []
    for k, (name, (whole, real, word)) in enumerate(types.items()):
        rows = slice(40 * k, 40 * k + 40)
        frame = {
            "whole": pl.Series(values[rows], dtype=whole),
            "real": pl.Series(values[rows], dtype=real),
            "word": pl.Series(text[rows], dtype=word),
            "holes": pl.Series([None] * 40 if k == 1 else text[rows], dtype=pl.String),
            "y": y[rows],
        }
        paths.append(tmp_path / f"{name}.parquet")
        pl.DataFrame(frame).write_parquet(paths[-1])
    store = encode_files(paths, "y", tmp_path / "store")
    holes = [None if 40 <= k < 80 else value for k, value in enumerate(text)]
    columns = {"whole": values, "real": values.astype(float), "word": text, "holes": holes}
    same_tables(store.to_memory(), encode(pl.DataFrame(columns), y))


@pytest.mark.parametrize("tail", ["\n\n", ",,\n" * 300, "NA,?,\n" * 3000 + ",,\n"])
def test_rows_of_nothing_are_left_out_wherever_they_fall(tail, tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(f"{k % 17},{k % 3},{'ab'[k % 2]}\n" for k in range(700))
    path.write_text(f"x,z,y\n{rows}{tail}")
    store = encode_files(path, "y", tmp_path / "store", memory="100kB")
    same_tables(store.to_memory(), _whole([path], "y"))


def test_a_line_amiss_is_named_wherever_it_lies(tmp_path):
    path = tmp_path / "table.csv"
    rows = [f"{k % 17},{k % 3},{'ab'[k % 2]}" for k in range(2000)]
    path.write_text("\n".join(["x,z,y", *rows[:1500], "1,2,a,4", *rows[1500:]]))
    with pytest.raises(InputError) as refused:
        encode_files(path, "y", tmp_path / "store", memory="250kB")
    words = re.search(r"line (\d+): 4 fields.*counted from line (\d+) on", str(refused.value))
    assert int(words[1]) + int(words[2]) - 1 == 1502


def test_columns_aligned_by_spaces_are_read_as_read_table_reads_them(tmp_path):
    path = tmp_path / "table.txt"
    rows = "".join(f"  {k % 17:4}   {k % 3}  {'ab'[k % 2]}\n" for k in range(900))
    path.write_text(f"     x   z  y\n{rows}")
    store = encode_files(path, "y", tmp_path / "store", memory="100kB")
    same_tables(store.to_memory(), _whole([path], "y"))


@pytest.mark.parametrize("how", [{}, {"strip": True}], ids=str)
@pytest.mark.filterwarnings("ignore:'y'. some values differ only by the spaces")
def test_spaces_around_names_and_values_are_treated_as_read_table_treats_them(how, tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(
        f"{k % 17}, {'uvw'[k % 3]},{' ' * (k % 2)}{'ab'[k % 5 > 2]}\n" for k in range(900)
    )
    path.write_text(f" x,z,{' ' * len(how)}y\n{rows}")
    store = encode_files(path, "y", tmp_path / "store", memory="150kB", **how)
    whole = read_table(path, **how)
    same_tables(store.to_memory(), encode(whole.drop("y"), whole["y"]))
    assert store.feature_names == (("x", "z") if how else (" x", "z"))


@pytest.mark.parametrize(
    "how",
    [
        {"discrete_features": [False, True, True, False, True]},
        {"discrete_features": [1, -1]},
        {"discrete_features": []},
    ],
    ids=str,
)
def test_discrete_features_are_counted_among_all_columns(how, tmp_path):
    frame = _frame(900).select("real", "few", "text", "many", "flag", "label")
    frame.write_parquet(tmp_path / "table.parquet")
    store = encode_files(
        tmp_path / "table.parquet", "label", tmp_path / "store", memory="150kB", **how
    )
    same_tables(store.to_memory(), _whole([tmp_path / "table.parquet"], **how))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"discrete_features": False}, "makes column 'text' continuous, but it holds text"),
        ({"discrete_features": [True]}, "one entry for each of the 2 columns"),
        ({"discrete_features": ["reel"]}, "discrete_features names 'reel'"),
        ({"missing": "error"}, "missing='error', but column 'text' has 1"),
    ],
)
def test_what_encode_refuses_is_refused(how, message, tmp_path):
    (tmp_path / "a.csv").write_text("text,real,y\nu,1.5,a\n,2.5,b\nv,1.5,a\n")
    with pytest.raises(InputError, match=message):
        encode_files(tmp_path / "a.csv", "y", tmp_path / "store", **how)


@pytest.mark.parametrize("target", ["last", -1, 1])
def test_the_target_may_be_named_by_its_place(target, tmp_path):
    frame = pl.DataFrame({"x": [1.5, 2.5, 0.5, 3.5] * 9, "y": [0, 1] * 18})
    frame.write_csv(tmp_path / "a.csv")
    store = encode_files(tmp_path / "a.csv", target, tmp_path / "store")
    assert store.target == "y"
    assert store.feature_names == ("x",)


@pytest.mark.parametrize("labels", [[0, 1], [2.0, 7.0], [True, False], ["b", "a"]])
def test_classes_are_those_of_the_table_in_memory(labels, tmp_path):
    frame = pl.DataFrame({"x": [1.5, 2.5, 0.5, 3.5] * 9, "y": labels * 18})
    frame.write_parquet(tmp_path / "a.parquet")
    store = encode_files(tmp_path / "a.parquet", "y", tmp_path / "store")
    same_tables(store.to_memory(), encode(frame[["x"]], frame["y"]))


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
    memory=st.sampled_from([100_000, 150_000, 10**7]),
)
@settings(suppress_health_check=list(HealthCheck))
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


def test_names_that_the_locale_cannot_write_are_no_obstacle(tmp_path):
    (tmp_path / "a.csv").write_text("größe,klasse-ß\n1,a\n2,b\n3,a\n", encoding="utf-8")
    code = (
        "from deacs.distributed import encode_files\n"
        f"print(encode_files({str(tmp_path / 'a.csv')!r}, 'last', {str(tmp_path / 's')!r}).n_rows)"
    )
    ascii_only = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=ascii_only, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"3"]


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
        ({"exclude": "x"}, "exclude must be a list of names"),
        ({"encoding": "utf-99"}, "encoding must be a name that Python knows"),
        ({"missing": "error"}, "column 'x' has 1"),
        ({"discretizer": ["mdlp"]}, "discretizer must be one of mdlp"),
        ({"target_kind": "labels"}, "target_kind must be one of auto, classes, numbers, got 'lab"),
    ],
)
def test_settings_that_cannot_be_are_refused(how, message, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n,b\n3,a\n")
    with pytest.raises(InputError, match=message):
        encode_files(tmp_path / "a.csv", "y", tmp_path / "store", **how)


def test_a_column_that_does_not_fit_is_refused_with_the_least_memory(tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)
    how = {"target": "label", "out": tmp_path / "store"}
    with pytest.raises(InputError, match=r"memory must be at least .* kB for 600 rows of column"):
        encode_files(path, memory="30kB", **how)
    assert encode_files(path, memory="150kB", **how).n_rows == 600


def test_a_column_of_long_text_counts_by_its_length(tmp_path):
    path = tmp_path / "table.csv"
    rows = "".join(f"{'long ' * 200}{k % 7},{k % 3},{'ab'[k % 2]}\n" for k in range(500))
    path.write_text(f"text,x,y\n{rows}")
    with pytest.raises(InputError, match="column 'text', which is coded as a whole") as refused:
        encode_files(path, "y", tmp_path / "store", memory="300kB")
    assert refused.value.columns == ("text",)
    store = encode_files(path, "y", tmp_path / "store", memory="2MB")
    same_tables(store.to_memory(), _whole([path], "y"))


def test_of_two_runs_the_first_to_finish_has_the_place(tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)
    how = {"target": "label", "out": tmp_path / "store"}

    def meddle(what, share):
        if what.startswith("coding") and not (tmp_path / "store").exists():
            encode_files(path, discretizer="equal-width", **how)

    with pytest.raises(InputError, match="exists already"):
        encode_files(path, progress=meddle, **how)
    expected = _whole([path], discretizer="equal-width")
    same_tables(CodedStore.open(tmp_path / "store").to_memory(), expected)
    assert sorted(os.listdir(tmp_path)) == ["store", "table.csv"]


@pytest.mark.parametrize("stage", ["splitting", "coding"])
def test_a_run_that_is_interrupted_leaves_nothing(stage, tmp_path):
    path = tmp_path / "table.csv"
    _frame(600).write_csv(path)

    def stop(what, share):
        if what.startswith(stage):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode_files(path, "label", tmp_path / "store", progress=stop)
    assert os.listdir(tmp_path) == ["table.csv"]


def test_a_target_of_another_type_is_refused(tmp_path):
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 4), eager=True)
    pl.DataFrame({"x": [1, 1, 2, 2], "y": days}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="target 'y' must hold text, booleans, floats or integers"):
        encode_files(tmp_path / "a.parquet", "y", tmp_path / "store")


def test_a_column_of_no_use_is_refused_by_name(tmp_path):
    lists = pl.Series([[1], [2], [3], [4]])
    pl.DataFrame({"x": lists, "y": [1, 1, 2, 2]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"column 'x' has type List.*or drop it"):
        encode_files(tmp_path / "a.parquet", "y", tmp_path / "store")


def test_dates_are_quantities_as_in_memory(tmp_path):
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 2, 9), eager=True)
    frame = pl.DataFrame({"x": days, "y": np.arange(40) > 25})
    frame.write_parquet(tmp_path / "a.parquet")
    store = encode_files(tmp_path / "a.parquet", "y", tmp_path / "store")
    same_tables(store.to_memory(), encode(frame[["x"]], frame["y"]))
    assert store.features[0].kind == "continuous"


def test_other_formats_are_refused_with_what_to_do(tmp_path):
    (tmp_path / "a.arff").write_text("@relation a\n@attribute x {a}\n@data\na\n")
    with pytest.raises(InputError, match="CSV, TSV or Parquet; convert it"):
        encode_files(tmp_path / "a.arff", "x", tmp_path / "store")


def test_a_finished_store_is_not_overwritten_unasked(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,a\n2,b\n2,a\n")
    encode_files(tmp_path / "a.csv", "y", tmp_path / "store")
    with pytest.raises(InputError, match="exists already"):
        encode_files(tmp_path / "a.csv", "y", tmp_path / "store")
    assert encode_files(tmp_path / "a.csv", "y", tmp_path / "store", overwrite=True).n_rows == 3


def test_a_number_as_target_has_the_thresholds_of_the_table_in_memory(tmp_path):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200).round(1)})
    frame = frame.with_columns(y=(3 * frame["a"] + frame["b"] + rng.normal(size=200)).round(1))
    path = tmp_path / "a.csv"
    frame.write_csv(path)
    store = encode_files(path, "y", tmp_path / "store")
    data = encode(frame.drop("y"), frame["y"])
    assert store.about.kind == "numbers"
    assert store.outputs.tolist() == data.outputs.tolist()
    assert CodedStore.open(tmp_path / "store").data.labels.tolist() == data.labels.tolist()
    assert [f.values.tolist() for f in store.features] == [f.values.tolist() for f in data.features]
    there, here = (DEACS.published(2).fit(table) for table in (store, data))
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()


def test_many_rare_classes_are_not_taken_for_numbers(tmp_path):
    names = [f"p{k % 30:02}" for k in range(60)]
    path = tmp_path / "a.csv"
    pl.DataFrame({"x": np.arange(60) / 8 % 3, "y": names}).write_csv(path)
    store = encode_files(path, "y", tmp_path / "store")
    assert (store.about.kind, store.n_classes) == ("classes", 30)
    data = encode(read_table(path, target="y")[0], names)
    assert store.features[0].values.tolist() == data.features[0].values.tolist()
