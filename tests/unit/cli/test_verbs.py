"""Options from data: what registries hold is offered, and errors name options by their parts."""

import ast
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from typer.testing import CliRunner

import deacs.cli
from deacs.cli.app import app
from deacs.cli.check import CheckOptions
from deacs.cli.compare import CompareOptions
from deacs.cli.dea import DeaOptions
from deacs.cli.encode import EncodeOptions
from deacs.cli.explain import ExplainOptions
from deacs.cli.options import REGISTRIES, in_options, option_table, worded_by, words
from deacs.cli.select import SelectOptions
from deacs.exceptions import InputError, Note, Parameter
from deacs.selection.judges import JUDGES, Judge, register_judge

OPTIONS = {
    "select": SelectOptions,
    "encode": EncodeOptions,
    "check": CheckOptions,
    "explain": ExplainOptions,
    "compare": CompareOptions,
    "dea": DeaOptions,
}


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


@pytest.mark.parametrize("verb", OPTIONS)
def test_every_field_is_an_option_that_the_help_shows(verb):
    text = run(verb, "--help").output
    for option in option_table(OPTIONS[verb]).values():
        assert option in text
    assert all(field.name.isidentifier() for field in fields(OPTIONS[verb]))


@pytest.mark.parametrize("words", [[], *([verb] for verb in OPTIONS), ["demo"]], ids=str)
def test_help_names_no_registry_and_gives_flags_no_value(words):
    text = run(*words, "--help").output
    assert "Usage: deacs" in " ".join(text.split())
    assert "one of:" not in text
    assert "bool" not in text.lower()


def test_help_lists_what_the_registries_hold():
    text = " ".join(re.sub(r"[│╭╮╰╯─]", " ", run("select", "--help").output).split())
    for name in ("judge", "conditioning", "label_score", "estimator", "tie_break", "method"):
        assert f": {', '.join(words(name))}." in text
    for name in REGISTRIES:
        assert len(words(name)) > 1


@pytest.mark.parametrize(
    ("verb", "kinds"),
    [
        ("select", "auto, classes, labels, numbers"),
        ("encode", "auto, classes, numbers"),
        ("compare", "auto, classes, numbers"),
    ],
)
def test_kinds_of_targets_are_those_that_the_command_takes(verb, kinds, patients, tmp_path):
    text = " ".join(re.sub(r"[│╭╮╰╯─]", " ", run(verb, "--help").output).split())
    assert f"The kind of target: {kinds}." in text
    out = ("--out", tmp_path / "store") if verb == "encode" else ()
    done = run(verb, patients, "-t", "y", *out, "--target-kind", "several")
    assert f"--target-kind must be one of {kinds}, got 'several'" in str(done.exception)


class Least(Judge):
    """The candidate that is most informative about the class it serves least."""

    def scores(self, R, x):
        return R.min(axis=1)


def test_a_judge_registered_outside_is_offered_checked_and_used(patients):
    register_judge("least", Least)
    try:
        assert "least" in words("judge")
        assert "least" in run("select", "--help").output
        options = ("--judge", "least", "-k", "1", "--exclude", "id", "--json")
        done = run("select", patients, "-t", "y", *options)
        assert json.loads(done.stdout)["settings"]["judge"] == "least"
        assert json.loads(done.stdout)["selected"][0]["feature"] == "a"
    finally:
        del JUDGES["least"]


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        (Parameter("missing"), "--missing"),
        (Parameter("missing", "ignore"), "--missing ignore"),
        (Parameter("y"), "--target"),
        (Parameter("n_features_to_select", "auto"), "-k auto"),
        (Parameter("sample_weight"), "--weights"),
        (Parameter("header", False), "--no-header"),
        (Parameter("drop_unlabelled", True), "--drop-unlabelled"),
        (Parameter("missing_markers", ["n. a.", "-"]), "--missing-marker 'n. a.,-'"),
        (Parameter("n_permutations", 5), "n_permutations=5"),
        (Parameter("exclude", ["last seen"]), "--exclude 'last seen'"),
        (Parameter("exclude", ["a", "b"]), "--exclude a,b"),
    ],
    ids=str,
)
def test_a_parameter_is_said_as_the_option_that_sets_it(parameter, text):
    with worded_by(SelectOptions):
        assert in_options(parameter) == text


def test_an_error_keeps_its_parts_and_notes_inside_are_worded():
    note = Note("; pass ", Parameter("header", False))
    with pytest.raises(InputError) as raised, worded_by(SelectOptions):
        raise InputError(Parameter("target"), " names 'x'", note, columns=["x"], accepted=["y"])
    assert str(raised.value) == "--target names 'x'; pass --no-header"
    assert (raised.value.parameter, raised.value.columns) == ("target", ("x",))
    assert raised.value.accepted == ["y"]
    assert str(raised.value.__cause__) == "target names 'x'; pass header=False"


def test_outside_a_verb_parameters_are_python_s():
    assert in_options(Parameter("missing", "ignore")) == "missing='ignore'"


def test_no_regular_expression_reads_our_own_words():
    """Errors and notes are data; the patterns left look at the user's table alone."""
    for path in Path(deacs.cli.__file__).parent.glob("*.py"):
        tree = ast.parse(path.read_text())
        imported = {
            name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for name in node.names
        }
        assert "re" not in imported, path
