r"""Data envelopment analysis: one simplex method for few rows and many columns, and what saves programs.

.. math:: \min \sum_k c_k λ_k \quad \text{s.t.} \quad \sum_k λ_k a_k \mp s = b, \quad λ, s \ge 0.

The basis inverse is explicit. Only *members* are priced at every pivot; once no member improves the
objective, all references are priced, and some that are worth more than their cost become members
(column generation). The start depends on the program alone, so that no answer depends on another.

Two entries set up programs. `score_units`: a constant input, where each reference costs 1 and rows are
outputs. `solve_programs`: any rows, references without cost, and columns of the program's own.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.math cimport INFINITY, NAN, fabs
from libc.stdint cimport int64_t

from deacs._kernels.arrays cimport floats_in, floats_out, longs_in, longs_out

cdef enum:
    WIDTH = 128  # references priced at once; a multiple of BATCH
    BATCH = 16   # the most references added at a time
    ROOM = 520   # members; not a power of two, so that rows of a matrix of members share no cache sets
    FOUND = 0
    INFEASIBLE = 1
    FAILED = 2

LANES = WIDTH
MAX_MEMBERS = ROOM
STATES = ("optimal", "infeasible", "failed")

cdef double TOLERANCE = 1e-13      # the least gain per unit of intensity for which a column enters
cdef double SMALLEST_PIVOT = 1e-10
cdef double NOISE = 1e-13          # a weight below this share of all weights is a rounding error
cdef double LACKING = 1e-11        # the share of a demand that artificials may provide; the proof decides
cdef double LEFT_OUT = 2.0         # the sign of a row without bounds


cdef struct Refs:
    const double *columns    # (n_units, n_rows)
    const double *blocks     # (n_blocks, n_rows, WIDTH) columns of the core, padded with zeros
    const int64_t *listed    # the units of the core, then extras of one unit each
    const int64_t *spans     # (n_units, 3) own place in the core or -1; where extras begin and end
    const int64_t *makers    # (2, n_rows) the units with the most and second most of each output
    Py_ssize_t n_rows
    Py_ssize_t n_blocks
    Py_ssize_t n_listed


cdef Refs refs_of(object refs) except *:
    """Read `deacs.dea.technology.References`."""
    cdef Refs given
    given.columns, given.blocks = floats_in(refs.columns), floats_in(refs.blocks)
    given.listed, given.spans = longs_in(refs.listed), longs_in(refs.spans)
    given.makers = longs_in(refs.makers)
    given.n_blocks, given.n_rows = refs.blocks.shape[0], refs.columns.shape[1]
    given.n_listed = len(refs.listed)
    return given


cdef struct Room:
    double *scale       # of each row: its scale, its demand, its sense (1 at least, -1 at most, 0 equal),
    double *demand      # the cost of its artificial column, which is the unit vector of the row,
    double *sign        # its price, and its price before scaling
    double *penalty
    double *price
    double *plain
    double *amount      # of each place in the basis: its intensity, the entering column in terms of
    double *entering    # the basis, the residual of its price
    double *owed
    double *made        # the row sums of the basis solution
    double *inverse     # of the basis: a row for each row, a column for each place
    double *members     # (n_rows, ROOM) scaled columns of the members, then their costs and their worth
    double *costs
    double *gains
    double *worth       # (n_blocks + 1, WIDTH) of each reference at the prices, and a spare row
    int64_t *column     # the column of the table behind each row
    int64_t *maker      # the unit, not p, that makes most of each row
    int64_t *basis      # for each place: k >= 0 for member k, -1 - r the artificial of row r, -1 - m - r its slack
    int64_t *member     # the unit of each member, or -1
    Py_ssize_t n_rows


cdef Room room_for(Refs refs) except *:
    cdef Room room
    cdef Py_ssize_t s = refs.n_rows
    cdef double *at = <double *> PyMem_Calloc(
        10 * s + s * s + (s + 2) * ROOM + (refs.n_blocks + 1) * WIDTH + 3 * s + ROOM, 8
    )
    if at == NULL:
        raise MemoryError
    room.n_rows, room.scale = s, at
    room.demand, room.sign, room.penalty, room.price = at + s, at + 2 * s, at + 3 * s, at + 4 * s
    room.plain, room.amount, room.entering = at + 5 * s, at + 6 * s, at + 7 * s
    room.owed, room.made, room.inverse = at + 8 * s, at + 9 * s, at + 10 * s
    room.members = room.inverse + s * s
    room.costs = room.members + s * ROOM
    room.gains, room.worth = room.costs + ROOM, room.costs + 2 * ROOM
    room.column = <int64_t *> (room.worth + (refs.n_blocks + 1) * WIDTH)
    room.maker, room.basis, room.member = room.column + s, room.column + 2 * s, room.column + 3 * s
    return room


cdef bint pivot(Room *room, Py_ssize_t m, Py_ssize_t n_members, double limit, bint settled) noexcept nogil:
    """Pivot until no member is worth more than its cost and no price has the wrong sign.

    Return False if the sum of intensities fell below the limit, or the method is stuck, else True.
    Once `settled`, artificials leave the basis as soon as possible.
    """
    cdef Py_ssize_t s = room.n_rows, i, c, k, turn, leaving, idle = 0
    cdef int64_t code
    cdef double gain, largest, price, amount, step, least, ratio, entering, factor, total
    cdef double *gains = room.gains
    cdef const double *row
    cdef bint first
    for turn in range(50 + 20 * m):
        gain, code, largest = 0.0, 0, 1.0
        for k in range(n_members):
            gains[k] = -room.costs[k]
        for i in range(m):
            price, row = room.price[i], room.members + i * ROOM
            room.entering[i] = 0.0
            largest = max(largest, fabs(price))
            if -room.sign[i] * price > gain:
                gain, code = -room.sign[i] * price, -1 - m - i
            for k in range(n_members):
                gains[k] += price * row[k]
        for k in range(n_members):
            # Bland's rule (the first) after degenerate steps, to avoid cycles.
            if gains[k] > gain and (idle <= m or gain <= TOLERANCE * largest):
                gain, code = gains[k], k
        if gain <= TOLERANCE * largest:
            return True

        for c in range(m):
            amount = room.members[c * ROOM + code] if code >= 0 else 0.0
            if c == -1 - m - code:
                amount = -room.sign[c]
            if amount != 0.0:
                row = room.inverse + c * s
                for i in range(m):
                    room.entering[i] += amount * row[i]

        largest = 0.0
        for i in range(m):
            largest = max(largest, fabs(room.entering[i]))
        leaving, step, least = -1, INFINITY, 0.0
        for i in range(m):
            entering = room.entering[i]
            if entering > SMALLEST_PIVOT * largest:
                ratio = max(room.amount[i], 0.0) / entering
                if idle <= m:
                    first = entering > least
                else:
                    first = leaving >= 0 and room.basis[i] < room.basis[leaving]
                if ratio < step or (ratio == step and first):
                    leaving, step, least = i, ratio, entering
            elif settled and -m <= room.basis[i] < 0 and -entering > SMALLEST_PIVOT * largest:
                leaving, step, least = i, 0.0, entering
                break
        if leaving < 0:
            return False

        idle = 0 if step > 0.0 else idle + 1
        room.basis[leaving] = code
        total = 0.0
        for c in range(m):
            factor = room.inverse[c * s + leaving] / least
            if factor != 0.0:
                for i in range(m):
                    room.inverse[c * s + i] -= room.entering[i] * factor
                room.inverse[c * s + leaving] = factor
                room.price[c] -= gain * factor
            room.amount[c] = step if c == leaving else room.amount[c] - room.entering[c] * step
            if room.basis[c] >= -m:  # slacks are not intensities
                total += room.amount[c]
        if total < limit:
            return False
    return False


cdef void refine(Room *room, Py_ssize_t m) noexcept nogil:
    """Do one step of iterative refinement of amounts and prices, to remove rounding errors."""
    cdef Py_ssize_t i, c
    cdef int64_t code
    cdef double worth, missing
    for i in range(m):
        room.made[i] = 0.0
    for i in range(m):
        code = room.basis[i]
        if code >= 0:
            worth = 0.0
            for c in range(m):
                room.made[c] += room.amount[i] * room.members[c * ROOM + code]
                worth += room.price[c] * room.members[c * ROOM + code]
            room.owed[i] = room.costs[code] - worth
        elif code >= -m:
            c = -1 - code
            room.made[c] += room.amount[i]
            room.owed[i] = room.penalty[c] - room.price[c]
        else:
            c = -1 - m - code
            room.made[c] -= room.sign[c] * room.amount[i]
            room.owed[i] = room.sign[c] * room.price[c]
    for c in range(m):
        missing = room.demand[c] - room.made[c]
        for i in range(m):
            room.amount[i] += room.inverse[c * room.n_rows + i] * missing
            room.price[c] += room.owed[i] * room.inverse[c * room.n_rows + i]


cdef Py_ssize_t price(
    Refs *refs, Room *room, int64_t p, Py_ssize_t m, Py_ssize_t n_members, double cost, double *highest,
) noexcept nogil:
    """Price every reference, all with the same cost, at prices of the right sign; add the best.

    OUT highest: the highest worth. Return the number of members.
    """
    cdef Py_ssize_t i, b, j
    cdef double value, largest = cost
    cdef double *worth
    cdef const double *row
    for i in range(m):
        value = room.price[i]
        if room.sign[i] * value < 0.0:
            value = 0.0
        room.plain[i] = value / room.scale[i]
        if cost == 0.0:
            largest = max(largest, fabs(value))
    for b in range(refs.n_blocks):
        worth = room.worth + b * WIDTH
        for j in range(WIDTH):
            worth[j] = 0.0
        for i in range(m):
            value = room.plain[i]
            if value != 0.0:
                row = refs.blocks + (b * refs.n_rows + room.column[i]) * WIDTH
                for j in range(WIDTH):
                    worth[j] += value * row[j]
    return join(refs, room, p, m, n_members, cost, cost + TOLERANCE * largest, highest)


cdef Py_ssize_t join(
    Refs *refs, Room *room, int64_t p, Py_ssize_t m, Py_ssize_t n_members, double cost, double least, double *highest,
) noexcept nogil:
    """Add references with a worth above `least`: the best of every 16th. Return the number of members."""
    cdef Py_ssize_t b, i, e, joins, j, part
    cdef const int64_t *span = refs.spans + 3 * p
    cdef double *best = room.worth + refs.n_blocks * WIDTH
    cdef const double *worth
    cdef double most, value
    cdef bint promising
    if span[0] >= 0:
        room.worth[span[0]] = 0.0
    for j in range(WIDTH):
        best[j] = room.worth[j]
    for b in range(1, refs.n_blocks):
        worth = room.worth + b * WIDTH
        for j in range(WIDTH):
            best[j] = worth[j] if worth[j] > best[j] else best[j]
    highest[0] = 0.0
    for j in range(WIDTH):
        highest[0] = max(highest[0], best[j])
    for part in range(BATCH + 1):
        joins, most = -1, least
        if part < BATCH:
            # The core is sorted: every 16th is a representative sample, a contiguous part is not.
            promising = False
            for j in range(part, WIDTH, 16):
                promising |= best[j] > least
            for b in range(refs.n_blocks if promising else 0):
                worth = room.worth + b * WIDTH
                for j in range(part, WIDTH, 16):
                    if worth[j] > most:
                        joins, most = b * WIDTH + j, worth[j]
        else:
            for e in range(span[1], span[2]):
                value = 0.0
                for i in range(m):
                    value += room.plain[i] * refs.columns[refs.listed[e] * refs.n_rows + room.column[i]]
                highest[0] = max(highest[0], value)
                if value > most:
                    joins, most = e, value
        if joins >= 0:
            n_members = add_member(refs, room, refs.listed[joins], m, n_members, cost)
    return n_members


cdef Py_ssize_t add_member(
    Refs *refs, Room *room, int64_t unit, Py_ssize_t m, Py_ssize_t n_members, double cost
) noexcept nogil:
    """Add a unit, unless it is a member or there is no room; return the number of members."""
    cdef Py_ssize_t k, i
    if n_members == ROOM:
        return n_members
    for k in range(n_members):
        if room.member[k] == unit:  # settled up to rounding
            return n_members
    room.member[n_members] = unit
    room.costs[n_members] = cost
    for i in range(m):
        room.members[i * ROOM + n_members] = refs.columns[unit * refs.n_rows + room.column[i]] / room.scale[i]
    return n_members + 1


def score_units(refs, search, answers):
    r"""Score units of a constant input one after another: min Σ λ over the outputs of p.

    The rows are the outputs of p, each divided by the largest amount of another unit, and the demands by
    their sum. The first basis consists of *artificials* at a cost of 1. They do not change the optimum,
    since the best producer of the output dominates them.

    IN refs; search: `deacs.dea.constant_input.Search`; OUT answers: its `Answers`. Returns the position in
    the units at which it stopped, or their number, and the number of units solved.
    """
    cdef Refs given = refs_of(refs)
    cdef const int64_t *units = longs_in(search.units)
    cdef const int64_t *firsts = longs_in(search.firsts)
    cdef const double *promises = floats_in(search.promises)
    cdef double bar = search.bar, enough = search.enough, close = search.close
    cdef double raise_bar = search.raise_bar, raise_enough = search.raise_enough
    cdef double *scores = floats_out(answers.scores)
    cdef double *gaps = floats_out(answers.gaps)
    cdef int64_t *peers = longs_out(answers.peers)
    cdef double *weights = floats_out(answers.weights)
    cdef Py_ssize_t n_units = len(search.units), k, i, s = given.n_rows, m, n_before, n_members
    cdef int64_t p, place
    cdef double total, limit, highest, upper, lower, gap
    cdef Py_ssize_t stopped = n_units, n_solved = n_units
    cdef Room room = room_for(given)
    try:
        with nogil:
            for k in range(n_units):
                if promises[k] <= bar:
                    n_solved = k
                    break
                p = units[k]
                m = start_scoring(&given, &room, p, firsts[k], &total)
                limit = enough / total * (1.0 - NOISE)  # allow for rounding of the sum
                n_before, n_members, highest = -1, 0, NAN
                if firsts[k] >= 0:
                    n_members = 1
                elif m == 2 and given.n_blocks > 1 and given.spans[3 * p] >= 0:
                    # The core is sorted along the frontier: neighbours are likely peers.
                    for i in range(2):
                        place = given.spans[3 * p] + 2 * i - 1
                        if 0 <= place < given.n_listed:
                            n_members = add_member(&given, &room, given.listed[place], m, n_members, 1.0)
                while n_members > n_before and pivot(&room, m, n_members, limit, False):
                    refine(&room, m)
                    n_before = n_members
                    n_members = price(&given, &room, p, m, n_members, 1.0, &highest)
                upper = use_peers(&given, &room, p, m, total, peers + k * s, weights + k * s)
                lower, gap = 0.0, NAN
                for i in range(m):
                    lower += room.plain[i] * given.columns[p * s + room.column[i]]
                if n_members > n_before:  # pivoting ended it
                    gap = 1.0 if upper < enough else NAN
                elif highest > 0.0 and upper > 0.0:
                    gap = 1.0 - lower / highest / upper
                scores[k], gaps[k] = upper, gap
                if upper >= enough:
                    if not gap <= close:
                        stopped, n_solved = k, k + 1
                        break
                    bar, enough = max(bar, raise_bar * upper), max(enough, raise_enough * upper)
        return stopped, n_solved
    finally:
        PyMem_Free(room.scale)


cdef Py_ssize_t start_scoring(Refs *refs, Room *room, int64_t p, int64_t first, double *total) noexcept nogil:
    """Set up the rows of p and the first basis. OUT total: the scale of θ. Return the number of rows.

    Without `first` (-1), the basis is the artificials. With it, `first` alone produces the outputs of
    p: exactly the amount of its scarcest output, and a surplus of the others.
    """
    cdef Py_ssize_t s = refs.n_rows, m = 0, r, i, c, scarce = 0
    cdef int64_t maker
    cdef double made, amount
    cdef const double *own = refs.columns + p * s
    total[0] = 0.0
    for r in range(s):
        if own[r] > 0.0:
            maker = refs.makers[r] if refs.makers[r] != p else refs.makers[s + r]
            room.column[m], room.maker[m] = r, maker
            room.scale[m] = refs.columns[maker * s + r]
            room.demand[m] = own[r] / room.scale[m]
            total[0] += room.demand[m]
            if first >= 0:
                room.members[m * ROOM] = refs.columns[first * s + r] / room.scale[m]
            m += 1
    for i in range(m):
        room.demand[i] /= total[0]
        for c in range(m):
            room.inverse[c * s + i] = 0.0
        room.inverse[i * s + i] = 1.0
        room.basis[i] = -1 - i
        room.amount[i] = room.demand[i]
        room.price[i] = room.sign[i] = room.penalty[i] = 1.0
    if first >= 0:
        for i in range(m):
            if room.demand[i] * room.members[scarce * ROOM] > room.demand[scarce] * room.members[i * ROOM]:
                scarce = i
        made = room.members[scarce * ROOM]
        amount = room.demand[scarce] / made
        for i in range(m):
            room.inverse[i * s + i] = -1.0
            room.inverse[scarce * s + i] = room.members[i * ROOM] / made
            room.basis[i] = -1 - m - i
            room.amount[i] = room.members[i * ROOM] * amount - room.demand[i]
            room.price[i] = 0.0
        room.member[0], room.costs[0] = first, 1.0
        room.inverse[scarce * s + scarce] = room.price[scarce] = 1.0 / made
        room.basis[scarce], room.amount[scarce] = 0, amount
    return m


cdef double use_peers(
    Refs *refs, Room *room, int64_t p, Py_ssize_t m, double total, int64_t *peers, double *weights
) noexcept nogil:
    """Write the peers, scaled to produce the outputs of p; return the sum of weights.

    For any basis, the sum is an upper bound on θ, up to the rounding of a few sums of non-negative
    numbers.
    """
    cdef Py_ssize_t s = refs.n_rows, i, n, n_peers
    cdef int64_t code, unit
    cdef double noise = 0.0, factor, made, short, sum = 0.0
    for i in range(m):
        if room.basis[i] >= -m and room.amount[i] > 0.0:
            noise += NOISE * room.amount[i]
    while True:
        for n in range(s):
            peers[n], weights[n] = -1, 0.0
        n_peers, factor = 0, 0.0
        for i in range(m):
            code = room.basis[i]
            if code >= -m and room.amount[i] > noise:
                unit = room.member[code] if code >= 0 else room.maker[-1 - code]
                n = 0
                while n < n_peers and peers[n] != unit:
                    n += 1
                if n == n_peers:
                    peers[n] = unit
                    n_peers += 1
                weights[n] += room.amount[i] * total
        for i in range(m):
            made = 0.0
            for n in range(n_peers):
                made += weights[n] * refs.columns[peers[n] * s + room.column[i]]
            short = refs.columns[p * s + room.column[i]] / made if made > 0.0 else INFINITY
            factor = max(factor, short)
        if noise == 0.0 or not factor > 1.0 + NOISE:
            break
        noise = 0.0  # a small weight may matter for a small demand
    for n in range(n_peers):
        weights[n] *= factor
        sum += weights[n]
    return sum


cdef struct Given:
    const double *signs       # of one program, as in `deacs.dea.solver.Scaled`
    const double *scales
    const double *demands
    const double *own
    const double *costs
    const int64_t *firsts
    double penalty
    Py_ssize_t n_own
    Py_ssize_t n_firsts


def solve_programs(refs, programs, found):
    """Solve programs one after another.

    The first basis consists of slacks and, for rows with a demand, of *artificials*: unit vectors with
    a penalty. If artificials remain at the end, the program continues without costs and minimises them:
    either their minimum proves that the program is infeasible, or a feasible basis is found, from which
    the program is solved with its costs.

    IN refs; programs: `deacs.dea.solver.Scaled`; OUT found: its `Found`.
    """
    cdef Refs given = refs_of(refs)
    cdef Given one
    cdef const int64_t *units = longs_in(programs.units)
    cdef const double *signs = floats_in(programs.signs)
    cdef const double *scales = floats_in(programs.scales)
    cdef const double *demands = floats_in(programs.demands)
    cdef const double *own = floats_in(programs.own)
    cdef const double *costs = floats_in(programs.costs)
    cdef const int64_t *firsts = longs_in(programs.firsts)
    cdef const double *penalties = floats_in(programs.penalties)
    cdef int64_t *states = longs_out(found.states)
    cdef double *z = floats_out(found.own)
    cdef int64_t *peers = longs_out(found.peers)
    cdef double *weights = floats_out(found.weights)
    cdef double *prices = floats_out(found.prices)
    cdef Py_ssize_t n_units = len(programs.units), s = given.n_rows, k, i, n, m, n_members, n_before
    cdef int64_t code
    cdef int level, state
    cdef double highest
    cdef bint lacking
    one.n_own, one.n_firsts = programs.costs.shape[1], programs.firsts.shape[1]
    cdef Room room = room_for(given)
    try:
        with nogil:
            for k in range(n_units):
                one.signs, one.scales, one.demands = signs + k * s, scales + k * s, demands + k * s
                one.own, one.costs = own + k * one.n_own * s, costs + k * one.n_own
                one.firsts, one.penalty = firsts + k * one.n_firsts, penalties[k]
                m = start_program(&given, &room, units[k], &one, &n_members)
                # Costs and penalties (0), then artificials alone (1), then costs alone (2).
                state, level = FAILED, 0 if one.penalty > 0.0 else 1
                while pivot(&room, m, n_members, -INFINITY, level == 2):
                    refine(&room, m)
                    n_before = n_members
                    n_members = price(&given, &room, units[k], m, n_members, 0.0, &highest)
                    if n_members > n_before:
                        continue
                    lacking = False
                    for i in range(m):
                        code = room.basis[i]
                        if -m <= code < 0:
                            lacking |= room.amount[i] > LACKING * room.demand[-1 - code]
                    if level == 2 or (level == 0 and not lacking):
                        state = FOUND
                        break
                    if level == 1 and lacking:
                        state = INFEASIBLE
                        break
                    level += 1
                    for n in range(one.n_own):
                        room.costs[n] = one.costs[n] if level == 2 else 0.0
                    for i in range(m):
                        room.penalty[i] = 1.0 if level == 1 else 0.0
                        room.price[i] = 0.0
                    refine(&room, m)  # starting from zero: the prices of the basis

                states[k] = state
                for i in range(m):
                    prices[k * s + room.column[i]] = room.plain[i]
                    code = room.basis[i]
                    if 0 <= code < one.n_own:
                        z[k * one.n_own + code] = room.amount[i]
                    elif code >= 0 and room.amount[i] > 0.0:
                        peers[k * s + i], weights[k * s + i] = room.member[code], room.amount[i]
    finally:
        PyMem_Free(room.scale)


cdef Py_ssize_t start_program(
    Refs *refs, Room *room, int64_t p, Given *one, Py_ssize_t *n_members
) noexcept nogil:
    """Set up the rows of a program and the first basis; return the number of rows. OUT n_members."""
    cdef Py_ssize_t s = refs.n_rows, m = 0, r, i, c, n, b, j
    cdef double sign, demand, highest
    cdef double *into
    cdef const double *row
    for r in range(s):
        if one.signs[r] != LEFT_OUT:
            sign = 1.0 if one.demands[r] >= 0.0 else -1.0
            demand = sign * one.demands[r]
            room.column[m], room.scale[m], room.sign[m] = r, sign * one.scales[r], sign * one.signs[r]
            room.demand[m] = room.amount[m] = demand
            room.penalty[m] = 1.0
            room.plain[m] = 0.0  # `join` reads it
            if one.penalty > 0.0:
                room.penalty[m] = one.penalty / (demand if demand > 0.0 else 1.0)
            for n in range(one.n_own):
                room.members[m * ROOM + n] = one.own[n * s + r] * sign
            m += 1
    for i in range(m):
        for c in range(m):
            room.inverse[c * s + i] = 0.0
        sign = room.sign[i]
        if sign < 0.0 or (sign > 0.0 and room.demand[i] == 0.0):
            room.basis[i], room.inverse[i * s + i], room.price[i] = -1 - m - i, -sign, 0.0
        else:
            room.basis[i], room.inverse[i * s + i], room.price[i] = -1 - i, 1.0, room.penalty[i]
    for n in range(one.n_own):
        room.member[n] = -1
        room.costs[n] = one.costs[n] if one.penalty > 0.0 else 0.0
    n_members[0] = one.n_own
    for n in range(one.n_firsts):
        if one.firsts[n] >= 0:
            n_members[0] = add_member(refs, room, one.firsts[n], m, n_members[0], 0.0)
    if one.n_firsts == 0:
        # The units with the largest ratio of outputs to inputs, weighted by those of p.
        for b in range(refs.n_blocks):
            for j in range(WIDTH):
                room.worth[b * WIDTH + j] = 0.0
                room.worth[refs.n_blocks * WIDTH + j] = 0.0
            for i in range(m):
                r = room.column[i]
                into = room.worth + (b if one.signs[r] > 0.0 else refs.n_blocks) * WIDTH
                row = refs.blocks + (b * s + r) * WIDTH
                if refs.columns[p * s + r] > 0.0 and one.signs[r] != 0.0:
                    for j in range(WIDTH):
                        into[j] += row[j] / refs.columns[p * s + r]
            into = room.worth + refs.n_blocks * WIDTH
            for j in range(WIDTH):
                if into[j] > 0.0:
                    room.worth[b * WIDTH + j] /= into[j]
        n_members[0] = join(refs, room, p, m, n_members[0], 0.0, 0.0, &highest)
    return m


def find_gains(refs, units, prices, double rounding, gains):
    """Mark units at whose prices a reference gains, beyond a share `rounding` of its terms.

    IN refs; units (n,): their own index and extras are in `refs`; prices (n, n_rows); rounding;
    OUT gains (n,): 1 if a reference gains, else 0.
    """
    cdef Refs given = refs_of(refs)
    cdef const int64_t *unit = longs_in(units)
    cdef const double *price = floats_in(prices)
    cdef int64_t *out = longs_out(gains)
    cdef double[WIDTH] worth, size
    cdef const double *row
    cdef const int64_t *span
    cdef Py_ssize_t n = len(units), s = given.n_rows, k, b, r, j, e
    cdef double value
    with nogil:
        for k in range(n):
            out[k], span = 0, given.spans + 3 * unit[k]
            for b in range(given.n_blocks):
                for j in range(WIDTH):
                    worth[j] = size[j] = 0.0
                for r in range(s):
                    value, row = price[k * s + r], given.blocks + (b * s + r) * WIDTH
                    if value != 0.0:
                        for j in range(WIDTH):
                            worth[j] += value * row[j]
                            size[j] += fabs(value * row[j])
                if span[0] >= 0 and span[0] // WIDTH == b:
                    worth[span[0] % WIDTH] = 0.0
                for j in range(WIDTH):
                    if not worth[j] <= rounding * size[j]:
                        out[k] = 1
            for e in range(span[1], span[2]):
                worth[0] = size[0] = 0.0
                for r in range(s):
                    value = price[k * s + r] * given.columns[given.listed[e] * s + r]
                    worth[0] += value
                    size[0] += fabs(value)
                if not worth[0] <= rounding * size[0]:
                    out[k] = 1


def maximal_units(outputs, order, core, shadow):
    """Split units into a core and the units that some member of the core dominates.

    Unit j dominates k if it has at least as much of every output; of equal units, the first in
    `order` dominates the others.

    IN outputs (n_units, n_outputs); order: units by descending sum of outputs, so that no unit is
    dominated only by a later one; OUT core: its first entries are the core, in `order`; shadow: the
    only member of the core that dominates the unit, -1 if there are several or none. Returns the size
    of the core.
    """
    cdef const double *y = floats_in(outputs)
    cdef const int64_t *sorted = longs_in(order)
    cdef int64_t *kept = longs_out(core)
    cdef int64_t *behind = longs_out(shadow)
    cdef Py_ssize_t n = outputs.shape[0], s = outputs.shape[1], at, k, r, n_core = 0, n_dominators
    cdef int64_t p
    with nogil:
        for at in range(n):
            p = sorted[at]
            n_dominators, behind[p] = 0, -1
            for k in range(n_core):
                r = 0
                while r < s and y[kept[k] * s + r] >= y[p * s + r]:
                    r += 1
                if r == s:
                    n_dominators += 1
                    behind[p] = kept[k]
                    if n_dominators == 2:
                        behind[p] = -1
                        break
            if n_dominators == 0:
                kept[n_core] = p
                n_core += 1
    return n_core


def upper_bounds(outputs, sizes, rivals, double threshold, bounds, through):
    """Bound θ_p by min over j of max over r of y_pr / y_jr, j != p, with 0/0 = 0, x/0 = inf.

    A single unit j, with intensity max_r y_pr / y_jr, produces the outputs of p.

    IN outputs (n_units, n_outputs); sizes: their sums; rivals: the units tried as j, in this order,
    strong units first, to end the search early; threshold: the search for a unit ends once its bound is
    below, and its entry is then not the minimum; IN OUT bounds: known bounds, lowered if a single unit
    gives a lower one; OUT through: the unit j that lowered the bound, -1 if none did.
    """
    cdef const double *y = floats_in(outputs)
    cdef const double *size = floats_in(sizes)
    cdef const int64_t *rival = longs_in(rivals)
    cdef double *bound = floats_out(bounds)
    cdef int64_t *lowered = longs_out(through)
    cdef Py_ssize_t n = outputs.shape[0], s = outputs.shape[1], n_rivals = len(rivals), p, k, r
    cdef int64_t j
    cdef double lowest, ratio, demand
    with nogil:
        for p in range(n):
            lowered[p], lowest = -1, bound[p]
            for k in range(n_rivals):
                if lowest < threshold:
                    break
                j = rival[k]
                # If j produces y_p / lowest of every output, the same holds for its sum.
                if size[j] * lowest < size[p] or j == p:
                    continue
                ratio = 0.0
                for r in range(s):
                    demand = y[p * s + r]
                    if demand > 0.0:
                        if not demand < lowest * y[j * s + r]:
                            break
                        ratio = max(ratio, demand / y[j * s + r])
                else:
                    if ratio < lowest:
                        lowest, lowered[p] = ratio, j
            bound[p] = lowest
