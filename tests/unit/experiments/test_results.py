"""The results file: nothing is lost, nothing half-written is read."""

import pytest

from deacs.exceptions import InputError
from deacs.experiments import read_results
from deacs.experiments.results import FILE, append_results


def score(m, correct=5, **rest):
    where = {"set": "s", "method": "a", "split": 0, "m": m, "classifier": "nb"}
    return {"kind": "score", **where, "rows": 10, "correct": correct, "seconds": 0.1, **rest}


SELECTION = {"kind": "selection", "set": "s", "method": "a", "split": 0, "ranking": [3, 1],
             "features": ["ä", "b"], "stop_reason": "exhausted", "seconds": 0.2}  # fmt: skip


def test_what_is_appended_is_read_back(tmp_path):
    with append_results(tmp_path) as append:
        for record in (SELECTION, score(2), score(1)):
            append(record)
    results = read_results(tmp_path)
    assert results.selections == [SELECTION]
    assert results.scores == [score(1), score(2)]  # sorted
    assert results.to_frame()["m"].to_list() == [1, 2]
    assert ("s", "a", 0, 1, "nb") in results
    assert ("s", "a", 0, 3, "nb") not in results


@pytest.mark.parametrize("n_bytes", [1, 20, 80])
def test_a_line_cut_off_anywhere_is_left_out_and_overwritten(tmp_path, n_bytes):
    with append_results(tmp_path) as append:
        append(SELECTION)
        append(score(1))
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:-n_bytes])
    assert len(read_results(tmp_path)) == 1
    with append_results(tmp_path) as append:
        append(score(2))
    results = read_results(tmp_path)
    assert results.selections == [SELECTION]
    assert results.scores == [score(2)]


def test_a_later_line_replaces_an_earlier_one(tmp_path):
    with append_results(tmp_path) as append:
        append({**score(1), "kind": "error", "error": "it failed"})
        append(score(1))
    results = read_results(tmp_path)
    assert results.errors == []
    assert len(results.scores) == 1


def test_errors_can_be_left_out_so_that_they_are_tried_again(tmp_path):
    with append_results(tmp_path) as append:
        append({**score(1), "kind": "error", "error": "it failed"})
    assert len(read_results(tmp_path).errors) == 1
    assert len(read_results(tmp_path, with_errors=False)) == 0


def test_a_second_writer_is_refused(tmp_path):
    with append_results(tmp_path) as append:
        append(score(1))
        with (
            pytest.raises(InputError, match="is being written by another run"),
            append_results(tmp_path),
        ):
            pass
    with append_results(tmp_path) as append:  # the lock ended with its writer
        append(score(2))
    assert len(read_results(tmp_path)) == 2


def test_a_foreign_line_is_named(tmp_path):
    (tmp_path / FILE).write_text('{"kind": "score"}\n')
    with pytest.raises(InputError, match="line 1 is not a record of this program"):
        read_results(tmp_path)


def test_an_empty_folder_has_no_results(tmp_path):
    assert len(read_results(tmp_path)) == 0
