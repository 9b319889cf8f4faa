"""Files that a command writes: what is refused, what is followed, and what an error names."""

import errno
import os
import subprocess
import sys

import pytest

from deacs.report.files import replace

posix = pytest.mark.skipif(os.name != "posix", reason="pipes, devices and links are POSIX")

SUFFIXES = {"--output": ".csv", "--report": ".html"}


def select(deacs, patients, *options):
    return deacs("select", patients, "--target", "y", "-k", "1", "--exclude", "id", *options)


@posix
@pytest.mark.parametrize("option", ["--output", "--report"])
@pytest.mark.parametrize("is_link", [False, True], ids=["itself", "by link"])
def test_a_pipe_a_device_and_a_folder_are_refused(deacs, patients, tmp_path, option, is_link):
    pipe, folder = tmp_path / "pipe.csv", tmp_path / "folder.csv"
    os.mkfifo(pipe)
    folder.mkdir()
    before = os.stat(os.devnull)
    for goal, kind in ((pipe, "a pipe"), (folder, "a folder"), (os.devnull, "a device")):
        link = tmp_path / f"{kind}.csv"
        link.symlink_to(goal)
        if not is_link and str(goal) == os.devnull and option == "--output":
            continue  # refused by its suffix
        done = select(deacs, patients, option, link if is_link else goal)
        assert done.code == 2
        assert f"{option}: " in done.err
        assert f"is {kind}; name a" in done.err
    assert os.stat(os.devnull)[:3] == before[:3]


@posix
@pytest.mark.parametrize(("option", "suffix"), SUFFIXES.items())
def test_a_link_stays_a_link_to_the_file_that_is_written(deacs, patients, tmp_path, option, suffix):
    other = tmp_path / "other"
    other.mkdir()
    names = [f"new{suffix}", f"older{suffix}"]
    for name in names:
        (tmp_path / f"to-{name}").symlink_to(os.path.relpath(other / name, tmp_path))
    (other / names[1]).write_text("older")
    for name in names:
        assert select(deacs, patients, option, tmp_path / f"to-{name}").code == 0
        assert (tmp_path / f"to-{name}").is_symlink()
        assert (other / name).read_text() != "older"
    assert sorted(path.name for path in other.iterdir()) == names


@pytest.mark.parametrize("name", ["page.csv", "page", "page.html.gz"])
@pytest.mark.parametrize("verb", ["select", "demo"])
def test_a_report_is_written_only_where_a_browser_reads_it(deacs, patients, tmp_path, verb, name):
    words = [patients, "--target", "y"] if verb == "select" else []
    done = deacs(verb, *words, "--report", tmp_path / name)
    assert done.code == 2
    assert f"--report must end in .html or .htm, got {name!r}" in done.err
    assert not (tmp_path / name).exists()


@posix
def test_a_link_in_a_circle_is_refused(deacs, patients, tmp_path):
    link = tmp_path / "circle.csv"
    link.symlink_to(link)
    done = select(deacs, patients, "--output", link)
    assert done.code == 2
    assert "circle.csv" in done.err


@posix
@pytest.mark.parametrize("how", ["itself", "relative", "link", "hard link"])
def test_no_input_is_overwritten_under_any_name(deacs, patients, tmp_path, how, monkeypatch):
    costs = tmp_path / "costs.csv"
    costs.write_text("name,cost\na,1\nb,2\n")
    monkeypatch.chdir(tmp_path)
    for source in (patients, costs):
        before = source.read_bytes()
        goal = {"itself": source, "relative": f"../{tmp_path.name}/./{source.name}"}.get(how)
        if how == "link":
            (goal := tmp_path / f"soft-{source.name}").symlink_to(source)
        if how == "hard link":
            (goal := tmp_path / f"hard-{source.name}").hardlink_to(source)
        for option in ("--output", "--report"):
            done = select(deacs, patients, "--costs", costs, option, goal)
            assert done.code == 2
            assert f"{option} must not be the input file" in done.err
        assert source.read_bytes() == before


@posix
def test_two_outputs_must_be_two_files(deacs, patients, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("same.csv")
    for other in ("same.csv", "./same.csv", tmp_path / "same.csv", "link.csv"):
        done = select(deacs, patients, "--output", "same.csv", "--report", other)
        assert done.code == 2
        assert "--output and --report are the same file" in done.err
    done = deacs("dea", patients, "--outputs", "a,b", "--output", "u.csv", "--plot", "u.csv")
    assert done.code == 2
    assert not (tmp_path / "same.csv").exists()


def test_a_store_that_is_read_is_not_written_into(deacs, patients, tmp_path):
    store = tmp_path / "t.store"
    assert deacs("encode", patients, "--target", "y", "--out", store).code == 0
    before = {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}
    for name in (*before, "page.html"):
        done = deacs("select", store, "-k", "1", "--report", store / name)
        assert done.code == 2
        assert "--report must not be the input file" in done.err
    assert {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_where_the_output_is_redirected_to_is_refused(patients, tmp_path, option):
    goal = tmp_path / "goal.csv"
    with goal.open("wb") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "deacs", "select", patients, "-t", "y", option, goal],
            stdout=stream,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert f"{option}: the standard output goes to" in done.stderr


@pytest.mark.parametrize(("option", "suffix"), SUFFIXES.items())
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_an_error_of_the_system_names_the_file(deacs, monkeypatch, patients, option, suffix, code):
    def fails(_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("os.fsync", fails)
    goal = patients.with_name(f"goal{suffix}")
    done = select(deacs, patients, option, goal)
    assert done.code == 2
    assert done.err == f"error: {goal}: {os.strerror(code)}\n"
    assert not goal.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is Linux")
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
def test_a_full_disk_behind_the_standard_output_is_named(patients, options, unbuffered):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "deacs", "select", patients, "-t", "y", *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 2
    assert done.stderr == "error: the standard output: No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "FILE", "-t", "y", "--out", "TAKEN"],
    ],
    ids=lambda words: f"{words[0]} {words[-2]}",
)
def test_a_folder_is_not_made_where_a_file_is(deacs, patients, tmp_path, arguments):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    words = {"FILE": patients, "TAKEN": taken}
    done = deacs(*(words.get(word, word) for word in arguments))
    assert done.code == 2
    assert f"{taken} exists and is not a folder" in done.err
    assert taken.read_text() == "mine"


def test_a_file_of_another_with_the_name_of_a_temporary_one_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("deacs.report.files.secrets.token_hex", lambda n: "0")
    other = tmp_path / ".page.html.0.part"
    other.write_text("mine")
    with pytest.raises(FileExistsError):
        replace(tmp_path / "page.html", b"page")
    assert other.read_text() == "mine"
