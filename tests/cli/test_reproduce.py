"""`deacs reproduce`: a folder of results, resumable, with its tables."""

import pytest
import typer
from typer.testing import CliRunner

from deacs.cli.reproduce import reproduce
from deacs.exceptions import InputError
from deacs.experiments import PAPER_SETS, REGISTRY
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
    }  # fmt: skip
    before = (tmp_path / "results.jsonl").read_bytes()
    again = run("--sets", "iris,wine", *SMALL, "--out", tmp_path)
    assert again.output == result.output
    assert (tmp_path / "results.jsonl").read_bytes() == before


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
    with pytest.warns(UserWarning, match="is not the table"):
        result = run(*SMALL, "--out", tmp_path / "out", "--protocol", "paper")
    assert result.exit_code == 0, result.output
    assert result.output.count("Left out: ") == len(PAPER_SETS) - 1
    assert "Left out: gisette could not be fetched" in result.output
    assert "paper (optimistic)" in result.output
    assert "(66.03 @2)" in (tmp_path / "out" / "beside-paper.md").read_text()


def test_a_named_set_that_cannot_be_had_is_an_error(tmp_path):
    result = run("--sets", "musk3", *SMALL, "--out", tmp_path)
    assert isinstance(result.exception, InputError)
    assert "got 'musk3'" in str(result.exception)
