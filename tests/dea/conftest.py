"""Every test of radial DEA runs with both ways to solve: the compiled simplex method, and HiGHS.

A module whose tests never reach the compiled method says `SOLVERS = ("HiGHS",)`.
"""

from unittest.mock import patch

import pytest

from deacs.dea import scorer


def pytest_generate_tests(metafunc):
    if not hasattr(metafunc.module, "solver"):  # a module may have its own
        solvers = getattr(metafunc.module, "SOLVERS", ("compiled", "HiGHS"))
        metafunc.parametrize("solver", solvers, indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def solver(request):
    least = 0 if request.param == "compiled" else 10**12
    with (
        patch.object(scorer, "ALL_COMPILED_FROM", least),
        patch.object(scorer, "SOME_COMPILED_FROM", least),
    ):
        yield request.param
