"""Formats by name: their facts, and one that comes from outside."""

import polars as pl
import pytest

from deacs import read_table
from deacs.exceptions import InputError
from deacs.tables.files import FORMATS, FileFormat, register_format


def read_fixed(source, options):
    """Read columns of four characters; the first line has their names."""
    lines = source.read_text(options.encoding).decode().splitlines()
    rows = [[line[k : k + 4].strip() for k in range(0, len(line), 4)] for line in lines]
    if any(len(row) != len(rows[0]) for row in rows):
        raise source.error("a line is too short")
    frame = pl.DataFrame(rows[1:], schema=rows[0], orient="row").drop(options.exclude)
    numbers = [name for name in frame.columns if name not in options.nominal and name != "kind"]
    return frame.with_columns(pl.col(numbers).cast(pl.Float64))


FIXED = "a   b   kind\n" + "".join(f"{k % 2:<4}{k:<4}{'uv'[k % 2]:<4}\n" for k in range(20))


@pytest.fixture
def fixed():
    toy = register_format(
        FileFormat(
            "fixed",
            "columns of four characters",
            read_fixed,
            suffixes=(".fix",),
            options=frozenset(("encoding",)),
            begins=lambda head: head.startswith(b"a   "),
        )
    )
    yield toy
    del FORMATS[toy.name]


def test_a_format_from_outside_is_known_by_its_suffix_its_content_and_its_name(fixed, write):
    for name, how in (("t.fix", {}), ("t.dat", {}), ("t.csv", {"format": "fixed"})):
        X, y = read_table(write(FIXED, name), target="kind", exclude=["b"], **how)
        assert (X.columns, X.height, y.to_list()[:2]) == (["a"], 20, ["u", "v"])


def test_a_format_from_outside_refuses_what_it_does_not_take(fixed, write):
    with pytest.raises(InputError, match="delimiter applies to CSV only, and this is columns of"):
        read_table(write(FIXED, "t.fix"), delimiter=";")
    with pytest.raises(InputError, match=r"t.fix cannot be read as columns of four .*too short"):
        read_table(write(FIXED + "1\n", "t.fix"))
    assert read_table(write(FIXED, "t.fix"), encoding="utf-8").height == 20


def test_a_format_from_outside_serves_the_command_line(fixed, write, capsys, monkeypatch):
    from deacs.cli.app import main

    path = write(FIXED, "t.fix")
    monkeypatch.setattr("sys.argv", ["deacs", "select", str(path), "--target", "kind", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert '"a"' in capsys.readouterr().out


def test_names_and_suffixes_are_not_taken_twice(fixed):
    with pytest.raises(InputError, match="'fixed' again"):
        register_format(FileFormat("fixed", "", read_fixed))
    with pytest.raises(InputError, match=r"got '\.pq', which is 'parquet'"):
        register_format(FileFormat("other", "", read_fixed, suffixes=(".pq",)))
    with pytest.raises(InputError, match="begin with a dot"):
        register_format(FileFormat("other", "", read_fixed, suffixes=("pq",)))


def test_an_unknown_format_lists_the_known_ones(fixed, write):
    with pytest.raises(InputError, match="'libsvm', 'fixed', got 'xls'") as error:
        read_table(write(FIXED, "t.fix"), format="xls")
    assert error.value.accepted == tuple(FORMATS)
