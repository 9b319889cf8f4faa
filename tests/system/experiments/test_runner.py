"""The runner: every cell, once, whatever happens."""

from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import make_friedman1
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import CategoricalNB

from deacs import MRMR, OneHotCodes, encode
from deacs.exceptions import InputError
from deacs.experiments import (
    REGRESSORS,
    dataset_from_table,
    load_dataset,
    make_protocol,
    read_results,
    run,
    runner,
)
from deacs.experiments.results import FILE

SETS, METHODS, CLASSIFIERS = ("iris", "wine"), ("dea-cs", "mrmr"), ("nb", "1-nn", "tree")


def experiment(out, **how):
    return run(
        SETS,
        out,
        methods=METHODS,
        classifiers=CLASSIFIERS,
        protocol=make_protocol("nested", n_splits=3),
        max_features=5,
        **how,
    )


def numbers(results):
    """Everything but timings."""
    return [
        {name: value for name, value in record.items() if name != "seconds"}
        for record in (*results.selections, *results.scores, *results.errors)
    ]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return experiment(tmp_path_factory.mktemp("undisturbed"))


def test_every_cell_is_there_once(undisturbed):
    assert undisturbed.errors == []
    assert len(undisturbed.selections) == len(SETS) * len(METHODS) * 3
    expected = sum(len(r["ranking"]) for r in undisturbed.selections) * len(CLASSIFIERS)
    assert len(undisturbed.scores) == expected


def test_a_cell_is_what_its_definition_says(undisturbed):
    """Select and count by hand on one fold of wine; nothing of the tested rows is used."""
    wine = load_dataset("wine")
    split = make_protocol("nested", n_splits=3).splits(wine.labels)[1]
    data = encode(wine.X[split.train], wine.labels[split.train])
    ranking = MRMR(n_features_to_select=5).fit(data).ranking_
    assert undisturbed.get(("wine", "mrmr", 1))["ranking"] == ranking.tolist()
    train = np.column_stack([data.column(j) for j in ranking[:3]])
    new = wine.X.to_numpy()[split.test]
    test = np.column_stack(
        [np.searchsorted(data.features[j].values, new[:, j]) for j in ranking[:3]]
    )
    bayes = CategoricalNB(min_categories=data.n_values[ranking[:3]])
    bayes.fit(train, wine.labels[split.train])
    correct = (bayes.predict(test) == wine.labels[split.test]).sum()
    cell = undisturbed.get(("wine", "mrmr", 1, 3, "nb"))
    assert (cell["rows"], cell["correct"]) == (len(split.test), correct)


def stop_after(n_records):
    """Interrupt a run when it has written so many records."""
    left = iter(range(n_records))

    def progress(done, total, text):
        if next(left, None) is None:
            raise KeyboardInterrupt

    return progress


def test_broken_off_again_and_again_the_results_are_the_same(undisturbed, tmp_path):
    for n_records in (0, 1, 6, 13, 30):
        with pytest.raises(KeyboardInterrupt):
            experiment(tmp_path, progress=stop_after(n_records))
        with (tmp_path / FILE).open("ab") as file:
            file.write(b'{"kind": "sco')  # as a kill leaves it that comes while a line is written
    assert numbers(experiment(tmp_path)) == numbers(undisturbed)
    lines = (tmp_path / FILE).read_bytes().splitlines()
    assert len(lines) == len(undisturbed.scores) + len(undisturbed.selections)  # none twice


def test_what_two_processes_began_and_one_finished_are_the_same_numbers(undisturbed, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        experiment(tmp_path, n_jobs=2, progress=stop_after(60))
    assert (tmp_path / FILE).read_bytes().count(b"\n") == 61
    assert numbers(experiment(tmp_path)) == numbers(undisturbed)


def test_processes_end_with_the_one_that_started_them(monkeypatch):
    told = []
    parent = SimpleNamespace(join=lambda: told.append("it has ended"))
    monkeypatch.setattr(runner.multiprocessing, "parent_process", lambda: parent)
    monkeypatch.setattr(runner.os, "_exit", told.append)
    monkeypatch.setattr(
        runner.threading, "Thread", lambda target, daemon: SimpleNamespace(start=target)
    )
    monkeypatch.setattr(runner, "_plan", None)
    monkeypatch.setattr("threadpoolctl.threadpool_limits", lambda limits: None)
    runner._begin_process(None)
    assert told == ["it has ended", 1]


def test_a_second_run_computes_nothing_and_more_methods_only_what_is_new(tmp_path):
    how = {"classifiers": "nb", "protocol": make_protocol("nested", n_splits=2), "max_features": 2}
    run("iris", tmp_path, methods=["mim"], **how)
    before = (tmp_path / FILE).read_bytes()
    run("iris", tmp_path, methods=["mim"], **how)
    assert (tmp_path / FILE).read_bytes() == before
    run("iris", tmp_path, methods=["mim", "jmi"], **how)
    after = (tmp_path / FILE).read_bytes()
    assert after.startswith(before)
    assert len(after) < 2.5 * len(before)


def test_selections_are_made_once_and_on_all_rows_in_the_paper_s_protocol(tmp_path):
    results = run(
        "iris", tmp_path, methods="dea-cs", classifiers="nb",
        protocol=make_protocol("paper", n_splits=4), max_features=2,
    )  # fmt: skip
    assert [r["split"] for r in results.selections] == [-1]
    assert len(results.scores) == 4 * 2
    assert sum(r["rows"] for r in results.scores) == 2 * 150


class Broken:
    """A classifier that fails on more than three columns."""

    def fit(self, X, y):
        if X.shape[1] > 3:
            raise ArithmeticError("too many columns")
        self.dummy = DummyClassifier().fit(X, y)
        return self

    def predict(self, X):
        return self.dummy.predict(X)


def test_an_error_is_recorded_and_stops_nothing(tmp_path):
    how = {
        "methods": {"mrmr": MRMR(), "bad": MRMR(include=["no such column"])},
        "classifiers": {"broken": Broken(), "dummy": DummyClassifier()},
        "protocol": make_protocol("nested", n_splits=2),
        "max_features": 3,
    }
    results = run("iris", tmp_path, **how)
    failed = [r for r in results.errors if "classifier" in r]
    assert {r["error"] for r in failed} == {"ArithmeticError: too many columns"}
    assert {r["classifier"] for r in failed} == {"broken"}
    (message,) = {r["error"] for r in results.errors if "classifier" not in r}
    assert "no such column" in message
    assert len([r for r in results.scores if r["classifier"] == "dummy"]) == 2 * 3
    again = run("iris", tmp_path, **how)
    assert len(again.errors) == len(results.errors)


def test_a_process_ended_from_outside_is_told_and_nothing_is_lost(tmp_path, monkeypatch):
    how = {"methods": "mim", "classifiers": "nb", "max_features": 2}
    left = [3]

    def submit(plan, work):
        left[0] -= 1
        future = Future()
        if left[0] < 0:
            future.set_exception(BrokenProcessPool("a child process terminated abruptly"))
        else:
            future.set_result(work(plan))
        return future

    with monkeypatch.context() as patch:
        patch.setattr(runner, "_do_here", submit)
        with pytest.raises(OSError, match="run again to resume"):
            run("iris", tmp_path, **how)
    assert len(read_results(tmp_path)) == 3
    assert len(run("iris", tmp_path, **how).scores) == 10 * 2


def test_progress_counts_up_to_all_cells(tmp_path):
    seen = []
    run(
        "wine", tmp_path, methods=["dea-cs", "mim"], classifiers=["nb", "1-nn"],
        protocol=make_protocol("nested", n_splits=2), max_features=13,
        progress=lambda done, total, what: seen.append((done, total, what)),
    )  # fmt: skip
    done, total, _ = seen[-1]
    assert done == total == len(read_results(tmp_path).scores)
    assert [d for d, _, _ in seen] == sorted(d for d, _, _ in seen)


def test_nested_selection_never_sees_the_tested_rows(tmp_path):
    """Labels of tested rows are scrambled: the selection of that split stays as it was."""
    wine = load_dataset("wine")
    protocol = make_protocol("nested", n_splits=2)
    test = protocol.splits(wine.labels)[0].test
    spoiled = wine.X.to_numpy().copy()
    spoiled[test] = spoiled[test][::-1] * 7
    other = dataset_from_table("wine", pl.DataFrame(spoiled, schema=wine.X.columns), wine.labels)
    how = {"methods": "mrmr", "classifiers": "nb", "protocol": protocol, "max_features": 4}
    before, after = run(wine, tmp_path / "a", **how), run(other, tmp_path / "b", **how)
    assert before.selections[0]["ranking"] == after.selections[0]["ranking"]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"max_features": 0}, "max_features must be 1 or more, got 0"),
        ({"n_jobs": 0}, "n_jobs must be -1"),
        ({"sets": []}, "sets must name one data set or more"),
        ({"classifiers": []}, "classifiers must name one classifier or more"),
        ({"classifiers": ["nb", "ridge"]}, "classifiers must predict classes.*got 'ridge'"),
        ({"classifiers": {"own": Ridge()}}, "classifiers must predict classes.*got 'own'"),
    ],
)
def test_what_cannot_be_run_is_refused(tmp_path, how, words):
    given = {"sets": "iris", "out": tmp_path, "methods": "mim", "max_features": 2} | how
    with pytest.raises(InputError, match=words):
        run(**given)


def test_other_settings_in_the_same_folder_are_refused(tmp_path):
    how = {"methods": "mim", "classifiers": "nb", "max_features": 2}
    run("iris", tmp_path, **how, protocol=make_protocol("nested", n_splits=2))
    with pytest.raises(
        InputError, match=r"other settings: settings, protocol seed is 0 there and 3"
    ):
        run("iris", tmp_path, **how, protocol=make_protocol("nested", n_splits=2, seed=3))
    with pytest.raises(InputError, match=r"methods, mim is 'MIM\(\)' there"):
        run(
            "iris", tmp_path, **(how | {"methods": {"mim": MRMR()}}),
            protocol=make_protocol("nested", n_splits=2),
        )  # fmt: skip


def test_only_the_sizes_asked_for_are_scored_and_others_can_follow(tmp_path):
    how = {"methods": "mim", "classifiers": "nb", "protocol": make_protocol("nested", n_splits=2)}
    seen = []
    some = run(
        "wine", tmp_path, **how, max_features=6, sizes=[5, 2],
        progress=lambda done, total, what: seen.append((done, total)),
    )  # fmt: skip
    assert sorted({r["m"] for r in some.scores}) == [2, 5]
    assert seen[-1] == (4, 4)
    whole = run("wine", tmp_path, **how, max_features=6)
    assert sorted({r["m"] for r in whole.scores}) == [1, 2, 3, 4, 5, 6]
    assert [r for r in whole.scores if r["m"] in (2, 5)] == some.scores


def test_a_selection_that_ends_before_the_next_size_is_scored_whole(tmp_path):
    results = run(
        "iris", tmp_path, methods="mim", classifiers="nb", max_features=8, sizes=[1, 8],
        protocol=make_protocol("nested", n_splits=2),
    )  # fmt: skip
    assert sorted({r["m"] for r in results.scores}) == [1, 4]  # iris has 4 features


@pytest.mark.parametrize("sizes", [[], [0, 1], [2, 31]])
def test_sizes_out_of_range_are_refused(tmp_path, sizes):
    with pytest.raises(InputError, match="sizes must be numbers between 1 and 30"):
        run("iris", tmp_path, sizes=sizes)


def test_numbers_as_target_are_judged_by_regressors(tmp_path):
    X, y = make_friedman1(90, 5, noise=0.5, random_state=0)
    frame = pl.DataFrame(X, schema=[*"abcde"])
    dataset = dataset_from_table("friedman", frame, y)
    results = run(
        dataset,
        tmp_path,
        methods=["jmi"],
        protocol=make_protocol("nested", n_splits=3),
        max_features=2,
    )
    assert not results.errors
    assert {r["classifier"] for r in results.scores} == set(REGRESSORS)
    [record] = [
        r for r in results.scores if (r["split"], r["m"], r["classifier"]) == (0, 2, "ridge")
    ]
    split = make_protocol("nested", n_splits=3).splits(dataset.labels)[0]
    train, test = split.train, split.test
    coder = OneHotCodes().fit(frame[train], y[train])
    [ranking] = [r["ranking"] for r in results.selections if r["split"] == 0]
    starts = np.cumsum([0, *coder.data_.n_values])
    columns = np.concatenate([np.arange(starts[j], starts[j + 1]) for j in ranking[:2]])
    one, other = (coder.transform(frame[rows])[:, columns] for rows in (train, test))
    expected = Ridge().fit(one, y[train]).score(other, y[test])
    assert record["correct"] / record["rows"] == pytest.approx(expected)


def test_classes_and_numbers_are_not_judged_together(tmp_path):
    X, y = make_friedman1(30, 5, random_state=0)
    frame = pl.DataFrame(X, schema=[*"abcde"])
    for name in ("nb", "1-nn", "tree", "weka-j48", "LogisticRegression"):
        with pytest.raises(InputError, match=f"must predict numbers.*got '{name}'"):
            run(dataset_from_table("a", frame, y), tmp_path, methods=["jmi"], classifiers=name)
    sets = [dataset_from_table("a", frame, y), dataset_from_table("b", frame, y > 14)]
    with pytest.raises(InputError, match="must all have classes or all have numbers"):
        run(sets, tmp_path, methods=["jmi"])


def test_two_tables_of_one_name_are_refused(tmp_path):
    X = pl.DataFrame({"a": [0, 1] * 20})
    tables = [dataset_from_table("t", X, y) for y in ([0, 1] * 20, [1, 1, 0, 0] * 10)]
    how = {"methods": "mim", "classifiers": "nb", "max_features": 1}
    with pytest.raises(InputError, match="got two tables called 't'; rename one"):
        run(tables, tmp_path / "two", **how)
    assert run([tables[0], tables[0]], tmp_path / "same", **how).scores
