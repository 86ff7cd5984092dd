# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates that run in turn, in one process, and the least time of each."""
import math
import time

import numpy as np

# A turn lasts at least so long: what a program sees that runs one model.
TURN_SECONDS = 3e-2
# Between candidates on several threads: no team spins so long.
IDLE_SECONDS = 0.03

# Bytes: a line of the caches.
LINE = 64


def zeros_like(array):
    """An output for one candidate, at the begin of a line: where numpy's begin is luck, and vectors that lie in two lines take longer."""
    memory = np.zeros(array.nbytes + LINE, np.uint8)
    first = -memory.ctypes.data % LINE
    return memory[first:first + array.nbytes].view(array.dtype).reshape(array.shape)


def error_of(outputs, reference):
    """The largest difference, as a share of the largest element of that output."""
    worst = 0
    for mine, other in zip(outputs, reference):
        if not np.isfinite(other).all():
            raise SystemExit("the reference has elements that are no numbers: nothing can be compared")
        difference = np.abs(mine.astype(np.float64) - other).max() / max(np.abs(other.astype(np.float64)).max(), 1e-30)
        worst = max(worst, math.inf if np.isnan(difference) else float(difference))
    return worst


class Clock:
    """Processor time of the process on one thread, else the wall's."""

    def __init__(self, threads):
        self.threads = threads
        self.read = time.process_time_ns if threads == 1 else time.perf_counter_ns
        self.name = "processor time of the process" if threads == 1 else "wall clock"

    def time(self, candidate, count):
        # Threads of the candidate before spin for a while, on processors that this one's want.
        if self.threads > 1:
            time.sleep(IDLE_SECONDS)
        candidate.run()  # not timed: caches are full of what the candidate before has read
        start = self.read()
        for _ in range(count):
            candidate.run()
        return (self.read() - start) / count * 1e-9


def measure(candidates, clock, seconds):
    """(seconds of a run, in each candidate's best turn; rounds), of at least three rounds."""
    counts = {}
    for name, candidate in candidates.items():
        clock.time(candidate, 2)
        counts[name] = max(1, math.ceil(TURN_SECONDS / max(1e-9, clock.time(candidate, 2))))
    best = dict.fromkeys(candidates, math.inf)
    end = time.monotonic() + seconds
    rounds = 0
    while rounds < 3 or time.monotonic() < end:
        rounds += 1
        for name, candidate in candidates.items():
            best[name] = min(best[name], clock.time(candidate, counts[name]))
    return best, rounds
