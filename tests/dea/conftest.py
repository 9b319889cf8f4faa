"""Every test of radial DEA runs with both ways to solve: the compiled simplex method, and HiGHS.

A module whose tests never reach the compiled method says `SOLVERS = ("HiGHS",)`.
"""

import pytest

from deacs.dea import scorer


def pytest_generate_tests(metafunc):
    if not hasattr(metafunc.module, "solver"):  # a module may have its own
        solvers = getattr(metafunc.module, "SOLVERS", ("compiled", "HiGHS"))
        metafunc.parametrize("solver", solvers, indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def solver(request):
    usual = scorer.COMPILED_FROM
    scorer.COMPILED_FROM = 0 if request.param == "compiled" else 10**12
    yield request.param
    scorer.COMPILED_FROM = usual
