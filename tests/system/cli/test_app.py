"""What all verbs share: errors, exit codes, interruptions, pipes, completion."""

import os
import stat
import subprocess
import sys

import polars as pl
import pytest

COMMAND = [sys.executable, "-m", "deacs"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["selct"], "No such command 'selct'"),
        (["select"], "Missing argument 'FILE'"),
        (["select", "t.csv"], "Missing option '--target' / '-t'"),
        (["select", "t.csv", "--tagret", "y"], "No such option"),
        (["select", "t.csv", "-t", "y", "-k", "ten"], "-k must be a whole number"),
        (["select", "t.csv", "-t", "y", "--judge", "x"], "--judge must be one of bounded, radial"),
        (["dea", "t.csv"], "Missing option '--outputs'"),
        (["compare", "t.csv"], "Missing option '--target'"),
        (["select", "t.csv", "-t", "y"], "t.csv does not exist"),
        (["dea", "t.csv", "--outputs", "a"], "t.csv does not exist"),
        (["compare", "t.csv", "-t", "y"], "t.csv does not exist"),
        (["demo", "--report", "nowhere/page.html"], "the folder nowhere does not exist"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_command_is_one_line_and_code_2(deacs, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = deacs(*arguments)
    assert done.code == 2
    assert done.out == ""
    [line] = done.err.strip().splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert list(tmp_path.iterdir()) == []


def test_no_verb_shows_the_help(deacs):
    done = deacs()
    assert done.code == 2
    assert "Usage: deacs" in done.out + done.err
    assert "error" not in done.err


@pytest.mark.parametrize("place", [0, 1, 4])
def test_debug_shows_where_an_error_comes_from_wherever_it_stands(monkeypatch, place):
    from deacs.cli.app import main
    from deacs.exceptions import InputError

    arguments = ["select", "no.csv", "--target", "y"]
    arguments.insert(place, "--debug")
    monkeypatch.setattr(sys, "argv", ["deacs", *arguments])
    with pytest.raises(InputError, match="does not exist"):
        main()


@pytest.mark.parametrize(("value", "is_debugging"), [("1", True), ("0", False), ("", False)])
def test_debug_may_come_from_the_environment(monkeypatch, value, is_debugging):
    from deacs.cli.app import main
    from deacs.exceptions import InputError

    monkeypatch.setenv("DEACS_DEBUG", value)
    monkeypatch.setattr(sys, "argv", ["deacs", "select", "no.csv", "--target", "y"])
    with pytest.raises(InputError if is_debugging else SystemExit):
        main()


def broken(error):
    def raising(*_, **__):
        raise error

    return raising


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyError("x"), 3, "KeyError: 'x'; this is a defect of deacs"),
        (MemoryError("12 GiB"), 3, "not enough memory: 12 GiB"),
        (ValueError("two\n lines"), 2, "error: two lines"),
        (PermissionError(13, "denied"), 2, "denied"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=["defect", "memory", "value", "system", "interrupt"],
)
def test_whatever_goes_wrong_is_one_line(deacs, monkeypatch, patients, error, code, message):
    monkeypatch.setattr("deacs.tables.files.read_table", broken(error))
    done = deacs("select", patients, "--target", "y")
    assert done.code == code
    [line] = done.err.strip().splitlines()
    assert message in line
    assert done.out == ""


INTERRUPTED_IMPORT = """
import signal, sys
class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv = ["deacs", "select", {file!r}, "--target", "y"]
from deacs.cli import main
main()
"""


@pytest.mark.parametrize(
    "module",
    ["deacs.cli.app", "typer", "rich", "polars", "numpy", "sklearn", "deacs.selection.loop"],
)
def test_an_interruption_while_modules_load_is_quiet(patients, module):
    code = INTERRUPTED_IMPORT.format(module=module, file=str(patients))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_an_interruption_that_python_cannot_raise_is_not_lost():
    code = """
import sys
import deacs.cli
class Lost:
    def __del__(self):
        raise KeyboardInterrupt
def run():
    Lost()
    for _ in range(10**9):  # until it is raised again
        pass
    sys.exit("went on")
sys.modules["deacs.cli.app"] = type(sys)("deacs.cli.app")
sys.modules["deacs.cli.app"].main = run
deacs.cli.main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize(("option", "name"), [("--output", "goal.csv"), ("--report", "goal.html")])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "disk full")])
def test_nothing_half_written_is_left_behind(deacs, monkeypatch, patients, option, name, error):
    goal = patients.with_name(name)
    goal.write_text("older")
    monkeypatch.setattr("pathlib.Path.replace", broken(error))
    done = deacs("select", patients, "--target", "y", option, goal)
    assert done.code == (130 if isinstance(error, KeyboardInterrupt) else 2)
    assert goal.read_text() == "older"
    assert sorted(path.name for path in patients.parent.iterdir()) == [name, patients.name]


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX")
@pytest.mark.parametrize(("option", "name"), [("--output", "goal.csv"), ("--report", "goal.html")])
def test_written_files_have_the_rights_of_new_files(deacs, patients, option, name):
    goal = patients.with_name(name)
    before = os.umask(0o027)
    try:
        deacs("select", patients, "--target", "y", option, goal)
    finally:
        os.umask(before)
    assert stat.S_IMODE(goal.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="pipes close so on POSIX only")
@pytest.mark.parametrize("options", [["--json"], []])
def test_a_reader_that_goes_away_is_no_error(patients, options):
    arguments = ["select", str(patients), "--target", "y", *options]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.stderr.strip() == b""
    assert done.returncode == 1


def test_what_a_terminal_cannot_show_is_replaced_but_json_is_whole(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("größe,y\n" + "0,ä\n1,u\n" * 5)
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    outputs = [
        subprocess.run(
            [*COMMAND, "select", str(file), "--target", "y", *options],
            capture_output=True,
            check=True,
            env=environment,
        ).stdout
        for options in ([], ["--json"])
    ]
    assert b"gr??e" in outputs[0].replace(b"\xef\xbf\xbd", b"?")
    assert '"größe"' in outputs[1].decode("utf-8")


def test_a_dash_is_the_standard_input(patients):
    done = subprocess.run(
        [*COMMAND, "select", "-", "--target", "y", "-k", "1", "--exclude", "id"],
        input=patients.read_bytes(),
        capture_output=True,
        check=True,
    )
    assert b"1 of 2 features" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["select", "FILE", "-t", "y", "-j", "0"],
            "error: --jobs must be positive or negative, got 0",
        ),
        (["select", "FILE", "-t", "y", "-m", "foo"], "error: --method must be one of deacs, cmi"),
        (["compare", "FILE", "-t", "y", "--folds", "90"], "error: --folds must not exceed the"),
        (["compare", "FILE", "-t", "y", "-m", "foo"], "error: --methods must name selectors"),
        (["selct"], "'select'? deacs --help shows what there is"),
        (["dea", "FILE", "--inputs", "a", "--outputs", "a"], "--outputs both name 'a'"),
        (["dea", "FILE", "--inputs", "id", "--outputs", "a"], "it holds 'p0'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_said_in_words_of_the_command_line(deacs, patients, arguments, words):
    done = deacs(*(str(patients) if word == "FILE" else word for word in arguments))
    assert done.code == 2
    assert words in done.err
    assert "{" not in done.err
    assert "Value error" not in done.err


def test_help_and_completion_load_nothing_that_takes_long():
    code = "import sys, deacs.cli.app; print({'numpy', 'sklearn', 'polars'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_output_that_is_no_terminal_has_no_colours_and_no_progress(deacs, patients):
    done = deacs("select", patients, "--target", "y")
    assert "\x1b[" not in done.out
    assert done.err.strip() == ""


def completing(words):
    """What the shell puts into the environment when it asks for what may follow."""
    return {
        "_DEACS_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }


def test_a_tab_is_answered_by_the_script():
    # Its name says which variable asks for completion.
    code = "import sys; sys.argv = ['deacs']; from deacs.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | completing("deacs select --method mr"),
    )
    assert done.stdout.split() == ["mrmr"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("deacs sel", ["select"]),
        ("deacs select --method mr", ["mrmr"]),
        ("deacs select FILE --target y", ["y"]),
        ("deacs select FILE --target y --exclude id,", ["id,a", "id,b", "id,y"]),
        ("deacs select no.csv --target y", []),
    ],
)
def test_a_tab_offers_verbs_methods_and_columns(deacs, monkeypatch, patients, words, offered):
    for name, value in completing(words.replace("FILE", str(patients))).items():
        monkeypatch.setenv(name, value)
    assert deacs().out.split() == offered


def test_columns_are_offered_of_every_kind_of_file(tmp_path, monkeypatch):
    from deacs.cli.options import complete_column

    (tmp_path / "t.tsv").write_text("one\ttwo\n1\t2\n")
    (tmp_path / "t.arff").write_text("@attribute one numeric\n@attribute two {a}\n@data\n1,a\n")
    (tmp_path / "t.libsvm").write_text("1 1:1\n")
    pl.DataFrame({"one": [1], "two": [2]}).write_parquet(tmp_path / "t.parquet")
    for suffix, names in (
        *((s, ["one", "two"]) for s in ("tsv", "arff", "parquet")),
        ("libsvm", ["f1", "label"]),
    ):
        monkeypatch.setenv("COMP_WORDS", f"deacs select {tmp_path / 't'}.{suffix} --target ")
        assert complete_column("") == names


def test_version_is_one_line_and_verbose_what_a_bug_report_needs(deacs):
    import numpy

    from deacs import __version__

    assert deacs("--version").out == f"deacs {__version__}\n"
    told = dict(line.split(maxsplit=1) for line in deacs("--version", "--verbose").out.splitlines())
    assert told["deacs"] == __version__
    assert told["numpy"] == numpy.__version__
    assert told["Python"].startswith(sys.version.split()[0])


def test_verbose_belongs_to_version(deacs):
    done = deacs("--verbose", "demo")
    assert done.code == 2
    assert "--verbose: belongs to --version" in done.err
