"""Inner products of ordered columns, and what categories explain of the labels.

Products are sums of integers, so they do not depend on the order of rows or on threads; derived
quantities are computed for each coordinate separately, in a fixed order.
"""

from libc.math cimport sqrt
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t

from deacs._kernels.arrays cimport code, floats_in, floats_out, longs_in, longs_out, pointer

ctypedef fused number:
    int16_t
    int64_t


def inner_products(scores, column, products):
    """Multiply rows of scores by one column.

    IN scores (k, n) int16, column (n,) int16 or int64; OUT products (k,).
    """
    cdef const int16_t *rows = <const int16_t *> pointer(scores, 2, b"h", 0)
    cdef int64_t *out = longs_out(products)
    cdef Py_ssize_t k, n = len(column)
    cdef bint is_short = column.itemsize == 2
    cdef const void *other = pointer(column, 2 if is_short else 8, b"hlq", 0)
    cdef Py_ssize_t n_rows = len(scores)
    with nogil:
        for k in range(n_rows):
            if is_short:
                out[k] = _short_product(rows + k * n, <const int16_t *> other, n)
            else:
                out[k] = _product(rows + k * n, <const int64_t *> other, n)


cdef inline int64_t _short_product(const int16_t *a, const int16_t *b, Py_ssize_t n) noexcept nogil:
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(n):
        total += <int> a[i] * <int> b[i]
    return total


cdef inline int64_t _product(const int16_t *a, const int64_t *b, Py_ssize_t n) noexcept nogil:
    cdef int64_t total = 0
    cdef Py_ssize_t i
    for i in range(n):
        total += a[i] * b[i]
    return total


def code_sums(codes, column, sums):
    """Sum a column by the codes of another.

    IN codes (n,), column (n,) int16 or int64; OUT sums (n_values,), zero on entry.
    """
    cdef int width = codes.itemsize
    cdef const void *values = pointer(codes, width, b"BHIL", 0)
    cdef bint is_short = column.itemsize == 2
    cdef const void *numbers = pointer(column, 2 if is_short else 8, b"hlq", 0)
    cdef int64_t *out = longs_out(sums)
    cdef Py_ssize_t n = len(codes)
    with nogil:
        if width == 1:
            _add_either(<const uint8_t *> values, numbers, is_short, n, out)
        elif width == 2:
            _add_either(<const uint16_t *> values, numbers, is_short, n, out)
        else:
            _add_either(<const uint32_t *> values, numbers, is_short, n, out)


cdef void _add_either(const code *codes, const void *numbers, bint is_short, Py_ssize_t n, int64_t *sums) noexcept nogil:
    if is_short:
        _add(codes, <const int16_t *> numbers, n, sums)
    else:
        _add(codes, <const int64_t *> numbers, n, sums)


cdef inline void _add(const code *codes, const number *numbers, Py_ssize_t n, int64_t *sums) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        sums[codes[i]] += numbers[i]


def block_shares(
    blocks, counts, double total, factor, Py_ssize_t n_done, cross, double tolerance, work, shares, ranks
):
    """Compute squared lengths of the labels' projections onto the indicators of each category.

    The Gram matrix of a block of indicators, S projected out, is n_f [f = g] - n_f n_g / n less
    sum over t of L_ft L_gt. A Cholesky factor of it, made row by row, solves for the labels' share;
    rows that depend on others (one always does) are left out.

    IN blocks (b, 2): the first coordinate of each and the one after its last, counts (m,): the rows
    of each coordinate, factor (m, t), cross (m, K), tolerance relative to the diagonal; TEMP work
    (v, v + K + 1): the factor, its labels, and which coordinate a row is; OUT shares (b, K), ranks
    (b,).
    """
    cdef const int64_t *bounds = longs_in(blocks)
    cdef const double *n_of = floats_in(counts)
    cdef const double *done = floats_in(factor)
    cdef const double *products = floats_in(cross)
    cdef double *rows = floats_out(work)
    cdef double *out = floats_out(shares)
    cdef double *ranks_out = floats_out(ranks)
    cdef Py_ssize_t n_labels = cross.shape[1], width = work.shape[1], n_blocks = len(blocks), room = factor.shape[1]
    cdef Py_ssize_t who = width - 1, label = width - 1 - n_labels
    cdef Py_ssize_t block, rank, i, a, b, t, kept
    cdef double diagonal, entry, length
    with nogil:
        for block in range(n_blocks):
            rank = 0
            for i in range(n_labels):
                out[block * n_labels + i] = 0.0
            for a in range(bounds[2 * block], bounds[2 * block + 1]):
                diagonal = 0.0
                for kept in range(rank + 1):
                    b = <Py_ssize_t> rows[kept * width + who] if kept < rank else a
                    entry = (n_of[a] if a == b else 0.0) - n_of[a] * n_of[b] / total
                    for t in range(n_done):
                        entry -= done[a * room + t] * done[b * room + t]
                    for t in range(kept):
                        entry -= rows[rank * width + t] * rows[kept * width + t]
                    if kept < rank:
                        rows[rank * width + kept] = entry / rows[kept * width + kept]
                    else:
                        diagonal = entry
                if diagonal <= tolerance * n_of[a] * (1.0 - n_of[a] / total):
                    continue
                length = sqrt(diagonal)
                rows[rank * width + rank] = length
                rows[rank * width + who] = a
                for i in range(n_labels):
                    entry = products[a * n_labels + i]
                    for t in range(rank):
                        entry -= rows[rank * width + t] * rows[t * width + label + i]
                    entry /= length
                    rows[rank * width + label + i] = entry
                    out[block * n_labels + i] += entry * entry
                rank += 1
            ranks_out[block] = rank
