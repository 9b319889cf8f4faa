"""A scheduler that is not Dask: every task runs at once, in this process.

It can lose what it was sent, as workers do when they die.
"""

from deacs.coding import encode
from deacs.distributed.cluster.counts import open_on
from deacs.distributed.cluster.grouping import Score
from deacs.distributed.cluster.protocol import Cluster, LostData
from deacs.distributed.cluster.source import MemorySource
from deacs.greedy.engine import Capabilities

__all__ = ["InlineCluster", "InlineEngine"]


class Result:
    """The result of a task, or data that was sent."""

    def __init__(self, value, origins=()):
        self.value = value
        self.origins = origins
        self.lost = False

    def read(self):
        """Return the value, if no data that it was made of is lost."""
        if self.lost or any(origin.lost for origin in self.origins):
            raise LostData
        return self.value


class InlineCluster(Cluster):
    """So many workers in name; `lose` loses data that came from the client."""

    def __init__(self, n_workers=3):
        self._n_workers = n_workers
        self.sent = []

    def n_workers(self):
        return self._n_workers

    def submit(self, name, work, *args, home=None):
        origins = set()

        def value(argument):
            if isinstance(argument, list):
                return [value(item) for item in argument]
            if not isinstance(argument, Result):
                return argument
            origins.update(argument.origins or (argument,))
            return argument.read()

        try:
            return Result(work(*map(value, args)), origins)
        except LostData:
            return Result(None, origins)

    def send(self, data, home):
        self.sent.append(Result(data))
        return self.sent[-1]

    def gather(self, handles):
        if isinstance(handles, list):
            return [handle.read() for handle in handles]
        return handles.read()

    def is_lost(self, handle):
        return handle.lost

    def lose(self, number):
        """Lose one part of the table."""
        self.sent[number].lost = True


class InlineEngine:
    """Counts on an `InlineCluster`, which loses a part after so many answers."""

    capabilities = Capabilities(estimators=True, order=True, order_of_codes=True, overlapping=True)

    def __init__(self, by, n_workers=3, loses_after=None):
        self.by, self.n_workers, self.loses_after = by, n_workers, loses_after
        self.deaths = int(loses_after is None)

    def encode(self, X, y, **how):
        return encode(X, y, **how)

    def open(self, data, label_score="one-vs-rest", n_jobs=None, estimator="plug-in"):
        cluster = InlineCluster(self.n_workers)
        gather, answers = cluster.gather, []

        def lose_then_gather(handles):
            answers.append(1)
            if len(answers) == self.loses_after:
                cluster.lose(0)
                self.deaths += 1
            return gather(handles)

        cluster.gather = lose_then_gather
        return open_on(cluster, MemorySource(data), self.by, Score(label_score, estimator))
