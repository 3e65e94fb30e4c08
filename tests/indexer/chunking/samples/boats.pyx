# cython: language_level=3
cimport numpy as np

cdef extern from "math.h":
    double sqrt(double x)

cdef enum Wind:
    NORTH, SOUTH

cdef struct Berth:
    int number


cdef class Boat:
    """A boat with its name."""
    cdef public double length

    def __init__(self, name):
        self.name = name

    cpdef bint moor(self, int berth) except -1:
        cdef int local = berth
        return local > 0


@cython.boundscheck(False)
cdef inline np.ndarray[double, ndim=1] lengths(
    list boats,
) noexcept:
    cdef double found = sqrt(2)
    return found


def greet(name):
    return name
