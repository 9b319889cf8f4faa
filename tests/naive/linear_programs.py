"""SciPy's linear programs, with tight tolerances."""

from scipy.optimize import linprog

FAILED = 4


def minimise(cost, **program):
    """Solve without presolve, which takes half of the time; some versions need it now and then."""
    for presolve in (False, True):
        options = {
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
            "presolve": presolve,
        }
        found = linprog(cost, method="highs-ds", options=options, **program)
        if found.status != FAILED:
            break
    return found
