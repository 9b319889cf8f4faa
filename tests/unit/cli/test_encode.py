"""`deacs encode` as people call it."""

import polars as pl
import pytest
import typer
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from deacs import DEACS, encode, read_table
from deacs.cli.encode import encode as encode_command
from deacs.cli.select import select
from deacs.coding.on_disk import open_codes, target_of
from deacs.exceptions import InputError


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


def same_tables(one, other):
    assert one.feature_names == other.feature_names
    assert one.labels.tolist() == other.labels.tolist()
    for j in range(one.n_features):
        assert one.column(j).tolist() == other.column(j).tolist()
        assert one.features[j].values.tolist() == other.features[j].values.tolist()


def run(*arguments):
    app = typer.Typer()
    app.command()(encode_command)
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})


def test_the_next_step_can_be_typed_as_it_stands(tmp_path):
    file, out = tmp_path / "small.csv", tmp_path / "a store"
    file.write_text("a,b,y\n" + "".join(f"{k % 2},{k % 3},{'uv'[k % 2]}\n" for k in range(60)))
    result = run(file, "--target", "y", "--out", out)
    assert f"Next: deacs select '{out}'\n" in result.stdout  # two features: -k 10 would be refused


def test_files_become_codes_and_the_next_step_is_named(wine_parts, tmp_path):
    out = tmp_path / "wine.codes"
    result = run(*wine_parts, "--target", "grower", "--out", out, "--memory", "10MB")
    assert result.exit_code == 0, result.output
    assert "178 rows, 13 features, 3 classes" in result.stdout
    assert f"Next: deacs select {out} -k 10" in result.stdout
    frame = pl.concat([read_table(path) for path in wine_parts])
    whole = encode(frame.drop("grower"), frame["grower"])
    same_tables(open_codes(out), whole)
    assert target_of(out) == "grower"
    found, expected = DEACS.published(3).fit(out), DEACS.published(3).fit(whole)
    assert found.ranking_.tolist() == expected.ranking_.tolist()


def test_the_target_by_position_and_spaces_around_names(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "codes"
    path.write_text("size, kind\n1, a\n2, b\n3, a \n")
    assert run(path, "--target", "last", "--strip", "--out", out).exit_code == 0
    assert target_of(out) == "kind"
    assert open_codes(out).classes.tolist() == ["a", "b"]


def test_identifiers_are_told_in_a_note_not_as_a_warning_of_python(deacs, patients, tmp_path):
    done = deacs("encode", patients, "--target", "y", "--out", tmp_path / "codes")
    assert done.code == 0
    assert "Note: 'id': as many values as rows (42)" in done.out
    assert "--exclude id" in done.out
    assert done.err == ""


def test_codes_that_are_there_stay(deacs, patients, tmp_path):
    for code in (0, 2):
        done = deacs("encode", patients, "-t", "y", "-o", tmp_path / "codes")
        assert done.code == code
        assert ("is there already; name another folder" in done.err) == (code == 2)


@pytest.mark.parametrize(
    "place", ["out", "out/deep", "link", "../{folder}/out"], ids=["in", "deep", "link", "dots"]
)
def test_an_input_inside_the_output_is_refused(deacs, patients, tmp_path, place):
    out = tmp_path / "out"
    (out / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(out)
    file = tmp_path / place.format(folder=tmp_path.name) / "new.csv"
    patients.rename(file)
    for where in (out, tmp_path / "link", tmp_path):
        done = deacs("encode", file, "--target", "y", "--out", where)
        assert done.code == 2
        assert "--out must be a folder apart from the files" in done.err
    done = deacs("encode", file, "--target", "y", "--out", file / "codes")
    assert "--out must be a folder apart from the files" in done.err
    assert file.read_text().startswith("id,a,b,y")


def test_files_and_folders_with_names_like_those_of_codes_are_of_others(deacs, patients, tmp_path):
    file = tmp_path / "in.partial" / "new.csv"
    for name in ("in.partial", "in.replaced"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.txt").write_text("mine")
    patients.rename(file)
    assert deacs("encode", file, "--target", "none", "--out", tmp_path / "in").code == 2
    assert deacs("encode", file, "--target", "y", "--out", tmp_path / "in").code == 0
    for name in ("in.partial", "in.replaced"):
        assert (tmp_path / name / "thesis.txt").read_text() == "mine"
    assert file.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "in.partial", "in.replaced"]


def test_a_web_site_stays(deacs, patients, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (site / "table.json").write_text('{"name": "Site", "icons": []}')
    done = deacs("encode", patients, "--target", "y", "--out", site)
    assert done.code == 2
    assert "is there already" in done.err
    assert (site / "table.json").read_text() == '{"name": "Site", "icons": []}'


def test_a_full_disk_is_no_defect(deacs, patients, tmp_path, monkeypatch):
    def full(*arguments, **how):
        raise pl.exceptions.ComputeError("IO error: No space left on device (os error 28)")

    monkeypatch.setattr(pl.LazyFrame, "sink_parquet", full)
    done = deacs("encode", patients, "--target", "y", "--out", tmp_path / "codes")
    assert done.code == 2
    said = f"error: no space is left on the disk of {tmp_path}; free some, or write to a folder"
    assert said in done.err
    assert "this is a defect" not in done.err
    assert [path.name for path in tmp_path.iterdir()] == [patients.name]


def test_columns_are_left_out_and_read_as_categories(wine_parts, tmp_path):
    out = tmp_path / "codes"
    options = ["--exclude", "ash,hue", "--discrete", "proline", "--discretizer", "equal-width"]
    result = run(*wine_parts, "-t", "grower", "-o", out, *options)
    assert result.exit_code == 0, result.output
    codes = open_codes(out)
    assert not {"ash", "hue"} & set(codes.feature_names)
    coding = codes.features[codes.feature_names.index("proline")]
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
    result = run(*wine_parts, "--out", tmp_path / "codes", *options)
    assert result.exit_code != 0
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_what_codes_settled_cannot_be_given_to_select(wine_parts, tmp_path):
    out = tmp_path / "codes"
    assert run(*wine_parts, "--target", "grower", "--out", out).exit_code == 0
    for given, message in (
        ({"exclude": ["ash"]}, "--exclude applies to files, not to the codes in"),
        ({"missing_markers": ["x"]}, "--missing-marker applies to files"),
        ({"header": False}, "--no-header applies to files"),
        ({"discretizer": "equal-width"}, "--discretizer applies to files"),
        ({"target": "ash"}, r"--target is 'ash', but .* was made for 'grower'"),
    ):
        with pytest.raises(InputError, match=message):
            select(file=str(out), **given)


def test_files_without_a_header_number_their_columns(wine_parts, tmp_path):
    bare = [tmp_path / "bare_a.csv", tmp_path / "bare_b.csv"]
    for part, path in zip(wine_parts, bare, strict=True):
        path.write_text(part.read_text().partition("\n")[2])
    refused = run(*bare, "--target", "grower", "--out", tmp_path / "no.codes")
    assert isinstance(refused.exception, InputError)
    assert "--no-header" in str(refused.exception)
    assert "c1 to c14" in str(refused.exception)
    assert not (tmp_path / "no.codes").exists()

    out = tmp_path / "bare.codes"
    result = run(*bare, "--target", "c14", "--out", out, "--no-header", "--memory", "10MB")
    assert result.exit_code == 0, result.output
    X, y = read_table(bare[0], target="c14", header=False)
    rest, others = read_table(bare[1], target="c14", header=False)
    same_tables(open_codes(out), encode(pl.concat([X, rest]), pl.concat([y, others])))
