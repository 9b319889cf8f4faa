"""Names are text: no control character of a file, a class or a path reaches a terminal."""

import ast
import json
import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

import deacs.cli
from deacs.cli.output import terminal

EVIL = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202egnirts\x7f"
SHOWN = "\ufffd[31mred\ufffd]0;title"


def hidden_in(text):
    """Return what a terminal would obey, but for new lines."""
    controls = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"}
    return controls | ({"\u202e"} & set(text))


@pytest.fixture
def evil(tmp_path):
    file = tmp_path / f"t{EVIL}.csv"
    rows = "".join(f"{k % 3},{k / 7} kg,c{k % 3}{EVIL}\n" for k in range(60))
    file.write_text(f"a{EVIL},b{EVIL},y{EVIL}\n{rows}", encoding="utf-8")
    return file


@pytest.mark.parametrize(
    "arguments",
    [
        ["select", "FILE", "-t", f"y{EVIL}"],
        ["select", "FILE", "-t", f"y{EVIL}", "-m", "mrmr"],
        ["select", "FILE", "-t", f"y{EVIL}", "--output", f"out{EVIL}.csv"],
        ["select", "FILE", "-t", f"y{EVIL}", "--json"],
        ["select", "FILE", "-t", f"nope{EVIL}"],
        ["select", "FILE", "-t", f"y{EVIL}", "-m", f"x{EVIL}"],
        ["select", "FILE", "-t", f"y{EVIL}", f"--x{EVIL}"],
        ["select", f"no{EVIL}.csv", "-t", "y"],
        ["select", "FILE", "-t", f"y{EVIL}", "--report", f"nowhere{EVIL}/page.html"],
        ["compare", "FILE", "-t", f"y{EVIL}", "-m", "mim", "--folds", "2", "--classifiers", "nb"],
        ["dea", "FILE", "--outputs", f"a{EVIL}", "--names", f"y{EVIL}"],
        ["dea", "FILE", "--outputs", f"b{EVIL}"],
        [f"verb{EVIL}"],
    ],
    ids=lambda words: ascii(" ".join(words)),
)
def test_nothing_that_a_terminal_obeys_is_printed(deacs, evil, monkeypatch, arguments):
    monkeypatch.chdir(evil.parent)
    done = deacs(*(str(evil) if word == "FILE" else word for word in arguments))
    assert hidden_in(done.out) == hidden_in(done.err) == set()
    assert "red" in done.out + done.err


def test_json_escapes_it_and_loses_nothing(deacs, evil):
    printed = json.loads(deacs("select", evil, "-t", f"y{EVIL}", "--json").out)
    assert printed["selected"][0]["feature"] == f"a{EVIL}"
    assert printed["target"] == f"y{EVIL}"


def test_encode_and_a_store_print_nothing_of_it_either(deacs, evil, monkeypatch):
    monkeypatch.chdir(evil.parent)
    store = f"store{EVIL}"
    for arguments in (["encode", evil, "-t", f"y{EVIL}", "--out", store], ["select", store]):
        done = deacs(*arguments)
        assert done.code == 0, done.err
        assert hidden_in(done.out + done.err) == set()
        assert SHOWN in done.out


def on_terminal(*arguments, environment=None):
    """Run the command with a terminal for its error stream; return what that shows."""
    leader, follower = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "200"} | (environment or {}),
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            some = os.read(leader, 4096)
        except OSError:  # Linux says so when the other end is closed
            break
        if not some:
            break
        shown += some
    os.close(leader)
    assert done.wait() == 0
    return shown.decode()


# A clock whose time is told: `late(seconds)` runs what waits at most so long.
CLOCK = """
import sys
from deacs.cli import output
waiting_calls = []
class Timer:
    def __init__(self, seconds, call):
        self.seconds, self.call = seconds, call
    def start(self):
        waiting_calls.append(self)
    def cancel(self):
        if self in waiting_calls:
            waiting_calls.remove(self)
output.Timer = Timer
def late(seconds):
    for timer in [each for each in waiting_calls if each.seconds <= seconds]:
        timer.cancel()
        timer.call()
"""
SLOW = f"""
with output.progress('reading', quiet=False, total=3) as show:
    show({EVIL!r}, 1)
    late(1)
"""


def test_progress_shows_names_as_text():
    shown = on_terminal("-c", CLOCK + SLOW)
    assert SHOWN in shown
    assert "\x1b[31mred" not in shown
    assert "\x1b]0;" not in shown
    assert not {"\x9b", "\x07", "\u202e"} & set(shown)


def test_a_traceback_shows_names_as_text(evil, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "deacs", "--debug", "select", tmp_path / f"no{EVIL}", "-t", "y"],
        stderr=subprocess.PIPE,
    )
    assert hidden_in(done.stderr.decode()) == set()
    assert "Traceback" in done.stderr.decode()


def test_a_tab_offers_no_name_that_cannot_be_typed(evil, monkeypatch):
    from deacs.cli.options import complete_column, complete_columns

    evil.write_text(f"one,{EVIL},two\n")
    monkeypatch.setenv("COMP_WORDS", f"deacs select '{evil}' --target ")
    assert complete_column("") == complete_columns("") == ["one", "two"]


def test_strings_are_neither_markup_nor_codes_of_emoji(capsys):
    terminal().print("[red]a[/red] :heart:")
    assert capsys.readouterr().out == "[red]a[/red] :heart:\n"


def test_only_one_module_makes_consoles():
    """Whoever prints past `terminal` would print what is in names."""
    for path in Path(deacs.cli.__file__).parent.glob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text())) if type(node) is ast.Call]
        names = {ast.unparse(call.func) for call in calls}
        if path.stem != "output":
            assert not {"Console", "_VisibleText"} & names, path
        assert "typer.echo" not in names or path.stem in ("output", "app"), path
        assert "print" not in names or path.stem == "__init__", path


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_bars_and_errors_are_legible_in_every_encoding(tmp_path, encoding):
    """Latin-1 has the sign for errors, but none for bars."""
    file = tmp_path / "t.csv"
    rows = "".join(f"{k % 3 + k % 7 // 5},{'uvw'[k % 3]}\n" for k in range(60))
    file.write_text(f"a,y\n{rows}")
    command = [sys.executable, "-m", "deacs", "select", file, "-t", "y", "-k", "1"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "120"}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    shown = done.stdout.decode(encoding)
    assert "?" not in shown
    assert ("adds (+/- s.e.)" if encoding == "ascii" else "adds (± s.e.)") in shown
    bars = [line for line in shown.splitlines() if line.startswith(("u ", "v ", "w "))]
    assert len(bars) == 3
    full, empty = "█░" if encoding == "utf-8" else "#."
    assert all(sum(map(line.count, (full, empty))) >= 20 for line in bars)


@pytest.mark.parametrize("stated", ["0", "00", "1", "7"])
def test_a_terminal_without_columns_shows_everything(deacs, patients, monkeypatch, stated):
    said = []
    for columns in (stated, "40"):
        monkeypatch.setenv("COLUMNS", columns)
        said.append(
            [
                deacs("select", patients, "-t", "y", "-k", "1").out,
                deacs("select", patients, "-t", "absent").err,
                deacs("--help").out,
            ]
        )
    assert said[0] == said[1]
    assert "1 of 3 features selected" in said[0][0]
    assert "absent" in said[0][1]
    assert "Usage" in said[0][2]
