"""Every test of radial DEA runs with both ways to solve: the compiled simplex method, and HiGHS.

A module whose tests concern one of them says so by `SOLVERS`.
"""

import pytest

from tests.unit.dea.failures import fast_paths_fail


def pytest_generate_tests(metafunc):
    if not hasattr(metafunc.module, "solver"):  # a module may have its own
        solvers = getattr(metafunc.module, "SOLVERS", ("compiled", "HiGHS"))
        metafunc.parametrize("solver", solvers, indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def solver(request):
    with pytest.MonkeyPatch.context() as monkeypatch:
        if request.param == "HiGHS":
            fast_paths_fail(monkeypatch)
        yield request.param
