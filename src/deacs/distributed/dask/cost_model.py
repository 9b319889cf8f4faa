"""What a selection costs on a cluster: bytes that move, and seconds.

For N rows, |F| features of V values in mean, K labels, W workers (one part of the table for each)
with T threads each, n_k rows left before step k:

| | bytes between workers | bytes to the client | codes that a thread counts |
|---|---|---|---|
| by feature, a step | (W - 1) N | 8 abs(F) K | n_k abs(F) / W T |
| by row, S empty | 4 (W - 1) abs(F) V K | 8 abs(F) K | N abs(F) / W T |
| by row, the shuffle | n_k (abs(F) + 4) (1 - 1 / W) | 0 | |
| by row, a step after it | 9 (W - 1) abs(F) K | 9 abs(F) K | n_k abs(F) / W T |

Seconds are simulated: the scheduler hands out tasks one after another, threads count, sums go up a
tree, and every worker sends through a wire of its own. `benchmarks/scenarios/dask_scaling.py`
measures the constants and compares both with runs on 1, 2 and 4 workers.
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

NS_REFINE = 15.0
"""What a row costs when groups are split by a column."""

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
    task_seconds : float
        What the scheduler and the client spend on a task.
    hop_seconds : float
        From the end of a task to the begin of another that waits for it.
    """

    n_workers: int
    threads: int = 1
    n_cores: int | None = None
    ns_a_code: float = 1.0
    bytes_a_second: float = 1.25e9
    task_seconds: float = 1e-3
    hop_seconds: float = 5e-3

    def counting(self, n_codes: float) -> float:
        """Return the seconds in which a worker counts so many codes while all do."""
        return self.alone(n_codes) / self.threads

    def alone(self, n_codes: float) -> float:
        """Return the seconds in which one thread of every worker counts so many codes."""
        crowd = self.n_workers * self.threads / (self.n_cores or math.inf)
        return n_codes * self.ns_a_code * 1e-9 * max(1.0, crowd)


@dataclass(frozen=True)
class Step:
    """What one step costs.

    Attributes
    ----------
    moved : float
        Bytes between workers.
    gathered : float
        Bytes to the client.
    seconds : float
        Simulated.
    """

    name: str
    moved: float
    gathered: float
    seconds: float


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
    steps = []
    for k, share in enumerate(left):
        n_left = share * shape.n_rows
        moved = (parts - 1) * shape.n_rows
        gathered = 8.0 * shape.n_features * shape.n_labels
        # Whoever has the column passes it on, so it reaches all in a number of rounds.
        rounds = math.ceil(math.log2(parts))
        spread = rounds * (shape.n_rows / machines.bytes_a_second + machines.hop_seconds)
        refining = machines.alone(NS_REFINE / machines.ns_a_code * n_left)
        counting = machines.counting(n_left * shape.n_features / parts)
        seconds = (
            spread
            + 2 * parts * machines.task_seconds
            + 2 * machines.hop_seconds
            + refining
            + counting
            + gathered / machines.bytes_a_second
        )
        steps.append(Step(f"step {k + 1}", float(moved), gathered, seconds))
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
    parts, wire = machines.n_workers, machines.bytes_a_second
    steps = []
    for k, share in enumerate(left):
        n_left = share * shape.n_rows
        if k == shuffled_after and parts > 1:
            moved = n_left * (shape.n_features + 4) * (1 - 1 / parts)
            steps.append(
                Step(
                    "shuffle",
                    moved,
                    0.0,
                    parts**2 * machines.task_seconds
                    + 2 * machines.alone(n_left * (shape.n_features + 4) / parts)
                    + uneven * moved / parts / wire,
                )
            )
        if k < shuffled_after:
            cells = shape.n_features * shape.n_values * shape.n_labels * groups[k]
            levels = _levels(parts)
            # Parts send counts of 4 bytes, sums of them have 8.
            moved = (parts - levels[0]) * 4 * cells + (levels[0] - 1) * 8 * cells
            gathered, n_bytes = 8.0 * shape.n_features * shape.n_labels, 4 * cells
            load = 1.0
        else:
            n_bytes = gathered = float(BYTES_A_SUM * shape.n_features * shape.n_labels)
            moved, load = (parts - 1) * n_bytes, uneven if parts > 1 else 1.0
        counting = machines.counting(load * n_left * shape.n_features / parts)
        refining = machines.alone(NS_REFINE / machines.ns_a_code * n_left / parts) if k else 0.0
        # The scheduler hands out the last part's task when it has handed out all others.
        ready = [part * machines.task_seconds + refining + counting for part in range(parts)]
        seconds = _up_the_tree(ready, n_bytes, machines) + gathered / wire
        steps.append(Step(f"step {k + 1}", float(moved), gathered, seconds))
    return steps


def total(steps: Sequence[Step]) -> Step:
    """Add up the steps of a selection."""
    return Step(
        "all",
        sum(step.moved for step in steps),
        sum(step.gathered for step in steps),
        sum(step.seconds for step in steps),
    )


def _levels(n_parts: int) -> list[int]:
    """How many results there are after each level of a tree, down to one."""
    levels = [math.ceil(n_parts / FAN_IN)]
    while levels[-1] > 1:
        levels.append(math.ceil(levels[-1] / FAN_IN))
    return levels


def _up_the_tree(ready: list[float], n_bytes: float, machines: Machines) -> float:
    """Simulate a tree: a task adds up results when the last of them is there."""
    each = n_bytes / machines.bytes_a_second + NS_ADD * 1e-9 * n_bytes
    for _ in _levels(len(ready)):
        groups = [ready[k : k + FAN_IN] for k in range(0, len(ready), FAN_IN)]
        ready = [max(group) + machines.hop_seconds + (len(group) - 1) * each for group in groups]
    return ready[0] + machines.hop_seconds
