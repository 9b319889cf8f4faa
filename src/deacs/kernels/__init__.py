"""All numba code: kernels take contiguous arrays, fill output arrays and validate nothing."""
