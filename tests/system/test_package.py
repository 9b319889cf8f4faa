"""The house itself: what importing loads, which way imports point, what the root holds."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import deacs
from tests.each import each

ROOT = Path(__file__).parents[2]
HEAVY = ("polars", "typer", "rich", "pandas", "matplotlib", "jinja2")


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_loads_nothing_optional():
    code = f"import sys, deacs; print([m for m in {HEAVY} if m in sys.modules])"
    assert run(code) == "[]"


def test_importing_dea_alone_loads_neither_scikit_learn_nor_a_frame_library():
    heavy = ("sklearn", "pandas", "polars")
    code = f"import sys, deacs.dea; print([m for m in {heavy} if m in sys.modules])"
    assert run(code) == "[]"


@each("name", deacs.__all__)
def test_every_public_name_is_found(name):
    assert getattr(deacs, name) is not None
    assert name in dir(deacs)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'DEAC'"):
        deacs.DEAC  # noqa: B018


def test_the_arrows_of_the_architecture_page_are_the_import_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [layers] = [c["layers"] for c in contracts["contracts"] if c["type"] == "layers"]
    built = [name.removeprefix("deacs.") for name in layers if not name.startswith("(")]
    page = (ROOT / "ARCHITECTURE.md").read_text()
    [arrows] = re.findall(r"^`(cli > .*)`$", page, flags=re.MULTILINE)
    assert arrows.split(" > ") == built


def test_the_root_is_a_short_list():
    git = shutil.which("git") or "false"
    tracked = subprocess.run([git, "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode != 0:
        pytest.skip("no git, or not a checkout: what is tracked cannot be listed")
    entries = {line.split("/")[0] for line in tracked.stdout.splitlines()}
    # Files that begin with a dot stand where their tools look for them.
    assert len([entry for entry in entries if not entry.startswith(".")]) <= 15


def test_help_and_errors_in_options_come_without_loading_scikit_learn():
    code = (
        "import sys; from deacs.cli.app import main\n"
        "for words in (['--help'], ['select', 't.csv', '-t', 'y', '--alpha', '0.1']):\n"
        "    sys.argv = ['deacs', *words]\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n"
        "print([m for m in ('sklearn', 'pandas') if m in sys.modules])"
    )
    assert run(code).splitlines()[-1] == "[]"


SOURCE = Path(deacs.__file__).parent


def sources():
    """Every module of the package, parsed."""
    for file in sorted(SOURCE.rglob("*.py")):
        text = file.read_text()
        yield file, text, list(ast.walk(ast.parse(text)))


def test_files_and_functions_are_read_at_one_sitting():
    for file, text, nodes in sources():
        assert text.count("\n") <= 600, file
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                documented = ast.get_docstring(node, clean=False) is not None
                begin = node.body[0].end_lineno if documented else node.lineno
                assert node.end_lineno - begin < 80, f"{file}: {node.name}"
