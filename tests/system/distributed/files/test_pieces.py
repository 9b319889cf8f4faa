"""Text in pieces: together the whole text, each of them whole records."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.distributed.files import pieces as module
from deacs.distributed.files.pieces import pieces
from deacs.exceptions import InputError
from deacs.tables.files import source as sources
from deacs.tables.files.source import Source

FIELDS = st.text(st.sampled_from('ab",\n\r é'), max_size=6)


@given(
    rows=st.lists(st.lists(FIELDS, min_size=2, max_size=2), min_size=1, max_size=40),
    line_end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    size=st.integers(1, 60),
    at_once=st.integers(1, 50),
)
def test_pieces_are_whole_records_and_together_the_text(
    rows, line_end, encoding, size, at_once, tmp_path_factory
):
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator=line_end).writerows(rows)
    path = tmp_path_factory.getbasetemp() / "table.csv"
    path.write_bytes(file.getvalue().encode(encoding))
    source = Source(path, "CSV")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "PIECE", at_once + 10)
        found = list(pieces(source, None if encoding != "utf-8" else encoding, size))
    assert b"".join(found) == source.read_text()
    for text in found:
        assert text.endswith(b"\n")
        assert text.count(b'"') % 2 == 0


def test_a_quote_that_never_closes_ends_in_an_error_not_in_a_full_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_RECORD", 1 << 16)
    monkeypatch.setattr(sources, "PIECE", 1 << 12)
    path = tmp_path / "table.csv"
    path.write_text('a,b\n1,2\n3,"4\n' + "5,6\n" * 100_000)
    found = pieces(Source(path, "CSV"), None, 1 << 12)
    with pytest.raises(InputError, match="line 3: a quote opens here or below and does not close"):
        list(found)


def test_many_quotes_take_no_more_than_linear_time(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('"a","b"\n"1' + '","2"\n"3' * 200_000)
    assert len(list(pieces(Source(path, "CSV"), None, 1 << 20))) >= 1
