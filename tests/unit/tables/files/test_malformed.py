"""One suite over all formats: what is wrong with a file is said, soon, and with the file's name."""

import gzip
import io
import lzma
import os

import polars as pl
import pytest

from deacs.exceptions import InputError
from deacs.tables.files import read_table, source

ARFF = b"@relation r\n@attribute a real\n@attribute y {u,v}\n@data\n"
DELIMITED = {"csv": b",", "tsv": b"\t"}
TEXT = ["csv", "tsv", "arff", "libsvm"]


def good(kind):
    if kind == "parquet":
        file = io.BytesIO()
        pl.DataFrame({"a": [1.0, 2.0], "y": ["u", "v"]}).write_parquet(file)
        return file.getvalue()
    if kind == "libsvm":
        return b"1 1:1\n2 1:2\n"
    if kind == "arff":
        return ARFF + b"1,u\n2,v\n"
    return b"a,y\n1,u\n2,v\n".replace(b",", DELIMITED[kind])


def defective(kind, defect, content):
    """Return the bytes, and the line that must be named (None where no reader can know)."""
    by_kind = {
        "cut off": {
            "csv": (content[:-3], 3),
            "tsv": (content[:-3], 3),
            "arff": (content[:-3], 6),
            "libsvm": (content[:-2], 2),
            "parquet": (content[:-9], None),
        },
        "one field too many": {
            "csv": (content + b"3,u,4\n", 4),
            "tsv": (content + b"3\tu\t4\n", 4),
            "arff": (content + b"3,u,4\n", 7),
            "libsvm": (content + b"3 1:2 5\n", 3),
        },
        "a quote that never closes": {
            "csv": (content + b'3,"u\n4,v\n', 4),
            "tsv": (content + b'3\t"u\n4\tv\n', 4),
            "arff": (content + b"3,'u\n4,v\n", 7),
        },
        "an encoding that is another": {
            "csv": (content + b"3,\xe4\n", 4),
            "tsv": (content + b"3\t\xe4\n", 4),
            "arff": (content + b"3,\xe4\n", 7),
            "libsvm": (content + b"3 \xe4:1\n", 3),
        },
        "junk": dict.fromkeys((*TEXT, "parquet"), (bytes(range(256)) * 40, None)),
        "junk in the middle": dict.fromkeys(TEXT, (content + b"\x00\x8f" * 99, None)),
        "nothing": dict.fromkeys((*TEXT, "parquet"), (b"", None)),
        "no rows": {
            "csv": (b"a,y\n", None),
            "tsv": (b"a\ty\n", None),
            "arff": (ARFF, None),
            "libsvm": (b"# label index:value\n", None),
        },
    }
    return by_kind[defect].get(kind)


DEFECTS = [
    *("cut off", "one field too many", "a quote that never closes", "an encoding that is another"),
    *("junk", "junk in the middle", "nothing", "no rows"),
]
CASES = [
    (kind, defect, packed)
    for kind in (*TEXT, "parquet")
    for defect in DEFECTS
    for packed in (False, True)
    if defective(kind, defect, b"") is not None and not (packed and kind == "parquet")
]


@pytest.mark.parametrize(("kind", "defect", "packed"), CASES)
def test_a_defect_is_named_with_file_and_line(write, kind, defect, packed):
    content, line = defective(kind, defect, good(kind))
    name = f"bad.{kind}.gz" if packed else f"bad.{kind}"
    path = write(gzip.compress(content) if packed else content, name)
    with pytest.raises(InputError) as error:
        read_table(path)
    assert str(path) in str(error.value)
    if line is not None:
        assert f"line {line}: " in str(error.value)


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
def test_a_good_file_is_read(write, kind):
    assert read_table(write(good(kind), f"good.{kind}")).height == 2


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
@pytest.mark.parametrize("kind", TEXT)
def test_an_archive_may_not_unpack_into_all_memory(write, kind, pack, monkeypatch):
    monkeypatch.setattr("deacs.tables.files.source.PIECE", 1 << 10)
    monkeypatch.setattr("deacs.tables.files.source.MAX_UNPACKED", 1 << 16)
    path = write(pack(good(kind) + b"1,u\n" * (1 << 16)), f"bomb.{kind}")
    with pytest.raises(InputError, match="unpacks to more than 65,536 bytes"):
        read_table(path)


def test_archives_are_held_up_to_a_gigabyte():
    assert source.MAX_UNPACKED == 1 << 30


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("kind", TEXT)
def test_a_cut_archive_is_refused_and_never_a_shorter_table(write, kind, share):
    rows = {"libsvm": "{0} 1:{1}\n", "tsv": "{0}\t{1}\n"}.get(kind, "{0},{1}\n")
    body = "".join(rows.format(k * 7919 % 10007, k * 104729 % 10009) for k in range(3000))
    head = {"libsvm": b"", "tsv": b"a\tb\n", "csv": b"a,b\n"}.get(kind, ARFF)
    packed = gzip.compress(head + body.encode())
    path = write(packed[: int(len(packed) * share)], f"cut.{kind}.gz")
    with pytest.raises(InputError, match="cannot be read as"):
        read_table(path)


def test_a_corrupt_archive_is_refused(write):
    packed = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 2000))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(InputError, match="cannot be read as CSV"):
        read_table(write(bytes(packed), "table.csv.gz"))


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
def test_a_folder_is_not_a_file(tmp_path, kind):
    (tmp_path / f"t.{kind}").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path / f"t.{kind}")


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
def test_a_missing_file_suggests_what_is_there(write, tmp_path, kind):
    write(good(kind), f"wine.{kind}")
    with pytest.raises(InputError, match=rf"vine\.{kind} does not exist; there are wine\.{kind}"):
        read_table(tmp_path / f"vine.{kind}")


@pytest.mark.parametrize("kind", [*TEXT, "parquet"])
def test_a_file_that_may_not_be_read_is_an_error(write, kind, monkeypatch):
    path = write(good(kind), f"secret.{kind}")

    def refused(self, *arguments, **options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", refused)  # root may read everything
    with pytest.raises(InputError, match=r"secret.* may not be read: permission denied"):
        read_table(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_stream_is_read_once(tmp_path):
    from threading import Thread

    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = Thread(target=path.write_bytes, args=[b"a,y\n1,u\n"])
    writer.start()
    assert read_table(path).rows() == [(1, "u")]
    writer.join()
