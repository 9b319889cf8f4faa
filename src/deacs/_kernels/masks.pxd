"""Words of bit-planes from byte codes."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

cdef extern from "masks.h" nogil:
    uint64_t equal_mask(const uint8_t *codes, uint8_t value)
    uint64_t portable_equal_mask(const uint8_t *codes, uint8_t value)
    int64_t popcount(uint64_t word)
