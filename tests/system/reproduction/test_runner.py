"""The runner: every cell, once, whatever happens; and the command around it."""

import json

import numpy as np
import polars as pl
import pytest
from reproduction.__main__ import main
from reproduction.datasets import PAPER_SETS, REGISTRY, dataset_from_table, load_dataset
from reproduction.protocols import Protocol
from reproduction.runner import RESULTS, read_results, run
from sklearn.naive_bayes import CategoricalNB

from deacs import MRMR, __version__, encode
from deacs.exceptions import InputError

SETS, METHODS, CLASSIFIERS = ("iris", "wine"), ("dea-cs", "mrmr"), ("nb", "1-nn")
NESTED = Protocol("nested", n_splits=3)
SMALL = {"classifiers": ["nb"], "protocol": Protocol("nested", n_splits=2), "max_features": 2}


def experiment(out, **how):
    return run(
        SETS, out, methods=METHODS, classifiers=CLASSIFIERS, protocol=NESTED, max_features=5, **how
    )


def numbers(results):
    """Everything but timings."""
    return {key: {**record, "seconds": 0} for key, record in results.items()}


def of_kind(results, kind):
    return [record for record in results.values() if record["kind"] == kind]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return experiment(tmp_path_factory.mktemp("undisturbed"))


def test_every_cell_is_there_once(undisturbed):
    selections = of_kind(undisturbed, "selection")
    assert len(selections) == len(SETS) * len(METHODS) * 3
    expected = sum(len(r["ranking"]) for r in selections) * len(CLASSIFIERS)
    assert len(of_kind(undisturbed, "score")) == expected
    assert not of_kind(undisturbed, "error")


def test_a_cell_is_what_its_definition_says(undisturbed):
    """Select and count by hand on one fold of wine; nothing of the tested rows is used."""
    wine = load_dataset("wine")
    split = NESTED.splits(wine.labels)[1]
    data = encode(wine.X[split.train], wine.labels[split.train])
    ranking = MRMR(n_features_to_select=5).fit(data).ranking_
    assert undisturbed["wine", "mrmr", 1]["ranking"] == ranking.tolist()
    train = np.column_stack([data.column(j) for j in ranking[:3]])
    new = wine.X.to_numpy()[split.test]
    test = np.column_stack(
        [np.searchsorted(data.features[j].values, new[:, j]) for j in ranking[:3]]
    )
    bayes = CategoricalNB(min_categories=data.n_values[ranking[:3]])
    bayes.fit(train, wine.labels[split.train])
    correct = (bayes.predict(test) == wine.labels[split.test]).sum()
    cell = undisturbed["wine", "mrmr", 1, 3, "nb"]
    assert (cell["rows"], cell["correct"]) == (len(split.test), correct)


def test_broken_off_again_and_again_the_results_are_the_same(undisturbed, tmp_path):
    def stop(n_finished, n_all):
        raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            experiment(tmp_path, progress=stop)
        with (tmp_path / RESULTS).open("ab") as file:
            file.write(b'{"kind": "sco')  # as a kill leaves it that comes while a line is written
    assert numbers(experiment(tmp_path)) == numbers(undisturbed)
    lines = (tmp_path / RESULTS).read_bytes().splitlines()
    assert len(lines) == len(undisturbed)  # none twice


def test_two_processes_find_the_same(undisturbed, tmp_path):
    assert numbers(experiment(tmp_path, n_jobs=2)) == numbers(undisturbed)


def test_a_second_run_computes_nothing_and_more_methods_only_what_is_new(tmp_path):
    run(["iris"], tmp_path, methods=["mim"], **SMALL)
    before = (tmp_path / RESULTS).read_bytes()
    run(["iris"], tmp_path, methods=["mim"], **SMALL)
    assert (tmp_path / RESULTS).read_bytes() == before
    run(["iris"], tmp_path, methods=["mim", "jmi"], **SMALL)
    assert (tmp_path / RESULTS).read_bytes().startswith(before)
    record = json.loads((tmp_path / "provenance.json").read_text())
    assert record["data"] == {"iris": load_dataset("iris").checksum}
    assert [entry["methods"] for entry in record["runs"]] == [["mim"], ["mim"], ["mim", "jmi"]]
    assert {entry["deacs"] for entry in record["runs"]} == {__version__}


def test_selections_are_made_once_and_on_all_rows_in_the_paper_s_protocol(tmp_path):
    protocol = Protocol("paper", selects_on_all_rows=True, n_splits=4)
    results = run(["iris"], tmp_path, methods=["dea-cs"], **SMALL | {"protocol": protocol})
    assert [r["split"] for r in of_kind(results, "selection")] == [-1]
    assert sum(r["rows"] for r in of_kind(results, "score")) == 2 * 150


def test_an_error_is_recorded_stops_nothing_and_is_tried_again_when_asked(tmp_path):
    methods = {"mrmr": MRMR(), "bad": MRMR(include=["no such column"])}
    results = run(["iris"], tmp_path, methods=methods, **SMALL)
    assert {r["method"] for r in of_kind(results, "error")} == {"bad"}
    assert len(of_kind(results, "score")) == 2 * 2
    size = (tmp_path / RESULTS).stat().st_size
    run(["iris"], tmp_path, methods=methods, **SMALL)
    assert (tmp_path / RESULTS).stat().st_size == size
    run(["iris"], tmp_path, methods=methods, **SMALL, retry_errors=True)
    assert (tmp_path / RESULTS).stat().st_size > size


def test_nested_selection_never_sees_the_tested_rows(tmp_path):
    """Values of tested rows are scrambled: the selection of that split stays as it was."""
    wine = load_dataset("wine")
    test = SMALL["protocol"].splits(wine.labels)[0].test
    spoiled = wine.X.to_numpy().copy()
    spoiled[test] = spoiled[test][::-1] * 7
    other = dataset_from_table("wine", pl.DataFrame(spoiled, schema=wine.X.columns), wine.labels)
    before, after = (
        run([one], tmp_path / name, methods=["mrmr"], **SMALL)
        for name, one in (("a", wine), ("b", other))
    )
    assert before["wine", "mrmr", 0]["ranking"] == after["wine", "mrmr", 0]["ranking"]


def test_other_settings_in_the_same_folder_are_refused(tmp_path):
    run(["iris"], tmp_path, methods=["mim"], **SMALL)
    other = SMALL | {"protocol": Protocol("nested", n_splits=2, seed=3)}
    with pytest.raises(InputError, match="settings: settings, protocol seed is 0 there and 3"):
        run(["iris"], tmp_path, methods=["mim"], **other)
    with pytest.raises(InputError, match=r"methods, mim is 'MIM\(\)' there"):
        run(["iris"], tmp_path, methods={"mim": MRMR()}, **SMALL)


def test_only_the_sizes_asked_for_are_scored_and_others_can_follow(tmp_path):
    how = SMALL | {"max_features": 8, "methods": ["mim"]}
    some = run(["iris"], tmp_path, **how, sizes=[1, 8])
    assert {r["m"] for r in of_kind(some, "score")} == {1, 4}  # iris has 4 features
    whole = run(["iris"], tmp_path, **how)
    assert {r["m"] for r in of_kind(whole, "score")} == {1, 2, 3, 4}
    with pytest.raises(InputError, match="sizes must be between 1 and 8"):
        run(["iris"], tmp_path, **how, sizes=[0, 1])


def test_a_foreign_line_is_named(tmp_path):
    (tmp_path / RESULTS).write_text('{"kind": "score"}\n')
    with pytest.raises(InputError, match="line 1 is not a record of this program"):
        read_results(tmp_path)


def test_the_command_writes_tables_and_figures_and_says_what_is_absent(
    tmp_path, monkeypatch, capsys
):
    """Only flags, of a made-up table, is in the folder; OpenML cannot be reached."""

    def unreachable(info, data_home):
        raise InputError(f"{info.name} could not be fetched from OpenML")

    monkeypatch.setattr("reproduction.datasets._from_openml", unreachable)
    monkeypatch.setenv("DEACS_DATA", str(tmp_path))
    info = REGISTRY["flags"]
    columns = [f"c{j}" for j in range(info.n_features)]
    rows = [[str((i * (j + 3)) % 5) for j in range(info.n_features)] for i in range(info.n_rows)]
    lines = [",".join([*columns, "class"])]
    lines += [",".join([*row, f"k{i % info.n_classes}"]) for i, row in enumerate(rows)]
    (tmp_path / "flags.csv").write_text("\n".join(lines) + "\n")
    words = ["--methods", "dea-cs,mim", "--folds", "2", "--max-features", "2"]
    words += ["--classifiers", "nb", "--out", str(tmp_path / "out"), "--protocol", "paper"]
    with pytest.warns(UserWarning, match="flags in DEACS_DATA is not the table"):
        assert main(words) == 0
    said = capsys.readouterr().out
    assert said.count("Left out: ") == len(PAPER_SETS) - 1
    assert "protocol paper (optimistic)" in said
    assert "(66.03 @2)" in (tmp_path / "out" / "beside-paper.md").read_text()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "results.jsonl", "provenance.json", "best.md", "best.csv", "curves.csv", "endings.md",
        "beside-paper.md", "curves-flags.png", "frontier-flags.png",
    }  # fmt: skip


def test_the_command_lists_the_data_sets(capsys):
    assert main(["--list"]) == 0
    said = capsys.readouterr().out
    assert all(f"{info.name}: {info.n_rows} rows" in said for info in REGISTRY.values())
