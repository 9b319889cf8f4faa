"""Speed over commits: a slow commit is seen, noise is not."""

import pytest
from benchmarks.scenarios.history import _by_commit, _kept, slower_tasks


def rows(*ratios, task="MRMR"):
    return [
        {"commit": f"c{i}", "date": f"2026-01-{i + 1:02}", "task": task, "yardsticks": f"{ratio}"}
        for i, ratio in enumerate(ratios)
    ]


@pytest.mark.parametrize(
    ("ratios", "slower"),
    [
        ((1.0,), {}),
        ((1.0, 1.2), {}),
        ((1.0, 1.5), {"MRMR": 1.5}),
        ((1.0, 9.0, 1.0, 1.1), {}),  # one bad measurement before does not move the median
        ((5.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0), {"MRMR": 2.0}),  # what was slow long ago is no excuse
    ],
)
def test_a_commit_that_makes_a_task_slower_is_named(ratios, slower):
    assert slower_tasks(rows(*ratios)) == slower


def test_tasks_are_judged_each_by_itself():
    mixed = [*rows(1.0, 1.0), *rows(1.0, 2.0, task="JMI")]
    assert list(slower_tasks(mixed)) == ["JMI"]


def test_the_table_has_a_line_for_each_commit_the_newest_first():
    ordered = sorted([*rows(1.0, 2.0), *rows(3.0, task="JMI")], key=lambda row: row["date"])
    newest, oldest = _by_commit(ordered)
    assert newest == {"commit": "c1", "date": "2026-01-02", "MRMR": "2.0", "JMI": ""}
    assert oldest == {"commit": "c0", "date": "2026-01-01", "MRMR": "1.0", "JMI": "3.0"}


def test_the_committed_history_is_in_the_order_of_commits():
    dates = [row["date"] for row in _kept()]
    assert dates
    assert dates == sorted(dates)
