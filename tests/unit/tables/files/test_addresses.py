"""Tables behind addresses: as from the file itself, and no credentials in sight."""

import polars as pl
import pytest

from deacs import read_table
from deacs.exceptions import InputError, StorageError

TABLE = pl.DataFrame({"size": [1.5, None, 2.0], "kind": ["a", "b", "a"]})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_address_gives_what_the_file_gives(ending, tmp_path):
    path = tmp_path / f"t.{ending}"
    getattr(TABLE, f"write_{ending}")(path)
    address = f"file://{path}"
    assert read_table(address).equals(read_table(path))
    X, y = read_table(address, target="kind", exclude=())
    assert X.columns == ["size"]
    assert y.to_list() == ["a", "b", "a"]


@pytest.mark.parametrize(
    "address",
    ["s3://me:hunter2@bucket/t.csv", "https://me@host/t.csv", "s3://bucket/t.csv?secret=hunter2"],
)
def test_an_address_with_credentials_is_refused_and_not_shown(address):
    with pytest.raises(InputError, match="must not hold a password or a query") as refused:
        read_table(address)
    assert "hunter2" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises((InputError, StorageError), match=r"none\.parquet"):
        read_table(f"file://{tmp_path}/none.parquet")
