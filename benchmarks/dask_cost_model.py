"""What a selection costs on a cluster: bytes that move, tasks, and seconds.

For N rows, |F| features of V values in mean, K labels, W workers (one part of the table for each)
with T threads each, n_k rows left before step k:

| | bytes between workers | bytes to the client | codes that a thread counts | tasks |
|---|---|---|---|---|
| by feature, a step | (W - 1) N | 8 abs(F) K | n_k abs(F) / W T | 2 W + 2 |
| by row, S empty | 4 (W - 1) abs(F) V K | 8 abs(F) K | N abs(F) / W T | 4 W + 3 |
| by row, the shuffle | n_k (abs(F) + 4) (1 - 1 / W) | 0 | | W**2 + 4 W + 1 |
| by row, a step after it | 9 (W - 1) abs(F) K | 9 abs(F) K | n_k abs(F) / W T | 3 W + 1 |

Seconds are simulated: the client and the scheduler hand out tasks one after another, threads count,
sums go up a tree, every worker sends through a wire of its own, and the client waits for answers.
CPU seconds are those of all processes together, and do not ask how many cores they share.
`benchmarks/scenarios/dask_scaling.py` measures the constants of `Machines` and compares all of it
with runs on 1, 2 and 4 workers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Machines", "Shape", "Step", "by_feature", "by_row", "total"]

FAN_IN = 8
"""Results that one task of a tree adds up, as in `cluster`."""

BYTES_A_SUM = 9
"""A sum in fixed point, and whether it is zero."""

NS_ORDER = 40.0
"""What a row costs when rows are first ordered by label."""

NS_REFINE = 20.0
"""What a row costs when groups are split by a column."""

NS_DEAL = 3.0
"""What a code costs in a shuffle: copied for its target, and joined to others there."""

NS_ADD = 0.5
"""What a byte costs that is added to others."""


@dataclass(frozen=True)
class Shape:
    """A coded table, a byte a value.

    Attributes
    ----------
    n_rows, n_features, n_labels : int
        N, |F| and K.
    n_values : float
        V, the mean number of values of a feature.
    """

    n_rows: int
    n_features: int
    n_labels: int
    n_values: float = 4.0


@dataclass(frozen=True)
class Machines:
    """A cluster, by constants that can be measured.

    Attributes
    ----------
    n_workers : int
        W.
    threads : int
        T, the threads of each worker.
    n_cores : int, optional
        Cores that all of them share, where workers are processes of one machine.
    ns_a_code : float
        Nanoseconds to count one code.
    bytes_a_second : float
        What a worker sends or receives; the default is 10 Gbit/s.
    ns_a_byte : float
        Nanoseconds that both ends compute for a byte that is sent.
    task_seconds : float
        What the client and the scheduler compute for a task.
    worker_seconds : float
        What a worker computes for a task, besides the work itself.
    answer_seconds : float
        What the client and the scheduler compute for an answer that the client waits for.
    hop_seconds : float
        From the end of a task to the begin of another that waits for it.
    """

    n_workers: int
    threads: int = 1
    n_cores: int | None = None
    ns_a_code: float = 1.0
    bytes_a_second: float = 1.25e9
    ns_a_byte: float = 1.0
    task_seconds: float = 1e-3
    worker_seconds: float = 1e-3
    answer_seconds: float = 5e-3
    hop_seconds: float = 5e-3

    def crowded(self, seconds: float) -> float:
        """Return how long a worker takes for so much work while all are at work."""
        return seconds * max(1.0, self.n_workers * self.threads / (self.n_cores or math.inf))


@dataclass(frozen=True)
class Step:
    """What one step costs.

    Attributes
    ----------
    moved : float
        Bytes between workers.
    gathered : float
        Bytes to the client.
    tasks, answers : int
        How many tasks there are, and how often the client waits for an answer.
    seconds : float
        Simulated.
    cpu : float
        Seconds that all processes compute, together.
    """

    name: str
    moved: float
    gathered: float
    tasks: int
    answers: int
    seconds: float
    cpu: float


def by_feature(shape: Shape, machines: Machines, left: Sequence[float]) -> list[Step]:
    """Return the steps of a selection given all of S, columns on workers.

    Parameters
    ----------
    shape : Shape
        The table.
    machines : Machines
        The cluster.
    left : sequence of float
        The share of rows that is left before each step; the first is 1.

    Examples
    --------
    >>> wide = Shape(n_rows=10_000, n_features=1_000_000, n_labels=10)
    >>> first, second = by_feature(wide, Machines(n_workers=100), [1.0, 1.0])
    >>> second.moved  # the selected column, to 99 workers
    990000.0
    """
    parts = machines.n_workers
    # Whoever has the column passes it on, so it reaches all in a number of rounds.
    rounds = math.ceil(math.log2(parts))
    spread = rounds * (shape.n_rows / machines.bytes_a_second + machines.hop_seconds)
    steps = []
    for k, share in enumerate(left):
        n_left, n_candidates = share * shape.n_rows, shape.n_features - k
        steps.append(
            _step(
                *(f"step {k + 1}", machines),
                grouping=NS_REFINE * n_left + (0 if k else NS_ORDER * n_left),
                n_codes=n_left * n_candidates / parts,
                moved=(parts - 1) * shape.n_rows,
                gathered=8 * n_candidates * shape.n_labels,
                tasks=2 * parts + 2 + (0 if k else parts + 2),
                answers=2 if k else 4,
                waiting=spread + machines.hop_seconds,
            )
        )
    return steps


def by_row(
    shape: Shape,
    machines: Machines,
    left: Sequence[float],
    *,
    shuffled_after: int = 1,
    groups: Sequence[int] = (1,),
    uneven: float = 1.1,
) -> list[Step]:
    """Return the steps of a selection given all of S, rows on workers.

    Parameters
    ----------
    shape : Shape
        The table.
    machines : Machines
        The cluster.
    left : sequence of float
        The share of rows that is left before each step; the first is 1.
    shuffled_after : int, default=1
        How many features are selected when rows are shuffled.
    groups : sequence of int, default=(1,)
        How many groups there are before each step until then.
    uneven : float, default=1.1
        How many times its share the fullest part holds after the shuffle.

    Examples
    --------
    >>> tall = Shape(n_rows=10**9, n_features=1000, n_labels=10)
    >>> steps = by_row(tall, Machines(n_workers=100, threads=8), [1.0, 0.9, 0.8])
    >>> [step.name for step in steps]
    ['step 1', 'shuffle', 'step 2', 'step 3']
    """
    parts, levels = machines.n_workers, _levels(machines.n_workers)
    uneven = uneven if parts > 1 else 1.0
    steps = []
    for k, share in enumerate(left):
        n_left, n_candidates = share * shape.n_rows, shape.n_features - k
        if k == shuffled_after:
            steps.append(_shuffle(shape, machines, n_left, k, uneven))
        n_codes = n_left * n_candidates / parts
        n_sums = n_candidates * shape.n_labels
        if k < shuffled_after:
            # Parts send counts of 4 bytes, sums of them have 8.
            n_bytes = 4 * n_sums * shape.n_values * groups[k]
            step = _step(
                *(f"step {k + 1}", machines),
                grouping=(NS_REFINE if k else NS_ORDER) * n_left / parts,
                n_codes=n_codes,
                moved=(parts - levels[0]) * n_bytes + (levels[0] - 1) * 2 * n_bytes,
                gathered=8 * n_sums,
                tasks=(3 if k else 4) * parts + 2 * sum(levels) + (2 if k else 1),
                answers=3,
                waiting=_up_the_tree(n_bytes, machines),
            )
        else:
            n_bytes = BYTES_A_SUM * n_sums
            step = _step(
                *(f"step {k + 1}", machines),
                grouping=NS_REFINE * n_left / parts,
                n_codes=n_codes,
                moved=(parts - 1) * n_bytes,
                gathered=n_bytes,
                tasks=3 * parts + (sum(levels) if parts > 1 else 0),
                answers=2,
                waiting=_up_the_tree(n_bytes, machines),
                uneven=uneven,
            )
        steps.append(step)
    return steps


def _shuffle(
    shape: Shape, machines: Machines, n_left: float, n_selected: int, uneven: float
) -> Step:
    """Rows to their groups' workers; there they are grouped by S anew. One part stays as it is."""
    parts, n_bytes = machines.n_workers, n_left * (shape.n_features + 4)
    moved = n_bytes * (1 - 1 / parts)
    dealing = NS_DEAL * n_bytes if parts > 1 else 0.0
    return _step(
        *("shuffle", machines),
        grouping=(dealing + (NS_ORDER + n_selected * NS_REFINE) * n_left) / parts,
        n_codes=0.0,
        moved=moved,
        gathered=0.0,
        tasks=parts**2 + 4 * parts + 1 if parts > 1 else 2,
        answers=1,
        waiting=uneven * moved / parts / machines.bytes_a_second + 3 * machines.hop_seconds,
        uneven=uneven,
    )


def total(steps: Sequence[Step]) -> Step:
    """Add up the steps of a selection."""
    return Step(
        "all",
        sum(step.moved for step in steps),
        sum(step.gathered for step in steps),
        sum(step.tasks for step in steps),
        sum(step.answers for step in steps),
        sum(step.seconds for step in steps),
        sum(step.cpu for step in steps),
    )


def _step(
    name: str,
    machines: Machines,
    *,
    grouping: float,
    n_codes: float,
    moved: float,
    gathered: float,
    tasks: int,
    answers: int,
    waiting: float,
    uneven: float = 1.0,
) -> Step:
    """Simulate a step: `grouping` (ns, one thread) and `n_codes` are those of one worker."""
    parts = machines.n_workers
    grouping, counting = 1e-9 * grouping, 1e-9 * n_codes * machines.ns_a_code
    handing_out = tasks * machines.task_seconds + answers * machines.answer_seconds
    on_workers = tasks * machines.worker_seconds
    work = uneven * (grouping + counting / machines.threads) + on_workers / parts
    return Step(
        *(name, float(moved), float(gathered), tasks, answers),
        seconds=waiting + handing_out + machines.crowded(work) + gathered / machines.bytes_a_second,
        cpu=parts * (grouping + counting)
        + handing_out
        + on_workers
        + 1e-9 * machines.ns_a_byte * (moved + gathered),
    )


def _levels(n_parts: int) -> list[int]:
    """How many results there are after each level of a tree, down to one."""
    levels = [math.ceil(n_parts / FAN_IN)]
    while levels[-1] > 1:
        levels.append(math.ceil(levels[-1] / FAN_IN))
    return levels


def _up_the_tree(n_bytes: float, machines: Machines) -> float:
    """Return how long results go up a tree: a task adds up some when the last of them is there."""
    each = n_bytes / machines.bytes_a_second + NS_ADD * 1e-9 * n_bytes
    waiting, below = machines.hop_seconds, machines.n_workers
    for level in _levels(machines.n_workers):
        waiting += machines.hop_seconds + (min(FAN_IN, below) - 1) * each
        below = level
    return waiting
