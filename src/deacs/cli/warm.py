"""`deacs warm`: compile kernels ahead of time, for an image or an installation."""

from time import perf_counter

from deacs.cli.console import terminal

__all__ = ["warm"]


def warm() -> None:
    """Compile what common selections need, so that later runs need not wait.

    Compiled code is cached next to the installed package, or in the folder
    that NUMBA_CACHE_DIR names; it works on processors of the same kind.
    """
    from deacs.kernels import interpreting
    from deacs.kernels.codes import feature_sums
    from deacs.kernels.jit import on_compile

    compiled: list[None] = []
    begin, size = perf_counter(), interpreting.MAX_SIZE
    interpreting.MAX_SIZE = -1
    try:
        with on_compile(lambda: compiled.append(None)):
            _select()
    finally:
        interpreting.MAX_SIZE = size
    if not compiled:
        said = "Everything was compiled before"
    else:
        said = f"Compiled {len(compiled)} functions in {perf_counter() - begin:.0f} s"
    folder = feature_sums.dispatcher._cache.cache_path
    terminal().print(f"{said}; {f'kept in {folder}' if folder else 'nothing could be kept'}")


def _select() -> None:
    """Select from small tables of all common kinds, and from one large enough for bit masks."""
    import numpy as np

    from deacs import CMIM, DEACS, JMI, MRMR, CodedData
    from deacs.information.plan import MIDDLING

    rng = np.random.default_rng(0)
    for n_classes in (2, 3):
        y = np.arange(300) % n_classes
        X = rng.normal(size=(300, 8)) + y[:, np.newaxis] * np.arange(8)
        codes = rng.integers(0, 4, (300, MIDDLING // 300 + 1), dtype=np.uint8)
        for table in ((X, y), (CodedData.from_codes(codes, y),)):
            for selector in (DEACS(5), DEACS.published(5), MRMR(3), JMI(3), CMIM(3)):
                selector.fit(*table)
