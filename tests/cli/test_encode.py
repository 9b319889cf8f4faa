"""`deacs encode` as people call it."""

import polars as pl
import pytest
import typer
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from deacs import DEACS, encode, read_table
from deacs.cli.encode import encode as encode_command
from deacs.cli.select import select
from deacs.distributed import CodedStore
from deacs.exceptions import InputError
from tests.distributed.disk.test_store import same_tables


@pytest.fixture
def wine_parts(tmp_path):
    wine = load_wine()
    frame = pl.DataFrame(wine.data, schema=list(wine.feature_names)).with_columns(
        grower=pl.Series(wine.target_names[wine.target])
    )
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, part in zip(paths, (frame[:100], frame[100:]), strict=True):
        part.write_csv(path)
    return paths


def run(*arguments):
    app = typer.Typer()
    app.command()(encode_command)
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


def test_the_next_step_can_be_typed_as_it_stands(tmp_path):
    file, out = tmp_path / "small.csv", tmp_path / "a store"
    file.write_text("a,b,y\n" + "".join(f"{k % 2},{k % 3},{'uv'[k % 2]}\n" for k in range(60)))
    result = run(file, "--target", "y", "--out", out)
    assert f"Next: deacs select '{out}'\n" in result.stdout  # two features: -k 10 would be refused


def test_files_become_a_store_and_the_next_step_is_named(wine_parts, tmp_path):
    out = tmp_path / "wine.store"
    result = run(*wine_parts, "--target", "grower", "--out", out, "--memory", "10MB")
    assert result.exit_code == 0, result.output
    assert "178 rows, 13 features, 3 classes" in result.stdout
    assert f"Next: deacs select {out} -k 10" in result.stdout
    frame = pl.concat([read_table(path) for path in wine_parts])
    whole = encode(frame.drop("grower"), frame["grower"])
    store = CodedStore.open(out, verify=True)
    same_tables(store.to_memory(), whole)
    assert store.target == "grower"
    assert (
        DEACS.published(3).fit(store).ranking_.tolist()
        == DEACS.published(3).fit(whole).ranking_.tolist()
    )


def test_the_target_by_position_and_spaces_around_names(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "store"
    path.write_text("size, kind\n1, a\n2, b\n3, a \n")
    assert run(path, "--target", "last", "--strip", "--out", out).exit_code == 0
    store = CodedStore.open(out)
    assert store.target == "kind"
    assert store.classes.tolist() == ["a", "b"]


def test_identifiers_are_told_in_a_note_not_as_a_warning_of_python(deacs, patients, tmp_path):
    done = deacs("encode", patients, "--target", "y", "--out", tmp_path / "store")
    assert done.code == 0
    assert "Note: 'id': as many values as rows (42)" in done.out
    assert "--exclude id" in done.out
    assert done.err == ""


def test_a_store_that_is_there_is_replaced_by_an_option(deacs, patients, tmp_path):
    for options, code in ([], 0), ([], 2), (["--overwrite"], 0):
        done = deacs("encode", patients, "-t", "y", "-o", tmp_path / "store", *options)
        assert done.code == code
        assert ("--overwrite replaces it" in done.err) == (code == 2)


def test_columns_are_left_out_and_read_as_categories(wine_parts, tmp_path):
    out = tmp_path / "store"
    options = ["--exclude", "ash,hue", "--discrete", "proline", "--discretizer", "equal-width"]
    result = run(*wine_parts, "-t", "grower", "-o", out, *options)
    assert result.exit_code == 0, result.output
    store = CodedStore.open(out)
    assert not {"ash", "hue"} & set(store.feature_names)
    coding = store.features[store.feature_names.index("proline")]
    assert coding.kind == "discrete"
    assert all(isinstance(value, str) for value in coding.values)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "owner"], "target names 'owner'"),
        (["--target", "grower", "--memory", "much"], "memory must be a positive number"),
        (["--target", "grower", "--exclude", "wine"], "exclude names 'wine'"),
    ],
)
def test_what_cannot_be_is_said(wine_parts, tmp_path, options, message):
    result = run(*wine_parts, "--out", tmp_path / "store", *options)
    assert result.exit_code != 0
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_a_store_is_replaced_only_when_asked(wine_parts, tmp_path):
    out = tmp_path / "store"
    command = (*wine_parts, "--target", "grower", "--out", out)
    assert run(*command).exit_code == 0
    assert "exists already" in str(run(*command).exception)
    assert run(*command, "--overwrite").exit_code == 0


def test_what_a_store_settled_cannot_be_given_to_select(wine_parts, tmp_path):
    out = tmp_path / "store"
    assert run(*wine_parts, "--target", "grower", "--out", out).exit_code == 0
    for given, message in (
        ({"exclude": ["ash"]}, "--exclude applies to files, not to the coded store"),
        ({"missing_markers": ["x"]}, "--missing-marker applies to files"),
        ({"header": False}, "--no-header applies to files"),
        ({"discretizer": "equal-width"}, "--discretizer applies to files"),
        ({"target": "ash"}, r"--target is 'ash', but .* was made for 'grower'"),
    ):
        with pytest.raises(InputError, match=message):
            select(file=out, **given)


def test_files_without_a_header_number_their_columns(wine_parts, tmp_path):
    bare = [tmp_path / "bare_a.csv", tmp_path / "bare_b.csv"]
    for part, path in zip(wine_parts, bare, strict=True):
        path.write_text(part.read_text().partition("\n")[2])
    refused = run(*bare, "--target", "grower", "--out", tmp_path / "no.store")
    assert isinstance(refused.exception, InputError)
    assert "--no-header" in str(refused.exception)
    assert "c1 to c14" in str(refused.exception)
    assert not (tmp_path / "no.store").exists()

    out = tmp_path / "bare.store"
    result = run(*bare, "--target", "c14", "--out", out, "--no-header", "--memory", "10MB")
    assert result.exit_code == 0, result.output
    X, y = read_table(bare[0], target="c14", header=False)
    rest, others = read_table(bare[1], target="c14", header=False)
    same_tables(CodedStore.open(out).data, encode(pl.concat([X, rest]), pl.concat([y, others])))
