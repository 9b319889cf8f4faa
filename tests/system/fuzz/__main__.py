"""`python -m tests.system.fuzz [TARGET...] --seconds 60`: run fuzzing targets and count outcomes.

Inputs are drawn in chunks, each in a process of its own, so that a death is a finding with a
number: `--seed 0 --chunk 17` repeats it.
"""

import argparse
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.system.fuzz import TARGETS, find_targets, run_chunk

CHUNK = 50


def main():
    asked = argparse.ArgumentParser(prog="python -m tests.system.fuzz", description=__doc__)
    asked.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="default: all there are")
    asked.add_argument("--seconds", type=float, default=60, help="for each target, about")
    asked.add_argument("--count", type=int, help="inputs for each target, instead of a time")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--chunk", type=int, help="run this chunk only")
    options = asked.parse_args()
    failed = [
        name for name in find_targets(options.targets or TARGETS) if not _run_target(name, options)
    ]
    return 1 if failed else 0


def _run_target(name, options):
    """Run one target, print its outcomes, return whether all were as promised."""
    counts, n_inputs, begin, chunk = Counter(), 0, time.monotonic(), options.chunk or 0
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        while _goes_on(options, n_inputs, time.monotonic() - begin):
            left = CHUNK if options.count is None else min(CHUNK, options.count - n_inputs)
            try:
                counts += Counter(pool.submit(run_chunk, name, options.seed, chunk, left).result())
            except Exception:  # BrokenProcessPool: the process died
                print(f"{name}: FAILED; --seed {options.seed} --chunk {chunk} repeats it")
                traceback.print_exc()
                return False
            n_inputs, chunk = n_inputs + left, chunk + 1
            if options.chunk is not None:
                break
    outcomes = ", ".join(f"{n:,} {outcome}" for outcome, n in sorted(counts.items()))
    print(f"{name}: {n_inputs:,} inputs of seed {options.seed}: {outcomes}", flush=True)
    return True


def _goes_on(options, n_inputs, seconds):
    return seconds < options.seconds if options.count is None else n_inputs < options.count


if __name__ == "__main__":
    sys.exit(main())
