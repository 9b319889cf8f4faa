"""Every test of DEA runs with both ways to solve: the compiled simplex method, and HiGHS."""

import pytest

from deacs.dea import scorer


@pytest.fixture(autouse=True, scope="module", params=["compiled", "HiGHS"])
def solver(request):
    usual = scorer.COMPILED_FROM
    scorer.COMPILED_FROM = 0 if request.param == "compiled" else 10**12
    yield request.param
    scorer.COMPILED_FROM = usual
