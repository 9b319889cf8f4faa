"""`deacs reproduce`: a folder of results, resumable, with its tables."""

import os
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from deacs.cli.reproduce import reproduce
from deacs.exceptions import InputError
from deacs.experiments import (
    PAPER_METHODS,
    PAPER_SETS,
    QUARTET,
    REGISTRY,
    compare_results,
    read_results,
)
from deacs.experiments import datasets as loading

app = typer.Typer()
app.command()(reproduce)


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "140"})


SMALL = ("--methods", "dea-cs,mim", "--folds", 2, "-k", 2, "--classifiers", "nb", "-j", 1)


def test_tables_and_results_are_written_and_a_second_run_adds_nothing(tmp_path):
    result = run("--sets", "iris,wine", *SMALL, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "Friedman over 2 sets" in result.output
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {
        "results.jsonl", "provenance.json", "best.md", "best.tex", "best.csv", "curves.csv",
        "endings.md", "curves-iris.png", "curves-wine.png", "curves.png", "critical-difference.png",
        "frontier-iris.png", "frontier-wine.png",
    }  # fmt: skip
    before = (tmp_path / "results.jsonl").read_bytes()
    again = run("--sets", "iris,wine", *SMALL, "--out", tmp_path)
    assert again.output == result.output
    assert (tmp_path / "results.jsonl").read_bytes() == before


def smoke_sets():
    """Small sets of the paper where they are at hand, else what ships with scikit-learn."""
    here = os.environ.get("DEACS_DATA")
    has_flags = here is not None and (Path(here) / "flags.csv.gz").is_file()
    return ("flags", "synthetic-control") if has_flags else ("iris", "wine")


@pytest.mark.parametrize(("protocol", "jobs"), [("paper", 2), ("nested", 1)])
def test_the_whole_experiment_in_small(protocol, jobs, tmp_path):
    """Six methods, four classifiers, one or two processes: every cell is there, and every table."""
    sets = smoke_sets()
    result = run("--sets", ",".join(sets), "--protocol", protocol, "--folds", 2, "-k", 3,
                 "--sizes", "1,3", "-j", jobs, "--out", tmp_path)  # fmt: skip
    assert result.exit_code == 0, result.output
    comparison = compare_results(read_results(tmp_path), sets, PAPER_METHODS, QUARTET)
    assert comparison.complete_sets == sets
    # A third of the rows of each class guessed right is what knowing nothing could give.
    assert (comparison.accuracies() > 100 / 3).all()
    for name in sets:
        for method in PAPER_METHODS:
            best = comparison.best(name, method)
            assert f"{best.accuracy:.2f}" in (tmp_path / "best.md").read_text()
    table = (tmp_path / "best.tex").read_text()
    assert all(method in table for method in PAPER_METHODS)
    assert len((tmp_path / "endings.md").read_text().splitlines()) == 2 + 12


def test_figures_can_be_left_out_and_sizes_be_few(tmp_path):
    result = run("--sets", "wine", *SMALL[:4], "-k", 5, "--sizes", "1,4", "--classifiers", "nb",
                 "-j", 1, "--out", tmp_path, "--no-figures")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert not list(tmp_path.glob("*.png"))
    rows = (tmp_path / "curves.csv").read_text().splitlines()
    assert [row.split(",")[1:3] for row in rows[1:]] == [
        ["dea-cs", "1"], ["dea-cs", "4"], ["mim", "1"], ["mim", "4"]
    ]  # fmt: skip


def test_without_matplotlib_the_tables_are_written_and_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("deacs.cli.bench_options.find_spec", lambda name: None)
    result = run("--sets", "iris", *SMALL, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "No figures: they need matplotlib; pip install 'deacs[report]'" in result.output
    assert (tmp_path / "best.md").exists()


def test_a_step_that_is_not_there_is_an_error(tmp_path):
    result = run("--sets", "iris", *SMALL, "--out", tmp_path, "--step", 9)
    assert isinstance(result.exception, InputError)
    assert "--step must be between 1 and" in str(result.exception)


def test_sets_of_the_paper_that_cannot_be_had_are_told(tmp_path, monkeypatch):
    """Only flags, of a made-up table, is in the folder; OpenML cannot be reached."""

    def unreachable(info, data_home):
        raise InputError(f"{info.name} could not be fetched from OpenML")

    monkeypatch.setattr(loading, "_from_openml", unreachable)
    monkeypatch.setenv("DEACS_DATA", str(tmp_path))
    info = REGISTRY["flags"]
    columns = [f"c{j}" for j in range(info.n_features)]
    rows = [[str((i * (j + 3)) % 5) for j in range(info.n_features)] for i in range(info.n_rows)]
    lines = [",".join([*columns, "class"])]
    lines += [",".join([*row, f"k{i % info.n_classes}"]) for i, row in enumerate(rows)]
    (tmp_path / "flags.csv").write_text("\n".join(lines) + "\n")
    result = run(*SMALL, "--out", tmp_path / "out", "--protocol", "paper")
    assert result.exit_code == 0, result.output
    assert "Note: flags" in result.output
    assert "is not the table" in " ".join(result.output.split())
    assert result.output.count("Left out: ") == len(PAPER_SETS) - 1
    assert "Left out: gisette could not be fetched" in result.output
    assert "paper (optimistic)" in result.output
    assert "(66.03 @2)" in (tmp_path / "out" / "beside-paper.md").read_text()


def test_a_named_set_that_cannot_be_had_is_an_error(tmp_path):
    result = run("--sets", "musk3", *SMALL, "--out", tmp_path)
    assert isinstance(result.exception, InputError)
    assert "got 'musk3'" in str(result.exception)
