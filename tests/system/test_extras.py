"""The library without its extras: all of it works but files and the command, which say so."""

import subprocess
import sys
from pathlib import Path

import pytest

from deacs._extras import EXTRAS

ROOT = Path(__file__).parents[2]
WITHOUT = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def find_others(name, *how):
    return None if name.partition(".")[0] in {names} else find(name, *how)
PathFinder.find_spec = find_others
"""
CLI = EXTRAS["cli"]


def run_without(names, code, *arguments):
    """Run code in an interpreter to which these packages are not installed."""
    command = [sys.executable, "-c", WITHOUT.format(names=names) + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def first_example(page):
    """Return the source of the first example of a page."""
    import doctest

    [*examples] = doctest.DocTestParser().get_examples(page.read_text().split("\n## ")[0])
    return "".join(example.source for example in examples)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_example_a_newcomer_meets_needs_no_extra(page):
    every = (*CLI, "pandas", "pyarrow", "matplotlib", "jinja2", "dask")
    done = run_without(every, first_example(ROOT / page) + "print(len(selector.ranking_))")
    assert done.stderr == ""
    assert done.stdout.strip() == "3"


@pytest.mark.parametrize(
    ("code", "user"),
    [
        ("from deacs import read_table; read_table({path!r})", "read_table"),
        ("import deacs; deacs.encode({path!r}, 'y')", "encode of files and lazy frames"),
    ],
)
def test_what_reads_files_says_which_extra_it_needs(tmp_path, code, user):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,u\n")
    done = run_without(("polars",), code.format(path=str(path)))
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(
        f"ModuleNotFoundError: {user} needs polars, which is not installed; "
        "pip install 'deacs[files]'"
    )


def test_a_package_that_no_extra_brings_is_not_explained_away():
    done = run_without(("sklearn",), "from deacs import DEACS")
    assert "deacs[" not in done.stderr
    assert "sklearn" in done.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize("missing", [CLI, ("polars",), ("typer", "rich")])
@pytest.mark.parametrize("arguments", [[], ["select", "t.csv", "--target", "y"], ["--help"]])
def test_the_command_without_its_extra_says_so_in_one_line(missing, arguments):
    done = run_without(missing, "from deacs.cli import main; main()", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    [line] = done.stderr.splitlines()
    assert line.startswith(f"error: the deacs command needs {', '.join(missing)}, ")
    assert line.endswith("pip install 'deacs[cli]'")


def test_the_command_without_its_extra_still_tells_what_a_bug_report_needs():
    done = run_without(CLI, "from deacs.cli import main; main()", "--version", "--verbose")
    assert done.returncode == 0
    assert "numpy" in done.stdout


@pytest.mark.parametrize("owner", ["DEACS(1).fit([[0], [1], [0], [1]], [0, 1, 0, 1])", "ccr"])
def test_a_frame_without_any_library_says_what_to_install(owner):
    code = f"from deacs import DEACS; from deacs.dea import ccr; made = {owner}\n"
    code += "made = made([[1], [2]], [[1], [1]]) if made is ccr else made\nmade.to_frame()"
    done = run_without(("pandas", "polars"), code)
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .endswith(
            "to_frame needs pandas or polars, which is not installed; pip install pandas or polars"
        )
    )
