"""Whether any reference has a positive gain at the dual prices of a unit."""

from deacs.kernels.jit import patient_kernel

__all__ = ["find_gains"]


@patient_kernel
def find_gains(refs, units, prices, rounding, lanes, gains):
    """Mark units at whose prices a reference gains, beyond rounding.

    Parameters
    ----------
    refs : IN References
    units : IN (n,) array
        Units whose own index and extras are in `refs`.
    prices : IN (n, r) array
    rounding : IN float
        Gains below this share of their terms count as zero.
    lanes : TEMP (2, LANES) array
    gains : OUT (n,) array
        1 if a reference gains, else 0.
    """
    columns, blocks, listed, spans, _ = refs
    n_lanes = blocks.shape[2]
    for k in range(units.shape[0]):
        gains[k] = 0
        at, begin, end = spans[units[k], 0], spans[units[k], 1], spans[units[k], 2]
        for b in range(blocks.shape[0]):
            for j in range(n_lanes):
                lanes[0, j] = 0.0
                lanes[1, j] = 0.0
            for r in range(prices.shape[1]):
                price = prices[k, r]
                if price != 0.0:
                    for j in range(n_lanes):
                        lanes[0, j] += price * blocks[b, r, j]
                        lanes[1, j] += abs(price * blocks[b, r, j])
            if at // n_lanes == b:
                lanes[0, at % n_lanes] = 0.0
            for j in range(n_lanes):
                if not lanes[0, j] <= rounding * lanes[1, j]:
                    gains[k] = 1
        for e in range(begin, end):
            worth, size = 0.0, 0.0
            for r in range(prices.shape[1]):
                worth += prices[k, r] * columns[listed[e], r]
                size += abs(prices[k, r] * columns[listed[e], r])
            if not worth <= rounding * size:
                gains[k] = 1
