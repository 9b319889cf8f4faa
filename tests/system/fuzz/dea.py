"""Tables of units over hundreds of decades: scores and statuses against fractions.

`run` makes tiny random tables with zeros, equal and dominated units, subnormal numbers and spans of
up to 300 decades, scores each by one of the models, and compares the answers with the textbook's
programs in fractions. A status may be "uncertain", but never wrong.
"""

import math
import warnings
from collections import Counter

import numpy as np

from deacs import dea
from tests.naive import dea as naive

DECADES = (0.5, 3, 8, 10, 13, 30, 100, 200, 300)

NEAR = 1e-8
"""Up to here a tolerance of 1e-9 may decide: a score so near 1, a slack so small a share."""

SCALES = ("crs", "vrs", "nirs", "ndrs")


def random_table(rng):
    """Inputs and outputs of two to five units; each has a positive input."""
    n, m, s = rng.integers(2, 6), rng.integers(1, 4), rng.integers(1, 4)
    decades = rng.choice(DECADES)
    table = 10.0 ** rng.uniform(-decades / 2, decades / 2, (n, m + s))
    if rng.random() < 0.3:  # the same few numbers again and again
        table = rng.choice(table.ravel()[:4], table.shape)
    if rng.random() < 0.2:
        table[:, rng.integers(m + s)] = rng.integers(1, 9, n) * 5e-324
    table[rng.random(table.shape) < rng.choice([0.0, 0.25])] = 0.0
    for _ in range(rng.integers(0, 3)):  # a unit like another, but for one number
        to, source = rng.integers(n, size=2)
        table[to] = table[source]
        table[to, rng.integers(m + s)] *= rng.choice([1.0, 0.5, 2.0])
    x, y = table[:, :m], table[:, m:]
    x[~x.any(axis=1), 0] = 1.0
    return x, y


def largest_slack(x, y, p, scale, counted=None):
    """The largest sum of slacks of unit p, each as a share of its own number, if that is not 0."""
    weights = []
    for columns, mask in zip((x, y), (None, None) if counted is None else counted, strict=True):
        own = naive.inverse(np.where(columns[p] > 0, columns[p], columns.max(axis=0)))
        weights.append(own if mask is None else own * mask)
    return naive.largest_slacks(x, y, p, *weights, scale)


def by_all_slacks(x, y, p, scale):
    """The statuses that fit a unit whose score says efficient."""
    slack = largest_slack(x, y, p, scale)
    if slack > NEAR:
        return {"weakly efficient"}
    return {"efficient", "weakly efficient"} if slack > 0 else {"efficient"}


def by_score(x, y, p, scale, score):
    """The statuses that fit a score whose best is 1."""
    if score < 1 - NEAR:
        return {"inefficient"}
    fits = by_all_slacks(x, y, p, scale)
    return fits if score == 1 else fits | {"efficient", "weakly efficient", "inefficient"}


def by_super_score(x, y, p, scale, score):
    """The statuses that fit a score with no limit."""
    if score == math.inf:
        return {"infeasible"}
    if abs(score - 1) < NEAR:
        return {"efficient", "inefficient"}
    return {"efficient" if score > 1 else "inefficient"}


def by_slacks(x, y, p, scale, counted):
    """The statuses that fit a model which counts some slacks."""
    slack = largest_slack(x, y, p, scale, counted)
    if slack > NEAR:
        return {"inefficient"}
    fits = by_all_slacks(x, y, p, scale)
    return fits | {"inefficient"} if slack > 0 else fits


def radial(rng, x, y, itself):
    scale, orientation = rng.choice(SCALES), rng.choice(["input", "output"])
    if itself:
        options = {"returns_to_scale": scale, "orientation": orientation}
        return dea.super_efficiency(x, y, **options), _radial(x, y, scale, orientation, True)
    if scale == "crs":
        return dea.ccr(x, y, orientation=orientation), _radial(x, y, scale, orientation, False)
    result = dea.bcc(x, y, returns_to_scale=scale, orientation=orientation)
    return result, _radial(x, y, scale, orientation, False)


def _radial(x, y, scale, orientation, itself):
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    scores = naive.radial(u, v, scale, orientation, itself)
    fits = by_super_score if itself else by_score
    statuses = [fits(u, v, p, scale, score) for p, score in enumerate(scores)]
    for p in np.flatnonzero(~y.any(axis=1)):  # idle units score 0 wherever outputs are asked for
        if orientation == "output" or (itself and scale == "crs"):
            statuses[p] = {"inefficient"}
    return scores, statuses


def additive(rng, x, y):
    scale = rng.choice(SCALES)
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    result = dea.additive(x, y, returns_to_scale=scale)
    statuses = [by_slacks(u, v, p, scale, None) for p in range(len(x))]
    return result, (naive.additive(u, v, scale), statuses)


def ram(rng, x, y):
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    statuses = [by_slacks(u, v, p, "vrs", None) for p in range(len(x))]
    return dea.ram(x, y), (naive.ram(u, v, "vrs"), statuses)


def bam(rng, x, y):
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    statuses = [by_slacks(u, v, p, "vrs", None) for p in range(len(x))]
    return dea.bam(x, y), (naive.bam(u, v, "vrs"), statuses)


def sbm(rng, x, y):
    scale, orientation = rng.choice(SCALES), rng.choice(["none", "input", "output"])
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    result = dea.sbm(x, y, returns_to_scale=scale, orientation=orientation)
    return result, (naive.sbm(u, v, scale, orientation), _sbm_statuses(u, v, scale, orientation))


def _sbm_statuses(u, v, scale, orientation):
    statuses = []
    for p in range(len(u)):
        toward = orientation != "output", orientation != "input"
        counted = (u[p] > 0) * toward[0], (v[p] > 0) * toward[1]
        idle = not (v[p] > 0).any() and orientation != "input"
        statuses.append({"inefficient"} if idle else by_slacks(u, v, p, scale, counted))
    return statuses


def super_sbm(rng, x, y):
    scale, orientation = rng.choice(SCALES), rng.choice(["none", "input", "output"])
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    scores = naive.super_sbm(u, v, scale, orientation)
    statuses = _sbm_statuses(u, v, scale, orientation)
    for p, fits in enumerate(statuses):
        if fits != {"inefficient"} and scores[p] == math.inf:
            statuses[p] = {"infeasible"}
        if fits == {"inefficient"}:
            scores[p] = min(scores[p], 1)
    return dea.super_sbm(x, y, returns_to_scale=scale, orientation=orientation), (scores, statuses)


def directional(rng, x, y):
    scale = rng.choice(SCALES)
    u, v = naive.fractions_of(x), naive.fractions_of(y)
    none = np.zeros((len(x), 0))
    scores = naive.directional_distance(u, v, none, u, v, none, scale, weak=False)
    statuses = [by_score(u, v, p, scale, 1 - score) for p, score in enumerate(scores)]
    return dea.directional_distance(x, y, returns_to_scale=scale), (scores, statuses)


def cross(rng, x, y):
    result = dea.cross_efficiency(x, y, goal=rng.choice(["benevolent", "aggressive"]))
    scores, statuses = _radial(x, y, "crs", "input", False)
    assert ((result.scores >= 0) & (result.scores <= 1)).all()
    known = result.status != "uncertain"
    own = np.diag(result.matrix)
    np.testing.assert_allclose(own[known], scores[known].astype(float), rtol=1e-8, atol=5e-324)
    return result, ([None] * len(x), statuses)


MODELS = {
    "radial": lambda rng, x, y: radial(rng, x, y, itself=False),
    "super-efficiency": lambda rng, x, y: radial(rng, x, y, itself=True),
    "additive": additive,
    "ram": ram,
    "bam": bam,
    "sbm": sbm,
    "super-sbm": super_sbm,
    "directional distance": directional,
    "cross-efficiency": cross,
}


def check(rng, name, x, y):
    """Compare one model with its twin; return how many units were uncertain."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result, (scores, statuses) = MODELS[name](rng, x, y)
    unsure = 0
    for p, (score, fits) in enumerate(zip(scores, statuses, strict=True)):
        if result.status[p] == "uncertain":
            unsure += 1
            continue
        shown = f"{name}, unit {p}: {result.scores[p]!r} {result.status[p]}, not {score} {fits}"
        assert result.status[p] in fits, f"{shown}\nx = {x.tolist()}\ny = {y.tolist()}"
        if score is not None and score not in (math.inf, -math.inf):
            try:
                expected = float(score)
            except OverflowError:
                expected = math.inf
            close = result.scores[p] == expected or math.isclose(
                result.scores[p], expected, rel_tol=1e-8, abs_tol=1e-8
            )
            assert close, f"{shown}\nx = {x.tolist()}\ny = {y.tolist()}"
    return unsure


def run(rng, count):
    """Score `count` random tables by a random model each; count by whether all was settled."""
    outcomes = Counter(settled=0, uncertain=0)
    for _ in range(count):
        x, y = random_table(rng)
        name = str(rng.choice(list(MODELS)))
        outcomes["uncertain" if check(rng, name, x, y) else "settled"] += 1
    return dict(outcomes)
