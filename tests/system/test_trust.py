"""What SECURITY.md promises: no network, no telemetry, no pickle, no data that runs as code."""

import ast
import subprocess
import sys
from pathlib import Path

import deacs
from tests.each import each

SOURCE = Path(deacs.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

NETWORK = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "httpx", "aiohttp"}
CODE_IN_DATA = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "imp", "runpy"}

# Python tells a hook of every socket, name look-up and child process before it happens.
GUARD = """
import sys
FORBIDDEN = ("socket.", "urllib.Request", "http.", "smtplib.", "ftplib.")
def guard(event, arguments):
    if event.startswith(FORBIDDEN):
        raise RuntimeError(f"network: {event} {arguments}")
sys.addaudithook(guard)
"""


def imported_by(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        # What parses addresses calls none.
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module != "urllib.parse":
            yield (node.module or "").split(".")[0]


@each("file", FILES)
def test_no_module_speaks_to_a_network_or_reads_code_from_data(file):
    assert not (NETWORK | CODE_IN_DATA) & set(imported_by(file))
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", "")
            assert called not in ("eval", "exec", "__import__"), f"line {node.lineno}"
            for word in node.keywords:
                if word.arg == "allow_pickle":
                    assert isinstance(word.value, ast.Constant), f"line {node.lineno}"
                    assert word.value.value is False, f"line {node.lineno}"


def test_nothing_fetches_data_sets():
    assert not [file.name for file in FILES if "fetch_" in file.read_text()]


def guarded(code, *arguments):
    command = [sys.executable, "-c", GUARD + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_guard_of_these_tests_sees_a_socket():
    done = guarded("import socket; socket.create_connection(('localhost', 9))")
    assert "RuntimeError: network: socket." in done.stderr


def test_fitting_and_scoring_open_no_socket():
    done = guarded(
        "from sklearn.datasets import load_iris\n"
        "from deacs import DEACS, MRMR, ReliefF\n"
        "X, y = load_iris(return_X_y=True)\n"
        "print([len(s(2).fit(X, y).ranking_) for s in (DEACS, MRMR, ReliefF)])\n"
        "print(DEACS(2).fit(X, y).unexplained_.shape)\n"
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[2, 2, 2]", "(3, 3)"]


def test_the_command_line_with_its_page_opens_no_socket(tmp_path):
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    table.write_text("a,b,y\n" + "0,1,u\n1,1,v\n0,0,u\n1,0,v\n" * 10)
    done = guarded(
        "from deacs.cli import main; main()",
        *("select", table, "--target", "y", "--report", page, "--quiet"),
    )
    assert done.returncode == 0, done.stderr
    assert page.stat().st_size > 10_000
