"""Which instructions the processor has."""

cdef extern from "processor.h":
    int level()


def highest_level():
    """Return the highest level of x86-64, 2 to 4; 0 for other processors."""
    return level()
