"""What `--json` prints, held against the tables of docs/cli.md, both ways."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deacs.cli.app import app

PAGE = Path(__file__).parents[3] / "docs" / "cli.md"
SCHEMA = re.compile(r"<!-- schema: (\S+) (\d+) -->\n\n((?:\|.*\n)+)")
TYPES = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "whole number": lambda value: isinstance(value, int) and not isinstance(value, bool),
    '"inf"': lambda value: value == "inf",
    "null": lambda value: value is None,
    "truth": lambda value: isinstance(value, bool),
    "anything": lambda value: True,
}


def documented(name):
    """Return the version, and for each key whether it may be absent and what it may be."""
    [(version, table)] = [
        found[1:] for found in SCHEMA.findall(PAGE.read_text()) if found[0] == name
    ]
    keys = {}
    for row in table.splitlines()[2:]:
        key, kind = (cell.strip() for cell in row.replace(r"\|", "/").split("|")[1:3])
        keys[key.strip("`")] = kind.endswith("?"), kind.rstrip("?").split(" or ")
    return int(version), keys


def paths(value, path, maps):
    """Yield every leaf of a document under its path in the documentation's words."""
    if isinstance(value, list):
        for entry in value:
            yield from paths(entry, f"{path}[]", maps)
    elif isinstance(value, dict) and f"{path}{{}}" in maps:
        for entry in value.values():
            yield from paths(entry, f"{path}{{}}", maps)
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from paths(entry, f"{path}.{key}".removeprefix("."), maps)
    else:
        yield path, value


def complaints(printed):
    """Return what the documentation does not say, and what it says that is not there."""
    name, version = printed["schema"]["name"], printed["schema"]["version"]
    known_version, keys = documented(name)
    maps = {key[: key.rindex("{}") + 2] for key in keys if "{}" in key}
    found = [] if version == known_version else [f"version {version}"]
    seen = set()
    for path, value in paths(printed, "", maps):
        free = f"{path.partition('.')[0]}.*"
        key = path if path in keys else free
        seen.add(key)
        if key not in keys:
            found.append(f"{path} is not documented")
        elif not any(TYPES[kind](value) for kind in keys[key][1]):
            found.append(f"{path} must be {' or '.join(keys[key][1])}, got {value!r}")
    found += [f"{key} is absent" for key in keys if not keys[key][0] and key not in seen]
    return found


def printed_by(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--exclude", "id", "-k", "1"],
        ["--judge", "sum", "--include", "b"],
        ["-m", "mrmr"],
        ["-m", "relieff", "-k", "2"],
        ["-k", "auto"],
        ["-m", "cmi", "-k", "auto", "--alpha", "0.2"],
        ["-k", "2", "--published"],
        ["--missing", "ignore", "--weight-ratio", "2"],
    ],
    ids=" ".join,
)
def test_a_selection_is_as_documented(patients, options):
    printed = printed_by("select", patients, "--target", "y", "--json", *options)
    assert printed["schema"]["name"] == "deacs.select"
    assert complaints(printed) == []


@pytest.mark.parametrize(
    "options",
    [
        ["--inputs", "staff"],
        ["--names", "bank", "--model", "sbm", "--inputs", "staff"],
        ["--model", "directional-distance", "--inputs", "staff", "--undesirable", "bad"],
        ["--model", "cross-efficiency", "--inputs", "staff"],
    ],
    ids=" ".join,
)
def test_scores_of_units_are_as_documented(tmp_path, options):
    file = tmp_path / "banks.csv"
    file.write_text("bank,staff,bad,loans\nx,2,1,4\ny,3,2,4\nz,4,1,9\n")
    printed = printed_by("dea", file, "--outputs", "loans", "--json", *options)
    assert printed["schema"]["name"] == "deacs.dea"
    assert complaints(printed) == []


def test_a_comparison_is_as_documented(patients):
    options = ["--methods", "mrmr,mim", "-k", "2", "--folds", "2", "--classifiers", "nb"]
    printed = printed_by("compare", patients, "--target", "y", "--json", *options)
    assert printed["schema"]["name"] == "deacs.compare"
    assert complaints(printed) == []


def test_a_check_is_as_documented(patients, tmp_path):
    rules = tmp_path / "rules.json"
    assert (
        CliRunner()
        .invoke(app, ["select", str(patients), "-t", "y", "--save", str(rules)])
        .exit_code
        == 0
    )
    for options in ([], ["--target", "y"]):
        printed = printed_by("check", rules, patients, "--json", *options)
        assert printed["schema"]["name"] == "deacs.check"
        assert complaints(printed) == []


def test_an_explanation_is_as_documented(patients):
    for name in ("a", "b"):
        printed = printed_by("explain", patients, "-t", "y", "-k", "1", "--feature", name, "--json")
        assert printed["schema"]["name"] == "deacs.explain"
        assert complaints(printed) == []


def test_the_check_sees_what_is_wrong(patients):
    printed = printed_by("select", patients, "--target", "y", "--json")
    printed["schema"]["version"] += 1
    printed["colour"] = "red"
    printed["n_rows"] = "42"
    del printed["stop_reason"]
    assert complaints(printed) == [
        f"version {printed['schema']['version']}",
        "n_rows must be whole number, got '42'",
        "colour is not documented",
        "stop_reason is absent",
    ]
