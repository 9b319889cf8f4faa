"""Arguments of kernels: arrays as pointers, checked for type and contiguity, and tuples of them as structs.

The caller's tuple holds its arrays as long as the kernel runs. None is a null pointer.
"""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer,
)
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport strchr, strlen

ctypedef fused code:
    uint8_t
    uint16_t
    uint32_t


cdef inline void *pointer(object array, Py_ssize_t size, const char *kinds, int flags) except? NULL:
    """Return where a contiguous array begins; `kinds` are letters of the struct module."""
    cdef Py_buffer view
    if array is None:
        return NULL
    PyObject_GetBuffer(array, &view, flags | PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)
    cdef void *begin = view.buf
    cdef bint fits = view.itemsize == size and strchr(kinds, view.format[strlen(view.format) - 1]) != NULL
    PyBuffer_Release(&view)
    if not fits:
        raise TypeError(f"expected an array of type {kinds.decode()!r}, got {array.dtype}")
    return begin


cdef inline const uint8_t *bytes_in(object array) except? NULL:
    return <const uint8_t *> pointer(array, 1, b"B?", 0)

cdef inline uint8_t *bytes_out(object array) except? NULL:
    return <uint8_t *> pointer(array, 1, b"B?", PyBUF_WRITABLE)

cdef inline const int32_t *ints_in(object array) except? NULL:
    return <const int32_t *> pointer(array, 4, b"il", 0)

cdef inline int32_t *ints_out(object array) except? NULL:
    return <int32_t *> pointer(array, 4, b"il", PyBUF_WRITABLE)

cdef inline const uint32_t *uints_in(object array) except? NULL:
    return <const uint32_t *> pointer(array, 4, b"IL", 0)

cdef inline uint32_t *uints_out(object array) except? NULL:
    return <uint32_t *> pointer(array, 4, b"IL", PyBUF_WRITABLE)

cdef inline const int64_t *longs_in(object array) except? NULL:
    return <const int64_t *> pointer(array, 8, b"lq", 0)

cdef inline int64_t *longs_out(object array) except? NULL:
    return <int64_t *> pointer(array, 8, b"lq", PyBUF_WRITABLE)

cdef inline const uint64_t *words_in(object array) except? NULL:
    return <const uint64_t *> pointer(array, 8, b"LQ", 0)

cdef inline uint64_t *words_out(object array) except? NULL:
    return <uint64_t *> pointer(array, 8, b"LQ", PyBUF_WRITABLE)

cdef inline const double *floats_in(object array) except? NULL:
    return <const double *> pointer(array, 8, b"d", 0)

cdef inline double *floats_out(object array) except? NULL:
    return <double *> pointer(array, 8, b"d", PyBUF_WRITABLE)


cdef struct Columns:
    const char *codes
    Py_ssize_t stride         # bytes from one feature to the next
    int width                 # bytes of a code
    Py_ssize_t n_rows
    const int64_t *features
    Py_ssize_t n
    const int64_t *n_values
    const int64_t *ignored


cdef inline Columns columns_of(object columns) except *:
    """Read `deacs._kernels.arrays.Columns`."""
    cdef Columns given
    cdef Py_buffer view
    PyObject_GetBuffer(columns.codes, &view, PyBUF_FORMAT | PyBUF_STRIDES)
    given.codes, given.width = <const char *> view.buf, <int> view.itemsize
    cdef bint fits = view.ndim == 2 and strchr(b"BHIL", view.format[0]) != NULL
    if fits:
        given.n_rows, given.stride = view.shape[1], view.strides[0]
        fits = view.strides[1] == view.itemsize or view.shape[1] < 2
    PyBuffer_Release(&view)
    if not fits or given.width > 4:
        raise TypeError("expected codes of at most 32 bits, one feature after the other")
    given.features, given.n = longs_in(columns.features), len(columns.features)
    given.n_values, given.ignored = longs_in(columns.n_values), longs_in(columns.ignored)
    return given


cdef struct Groups:
    const int32_t *rows
    const int64_t *run_starts
    const int32_t *run_labels
    const int64_t *group_runs
    Py_ssize_t n_rows
    Py_ssize_t n_runs
    Py_ssize_t n
    Py_ssize_t n_large
    Py_ssize_t n_small


cdef inline Groups groups_of(object groups) except *:
    """Read `deacs._kernels.arrays.Groups`."""
    cdef Groups given
    given.rows, given.n_rows = ints_in(groups.rows), len(groups.rows)
    given.run_starts = longs_in(groups.run_starts)
    given.run_labels, given.n_runs = ints_in(groups.run_labels), len(groups.run_labels)
    given.group_runs, given.n = longs_in(groups.group_runs), len(groups.group_runs) - 1
    given.n_large, given.n_small = groups.n_large, groups.n_small
    return given


cdef struct Parts:
    const int64_t *groups
    Py_ssize_t n_groups
    const int64_t *starts
    const int32_t *outputs
    Py_ssize_t n
    const int32_t *positions
    const int64_t *sizes
    const int64_t *group_sizes


cdef inline Parts parts_of(object parts) except *:
    """Read `deacs._kernels.arrays.Parts`."""
    cdef Parts given
    given.groups, given.n_groups = longs_in(parts.groups), len(parts.groups) - 1
    given.starts, given.positions = longs_in(parts.starts), ints_in(parts.positions)
    given.outputs, given.n = ints_in(parts.outputs), len(parts.outputs)
    given.sizes, given.group_sizes = longs_in(parts.sizes), longs_in(parts.group_sizes)
    return given
