# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates that run in turn, in one process, and the least time of each."""
import time


def measure(candidates, seconds, clock):
    """(the least time of each, by `clock`; rounds), of at least three rounds."""
    best = dict.fromkeys(candidates, float("inf"))
    end = time.monotonic() + seconds
    rounds = 0
    while rounds < 3 or time.monotonic() < end:
        rounds += 1
        for name, candidate in candidates.items():
            start = clock()
            candidate.run()
            best[name] = min(best[name], clock() - start)
    return best, rounds
