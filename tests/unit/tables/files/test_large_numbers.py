"""Long integers and digits of other scripts: read as they are, in memory and in batches."""

import polars as pl
import pytest

from deacs import encode, encode_files, read_table
from deacs.tables import read_labels

LONG = "1234567890" * 4
FIELDS = {
    "39 digits": (["9" * 39, "-2", "3"], pl.Float64, [1e39, -2.0, 3.0]),
    "40 digits": ([LONG, "-" + LONG, "3"], pl.Float64, [float(LONG), -float(LONG), 3.0]),
    "uint64": ([str(2**63), str(2**63 + 5), "1"], pl.Int128, [2**63, 2**63 + 5, 1]),
    "38 digits": (["9" * 38, "1", "2"], pl.Int128, [10**38 - 1, 1, 2]),
    "leading zeros": (["0" * 45 + "7", "1", "2"], pl.Int64, [7, 1, 2]),
    "full-width": (["１２", "３４", "５"], pl.String, ["１２", "３４", "５"]),
    "Arabic": (["١٢", "٣", "4"], pl.String, ["١٢", "٣", "4"]),
    "Devanagari, late": (["1"] * 300 + ["१"], pl.String, ["1"] * 300 + ["१"]),
    "long, late": (["1"] * 300 + [LONG], pl.Float64, [1.0] * 300 + [float(LONG)]),
}


def table(tmp_path, fields):
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "".join(f"{f},{'ab'[k % 2]}\n" for k, f in enumerate(fields)))
    return path


@pytest.mark.parametrize("kind", FIELDS)
def test_numbers_are_read_as_they_are(tmp_path, kind):
    fields, dtype, values = FIELDS[kind]
    column = read_table(table(tmp_path, fields))["x"]
    assert column.dtype == dtype
    assert column.to_list() == values


@pytest.mark.parametrize("kind", FIELDS)
@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_files_larger_than_memory_are_read_alike(tmp_path, kind):
    path = table(tmp_path, FIELDS[kind][0])
    X, y = read_table(path, target="y")
    whole, parts = encode(X, y), encode_files(path, "y", tmp_path / "codes")
    assert whole.column(0).tolist() == parts.column(0).tolist()
    assert whole.features[0].values.tolist() == parts.features[0].values.tolist()


def test_long_integers_of_arff_are_exact(tmp_path):
    path = tmp_path / "table.arff"
    path.write_text(f"@relation r\n@attribute a numeric\n@data\n{2**63}\n{2**63 + 5}\n")
    assert read_table(path)["a"].to_list() == [2**63, 2**63 + 5]


def test_classes_may_be_long_integers():
    labels = read_labels(pl.Series([2**100, 2**100 + 1, 2**100], dtype=pl.Int128), 3)
    assert labels.codes.tolist() == [0, 1, 0]
    assert labels.classes.tolist() == [2**100, 2**100 + 1]
