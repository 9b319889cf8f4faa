"""`deacs dea` as a person and as a program use it."""

import json
import sys

import numpy as np
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from deacs import dea as models
from deacs.cli.dea import dea
from deacs.exceptions import InputError
from deacs.report.races import corners as frontier

INPUTS, OUTPUTS = ["staff", "branches"], ["loans", "deposits"]


@pytest.fixture
def banks(tmp_path):
    path = tmp_path / "banks.csv"
    path.write_text(
        "bank,staff,branches,loans,deposits\n"
        "Alpha,5,13,12,3\nBeta,16,12,14,6\nGamma,16,26,25,1\nDelta,17,15,26,0\nEpsilon,18,14,8,9\n"
    )
    return path


def run(*arguments):
    """Run the command alone; what goes wrong comes out as it was raised."""
    app = typer.Typer(rich_markup_mode="rich")
    app.command()(dea)
    words = [str(argument) for argument in arguments]
    result = CliRunner().invoke(app, words, env={"COLUMNS": "120"})
    if isinstance(result.exception, InputError):
        raise result.exception
    return result


def test_the_table_ranks_units_with_status_and_peers(banks):
    result = run(
        *(banks, "--inputs", "staff,branches", "--outputs", "loans,deposits", "--names", "bank")
    )
    assert result.exit_code == 0, result.output
    assert "5 units by super-efficiency: 4 efficient, 1 inefficient" in result.output
    expected = models.super_efficiency(
        pl.read_csv(banks).select(INPUTS), pl.read_csv(banks).select(OUTPUTS)
    )
    best = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"][expected.ranking[0]]
    first = next(line for line in result.output.splitlines() if line.strip().startswith("1 "))
    assert best in first
    assert f"{expected.scores.max():.4f}" in first


@pytest.mark.parametrize("model", models.MODELS)
def test_json_holds_the_numbers_of_every_model(banks, model):
    arguments = [banks, "--inputs", "staff,branches", "--outputs", "loans,deposits"]
    summary = json.loads(run(*arguments, "--model", model, "--json").stdout)
    table = pl.read_csv(banks)
    phase = {"slacks": True} if model == "super-efficiency" else {}
    result = models.MODELS[model](table.select(INPUTS), table.select(OUTPUTS), **phase)
    assert summary["schema"] == {"name": "deacs.dea", "version": 1}
    assert summary["model"] == result.model
    by_unit = {entry["unit"]: entry for entry in summary["units"]}
    for p in range(5):
        assert by_unit[p]["score"] == result.scores[p]
        assert by_unit[p]["status"] == result.status[p]
        assert [peer["unit"] for peer in by_unit[p]["peers"]] == result.peers[p].tolist()
        assert by_unit[p]["inputs"]["staff"]["slack"] == result.input_slacks[p, 0]
        assert by_unit[p]["outputs"]["deposits"]["target"] == result.output_targets[p, 1]
    assert [entry["rank"] for entry in summary["units"]] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("model", ["bcc", "super-efficiency", "sbm", "super-sbm"])
def test_options_reach_the_model(banks, model):
    options = ["--returns-to-scale", "vrs", "--orientation", "output", "--model", model]
    printed = run(banks, "--inputs", "staff,branches", "--outputs", "loans", *options, "--json")
    table = pl.read_csv(banks)
    expected = models.MODELS[model](
        table.select(INPUTS), table.select("loans"), returns_to_scale="vrs", orientation="output"
    ).scores
    scores = {entry["unit"]: entry["score"] for entry in json.loads(printed.stdout)["units"]}
    assert [float(scores[p]) for p in range(5)] == expected.tolist()


def test_a_constant_input_and_an_infinite_score(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,0\n2,0\n1,1\n")
    result = run(path, "--outputs", "a,b", "--json")
    first = json.loads(result.stdout)["units"][0]
    assert (first["unit"], first["score"], first["status"]) == (2, "inf", "infeasible")
    assert first["outputs"]["a"]["target"] is None
    shown = run(path, "--outputs", "a,b").output
    assert "infeasible: no combination of other units" in " ".join(shown.split())


def test_dominated_units_are_only_weakly_efficient(tmp_path):
    """A has all that B and C have, and more of o1: by subtraction 4 and 3."""
    path, goal = tmp_path / "t.csv", tmp_path / "scores.csv"
    path.write_text("u,o1,o2\nA,4,4\nB,0,4\nC,1,4\n")
    shown = run(path, "--outputs", "o1,o2", "--names", "u", "--out", goal).output
    assert "1 efficient, 2 weakly efficient" in shown
    dominated = pl.read_csv(goal).filter(pl.col("unit") != "A").sort("unit")
    assert dominated["status"].to_list() == ["weakly efficient"] * 2
    assert dominated["peers"].to_list() == ["A (1)"] * 2
    assert dominated["slack of o1"].to_list() == [4, 3]
    assert dominated["target of o1"].to_list() == [4, 4]
    assert dominated["slack of o2"].to_list() == [0, 0]


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_out_holds_all_units_best_first(banks, tmp_path, suffix):
    goal = tmp_path / f"scores.{suffix}"
    arguments = [banks, "--inputs", "staff", "--outputs", "loans", "--names", "bank"]
    result = run(*arguments, "--model", "bcc", "--out", goal)
    assert "Wrote 5 units to" in result.output
    if suffix == "csv":
        frame = pl.read_csv(goal)
        units, scores = frame["unit"].to_list(), frame["score"].to_list()
        assert "slack of staff" in frame.columns
    else:
        entries = json.loads(goal.read_text())["units"]
        units = [entry["unit"] for entry in entries]
        scores = [entry["score"] for entry in entries]
    assert sorted(units) == ["Alpha", "Beta", "Delta", "Epsilon", "Gamma"]
    assert scores == sorted(scores, reverse=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["banks.csv", goal.name]


def test_undesirable_outputs_are_named(banks):
    result = run(
        *(banks, "--inputs", "staff", "--outputs", "loans", "--undesirable", "branches"),
        *("--model", "directional-distance"),
    )
    assert "0 is efficient; the smallest is the best" in result.output


def test_names_are_text_and_never_markup(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("n,a\n[red]x[/red],1\ny,2\n")
    assert "[red]x[/red]" in run(path, "--outputs", "a", "--names", "n").output


def test_many_units_are_cut_on_the_screen(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f"{k}\n" for k in range(1, 61)))
    assert "... and 20 more; --output writes all of them" in run(path, "--outputs", "a").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--outputs", "loanz"], "--outputs names 'loanz', which is not a column; did you mean"),
        (["--outputs", "loans", "--inputs", "staf"], "did you mean 'staff'"),
        (["--outputs", "loans", "--names", "bnk"], "--names names 'bnk'"),
        (["--outputs", "bank"], "--outputs names 'bank', which is not a column of numbers"),
        (["--outputs", " , "], "--outputs must name at least one column"),
        (["--outputs", "loans", "-o", "x.txt"], "--output must end in .csv or .json"),
        (["--outputs", "loans", "--out", "no/x.csv"], "the folder no does not exist"),
        (
            ["--outputs", "loans", "--model", "ccr", "--returns-to-scale", "vrs"],
            "--returns-to-scale does not apply to --model ccr; models that take it: bcc, super-eff",
        ),
        (
            ["--outputs", "loans", "--model", "ram", "--orientation", "input"],
            "--orientation does not apply to --model ram",
        ),
        (
            ["--outputs", "loans", "--model", "bcc", "--orientation", "none"],
            "--orientation must be one of 'input', 'output', got 'none'",
        ),
        (
            ["--outputs", "loans", "--undesirable", "staff"],
            "--undesirable does not apply to --model super-efficiency; models that take it: direc",
        ),
        (["--outputs", "loans", "--plot", "x.png"], "--plot draws two outputs of one input"),
        (["--outputs", "loans", "--plot", "x.gif"], "--plot must end in .png or .svg or .pdf"),
    ],
)
def test_bad_options_say_what_is_accepted(banks, arguments, message):
    with pytest.raises(InputError, match=message.replace(".", r"\.").replace("(", r"\(")):
        run(banks, *arguments)


def test_missing_numbers_are_refused_with_the_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n,3\n")
    with pytest.raises(
        InputError, match=r"--outputs 'a' must not have missing values, got 1 \(the"
    ):
        run(path, "--outputs", "a,b")


def test_the_input_is_never_overwritten(banks):
    before = banks.read_bytes()
    with pytest.raises(InputError, match="--output must not be the input file"):
        run(banks, "--outputs", "loans", "--out", banks)
    assert banks.read_bytes() == before


def test_a_plot_of_two_outputs_is_a_picture(banks, tmp_path):
    pytest.importorskip("matplotlib", reason="the plot is an extra")
    goal = tmp_path / "frontier.png"
    result = run(
        *(banks, "--inputs", "staff", "--outputs", "loans,deposits", "--names", "bank"),
        *("--model", "ccr", "--plot", goal),
    )
    assert "Drew the frontier" in result.output
    assert goal.read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_plot_says_what_to_install(banks, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"--plot needs matplotlib; pip install 'deacs\[report\]'"):
        run(banks, "--outputs", "loans,deposits", "--plot", "x.png")


def test_corners_of_the_frontier_are_the_units_that_stand_beyond_the_others():
    """Small integers, so that ties and straight lines are frequent."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        points = np.unique(rng.integers(0, 9, (8, 2)).astype(float), axis=0)
        beyond = models.super_efficiency(None, points).scores > 1 + 1e-9
        assert set(np.flatnonzero(beyond)) <= set(frontier(points).tolist())
        corners = models.ccr(None, points).status[frontier(points)]
        assert set(corners) == {"efficient"}


@pytest.mark.parametrize(
    ("names", "place"),
    [([], "for unit 1, column 'cars'"), (["--names", "shop"], "for 'B', column 'cars'")],
)
def test_a_number_that_cannot_be_is_told_by_unit_and_column(deacs, tmp_path, names, place):
    file = tmp_path / "shops.csv"
    file.write_text("shop,staff,cars,sold\nA,1,2,3\nB,2,-2,3\n")
    done = deacs("dea", file, "--inputs", "staff,cars", "--outputs", "sold", *names)
    assert done.code == 2
    assert done.err == f"error: --inputs must not be negative, got -2.0 {place}\n"


def test_a_caveat_about_the_file_is_a_note(deacs, tmp_path):
    file = tmp_path / "shops.csv"
    file.write_text("shop,cars,sold\nA,2,3\n A,2,4\nB,2,5\n")
    words = ("dea", file, "--outputs", "cars,sold", "--names", "shop")
    said = "some values differ only by the spaces around them, and count as different; pass --strip"
    shown = deacs(*words)
    assert (shown.code, shown.err) == (0, "")
    assert f"Note: 'shop': {said}" in " ".join(shown.out.split())
    [note] = json.loads(deacs(*words, "--json").out)["notes"]
    assert said in note
    units = json.loads(deacs(*words, "--strip", "--json").out)
    assert units["notes"] == []
    assert {unit["unit"] for unit in units["units"]} == {"A", "B"}
