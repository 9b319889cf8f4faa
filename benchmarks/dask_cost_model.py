"""What a selection costs on a cluster: bytes that move, tasks, and seconds.

For N rows, |F| features of V values in mean, K labels, W workers (one part of the table for each)
with T threads each, n_k rows left before step k:

| | bytes between workers | bytes to the client | codes that a thread counts | tasks |
|---|---|---|---|---|
| by feature, a step | (W - 1) N | 8 abs(F) K | n_k abs(F) / W T | 2 W + 1 |
| by row, G groups | 0 | 4 W abs(F) V K G | n_k abs(F) / W T | W |
| by row, the shuffle | n_k (abs(F) + 4) (1 - 1 / W) | 0 | | W**2 + 2 W |
| by row, a step after it | 0 | 9 W abs(F) K | n_k abs(F) / W T | W |

(Of more than eight workers, eight at a time add theirs up by tasks before the client sees them.)

Seconds are simulated: the client and the scheduler hand out tasks one after another, threads count,
sums are added up, every worker sends through a wire of its own, and the client waits for answers.
CPU seconds are those of all processes together, and do not ask how many cores they share.
`benchmarks/scenarios/dask_scaling.py` measures the constants of `Machines` and compares all of it
with runs on 1, 2 and 4 workers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from deacs.distributed.cluster.groups import MOST_CELLS, NS_CELL, NS_MOVE
from deacs.distributed.cluster.protocol import FAN_IN

__all__ = ["Machines", "Shape", "Step", "by_feature", "by_row", "total"]

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

NS_FOLD = 5.0
"""What a cell of the whole table costs the client, which makes scores of it."""


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
                grouping=(NS_REFINE if k else NS_ORDER) * n_left,
                n_codes=n_left * n_candidates / parts,
                moved=(parts - 1) * shape.n_rows if k else 0,
                gathered=BYTES_A_SUM * n_candidates * shape.n_labels,
                tasks=2 * parts + 1,
                answers=1 if k else 2,
                waiting=(spread if k else 0) + machines.hop_seconds,
            )
        )
    return steps


def by_row(
    shape: Shape,
    machines: Machines,
    left: Sequence[float],
    *,
    uneven: float = 1.1,
) -> list[Step]:
    """Return the steps of a selection given all of S, rows on workers.

    Rows are shuffled when the engine would do so, as if every joint value of S occurred.

    Parameters
    ----------
    shape : Shape
        The table.
    machines : Machines
        The cluster.
    left : sequence of float
        The share of rows that is left before each step; the first is 1.
    uneven : float, default=1.1
        How many times its share the fullest part holds after the shuffle.

    Examples
    --------
    >>> tall = Shape(n_rows=10**9, n_features=1000, n_labels=10, n_values=8)
    >>> steps = by_row(tall, Machines(n_workers=100, threads=8), [1.0, 0.9, 0.8])
    >>> [step.name for step in steps]
    ['step 1', 'step 2', 'shuffle', 'step 3']
    """
    parts = machines.n_workers
    is_whole, spent = parts == 1, 0.0
    steps = []
    for k, share in enumerate(left):
        n_left, n_candidates = share * shape.n_rows, shape.n_features - k
        n_runs = shape.n_labels * shape.n_values**k
        if k and not is_whole:
            n_cells = n_runs * shape.n_values * shape.n_features
            spent += NS_CELL * n_cells * parts
            is_whole = n_cells > MOST_CELLS or spent > NS_MOVE * n_left * shape.n_features
            if is_whole:
                steps.append(_shuffle(shape, machines, n_left, k, uneven))
        n_cells = 0 if is_whole else n_runs * shape.n_values * n_candidates
        n_sums = n_candidates * shape.n_labels if is_whole else n_cells
        moved, gathered, n_tasks, waiting = _added(BYTES_A_SUM if is_whole else 4, n_sums, machines)
        steps.append(
            _step(
                *(f"step {k + 1}", machines),
                grouping=(NS_REFINE if k else NS_ORDER) * n_left / parts,
                n_codes=n_left * n_candidates / parts,
                moved=moved,
                gathered=gathered,
                # The first asks how often each label occurs.
                tasks=n_tasks * (1 if k else 2),
                answers=1 if k else 2,
                waiting=waiting + 1e-9 * NS_FOLD * n_cells,
                uneven=uneven if is_whole and parts > 1 else 1.0,
            )
        )
    return steps


def _shuffle(
    shape: Shape, machines: Machines, n_left: float, n_selected: int, uneven: float
) -> Step:
    """Rows to their groups' workers; there they are grouped by S anew."""
    parts, n_bytes = machines.n_workers, n_left * (shape.n_features + 4)
    moved = n_bytes * (1 - 1 / parts)
    dealing = NS_DEAL * n_bytes
    return _step(
        *("shuffle", machines),
        grouping=(dealing + (NS_ORDER + n_selected * NS_REFINE) * n_left) / parts,
        n_codes=0.0,
        moved=moved,
        gathered=0.0,
        tasks=parts**2 + 2 * parts,
        answers=0,
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


def _added(bytes_each: int, n_sums: float, machines: Machines) -> tuple[float, float, int, float]:
    """Return bytes between workers, bytes to the client, tasks, and seconds to wait.

    Each part has so many numbers; tasks add those of eight, of 8 bytes at least, until there are no
    more than eight, and the client adds those.
    """
    below, n_tasks, moved = machines.n_workers, machines.n_workers, 0.0
    n_bytes, waiting = bytes_each * n_sums, machines.hop_seconds
    while below > FAN_IN:
        above = math.ceil(below / FAN_IN)
        moved += (below - above) * n_bytes
        waiting += machines.hop_seconds + FAN_IN * n_bytes / machines.bytes_a_second
        n_bytes, below = max(bytes_each, 8) * n_sums, above
        n_tasks += above
    gathered = below * n_bytes
    return moved, gathered, n_tasks, waiting + 1e-9 * NS_ADD * gathered
