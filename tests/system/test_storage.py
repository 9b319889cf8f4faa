"""Files behind addresses: what is read there is what is read from a path, or a clear error."""

import gzip
import json
import subprocess
import sys
import traceback

import fsspec
import polars as pl
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from polars.testing import assert_frame_equal

from deacs import read_table
from deacs.exceptions import InputError, StorageError
from deacs.storage import Remote, at_hand, is_url, place_of
from tests.system.s3_server import BUCKET, SECRETS, Proxy, forget_connections, s3

ROWS = "\n".join(f"{k % 7},{k % 3}.5,{'uvw'[k % 3]}" for k in range(20_000))
CSV = f"a,b,y\n{ROWS}\n".encode()
FEW = b"".join(CSV.splitlines(keepends=True)[:40])


def put(address, data):
    files, path = fsspec.core.url_to_fs(address)
    files.pipe_file(path, data)
    return address


@pytest.fixture
def bucket():
    s3()
    forget_connections()
    yield f"s3://{BUCKET}/storage"
    forget_connections()


@pytest.fixture
def through(bucket, monkeypatch):
    """Send requests through a proxy that meddles with them."""
    made = []

    def meddle(**how):
        proxy = Proxy(s3(), **how)
        made.append(proxy)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{proxy.port}")
        forget_connections()
        return proxy

    yield meddle
    for proxy in made:
        proxy.close()


@pytest.fixture(params=["s3", "memory", "file"])
def folder(request, tmp_path):
    """Return the address of a folder, of each kind of storage."""
    if request.param == "s3":
        return request.getfixturevalue("bucket")
    return "memory://storage" if request.param == "memory" else f"file://{tmp_path}"


def _formats(tmp_path):
    frame = pl.read_csv(CSV).head(50)
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_bytes(CSV)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(CSV))
    (tmp_path / "t.arff").write_text("@relation t\n@attribute a {p, q}\n@data\np\nq\n")
    (tmp_path / "t.svm").write_text("1 1:0.5 3:2\n0 2:1\n")
    return sorted(path.name for path in tmp_path.glob("t.*"))


def test_every_format_is_read_as_from_a_path(folder, tmp_path):
    names = _formats(tmp_path)
    assert len(names) == 5
    for name in names:
        address = put(f"{folder}/copy-{name}", (tmp_path / name).read_bytes())
        assert_frame_equal(read_table(address), read_table(tmp_path / name))


def test_a_copy_is_gone_once_it_is_read():
    address = Remote(put("memory://storage/t.csv", CSV))
    with at_hand(address) as file:
        assert file.read_bytes() == CSV
    assert not file.parent.exists()


def test_paths_stay_paths(tmp_path):
    for path in ("t.csv", "C:/t.csv", "C://t.csv", "duckdb:t.db", "a:b//c", tmp_path):
        assert not is_url(str(path))
        assert not isinstance(place_of(path), Remote)


def test_errors_of_readers_name_the_address_and_not_the_copy():
    address = put("memory://storage/bad.csv", b"a,b\n1,2\n1,2,3\n")
    with pytest.raises(InputError, match=r"^memory://storage/bad\.csv, line 3: 3 fields"):
        read_table(address)
    with pytest.raises(InputError, match=r"^memory://storage/empty\.csv is empty"):
        read_table(put("memory://storage/empty.csv", b""))
    with pytest.raises(InputError, match=r"^memory://storage/cut\.parquet cannot be read as"):
        read_table(put("memory://storage/cut.parquet", b"PAR1" + b"\0" * 99))


def test_what_is_missing_is_named_with_what_is_there(bucket):
    put(f"{bucket}/there/t.csv", CSV)
    with pytest.raises(InputError, match=r"storage/there/s\.csv does not exist; there are t\.csv$"):
        read_table(f"{bucket}/there/s.csv")
    with pytest.raises(InputError, match=r"s3://other/t\.csv does not exist: .*bucket"):
        read_table("s3://other/t.csv")
    with pytest.raises(InputError, match=r"storage/there is a folder; name a file in it"):
        read_table(f"{bucket}/there")


def test_storage_that_does_not_answer_is_an_error_that_names_the_address(bucket, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    forget_connections()
    with pytest.raises(StorageError, match=rf"{bucket}/t\.csv could not be read: .*connect"):
        read_table(f"{bucket}/t.csv")


def test_a_read_that_breaks_off_is_begun_again(bucket, through):
    address = put(f"{bucket}/cut.csv", CSV)
    proxy = through(cuts=2)
    assert read_table(address).height == 20_000
    assert proxy.cuts == 0


def test_a_read_that_breaks_off_again_and_again_is_an_error(bucket, through):
    address = put(f"{bucket}/cut.csv", CSV)
    through(cuts=1000)
    with pytest.raises(StorageError, match=rf"{address} could not be read: "):
        read_table(address)


class Meddling(MemoryFileSystem):
    """Storage whose reads come short, or whose files change under the reader."""

    protocol = "meddling"
    is_short = False

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.replace("meddling://", "memory://"))

    def cat_file(self, path, start=None, end=None, **how):
        data = super().cat_file(path, start=start, end=end, **how)
        if self.is_short:
            return data[: data.rindex(b"\n", 0, -1) + 1]  # a table, without its last row
        self.pipe_file(path, CSV.replace(b"u", b"v"))
        return data


@pytest.mark.parametrize(
    ("is_short", "words"),
    [
        (True, rf"was truncated: [\d,]+ of {len(CSV):,} bytes came from byte 0 on"),
        (False, "changed while it was read"),
    ],
)
def test_what_came_short_or_changed_is_never_a_table(monkeypatch, is_short, words):
    fsspec.register_implementation("meddling", Meddling, clobber=True)
    monkeypatch.setattr(Meddling, "is_short", is_short)
    MemoryFileSystem().pipe_file("/meddling/t.csv", CSV)
    with pytest.raises(StorageError, match=rf"meddling://meddling/t\.csv {words}; try again"):
        read_table("meddling://meddling/t.csv")


def test_a_copy_that_the_disk_has_no_room_for_is_refused(monkeypatch):
    address = put("memory://storage/t.csv", CSV)
    full = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("deacs.storage.shutil.disk_usage", lambda folder: full)
    with pytest.raises(InputError, match=rf"{address} has {len(CSV):,} bytes, .*1,000; .*TMPDIR"):
        read_table(address)


@pytest.mark.parametrize(
    "address",
    [
        "s3://key:hidden@bucket/t.csv",
        "https://hidden@host/t.csv",
        "https://host/t.csv?signature=hidden",
        "zip://t.csv::s3://key:hidden@bucket/t.zip",
    ],
)
def test_an_address_with_credentials_is_refused_and_not_shown(address):
    with pytest.raises(InputError, match="must not hold a password") as caught:
        read_table(address)
    assert "hidden" not in "".join(traceback.format_exception(caught.value)).replace(address, "")
    assert "hidden" not in str(caught.value)


def test_a_container_of_azure_is_no_password():
    assert str(Remote("abfs://visits@account.example/t.csv")).startswith("abfs://visits@")


def _without(names, address):
    code = (
        f"import sys\nfor name in {names!r}: sys.modules[name] = None\n"
        "from deacs.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "select", address, "--target", "y"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    return line


def test_a_missing_package_is_named():
    line = _without(["fsspec"], "s3://bucket/t.csv")
    assert "s3://bucket/" in line
    assert line.endswith("needs fsspec, which is not installed; pip install 'deacs[remote]'")
    assert _without(["s3fs"], "s3://bucket/t.csv").endswith("Install s3fs to access S3")
    with pytest.raises(InputError, match=r"^nowhere://t\.csv cannot be opened: .*not known"):
        read_table("nowhere://t.csv")


def test_credentials_come_from_the_environment_or_from_the_files_of_the_driver(
    bucket, monkeypatch, tmp_path
):
    address = put(f"{bucket}/t.csv", CSV)
    for name in SECRETS:
        monkeypatch.delenv(name)
    forget_connections()
    with pytest.raises(InputError, match=r"may not be read: .*credentials come from the env"):
        read_table(address)
    file = tmp_path / "credentials"
    lines = [f"{name.lower()} = {value}" for name, value in SECRETS.items()]
    file.write_text("[default]\n" + "\n".join(lines))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    forget_connections()
    assert read_table(address).height == 20_000


def deacs(*arguments):
    command = [sys.executable, "-m", "deacs", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command_line_selects_from_an_address_and_shows_no_credentials(bucket, tmp_path):
    address = put(f"{bucket}/t.csv", FEW)
    page = tmp_path / "page.html"
    done = deacs("select", address, "--target", "y", "-k", 1, "--json", "--report", page)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["file"] == address
    assert [step["feature"] for step in document["selected"]] == ["b"]
    missing = deacs("select", f"{bucket}/missing.csv", "--target", "y", "--debug")
    assert f"{bucket}/missing.csv does not exist" in missing.stderr
    for text in (done.stdout, done.stderr, page.read_text(), missing.stderr):
        assert not any(secret in text for secret in SECRETS.values())


def test_storage_that_denies_says_so_without_the_credentials(bucket):
    import boto3

    address = put(f"{bucket}/t.csv", FEW)
    client = boto3.client("s3")
    deny = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [deny]})
    client.put_bucket_policy(Bucket=BUCKET, Policy=policy)
    try:
        done = deacs("select", address, "--target", "y")
    finally:
        client.delete_bucket_policy(Bucket=BUCKET)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert f"{address} may not be read: " in line
    assert not any(secret in line for secret in SECRETS.values())
