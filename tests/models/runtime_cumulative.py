# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running sums along an axis that only a kernel reads, given or computed: no axis leaves the device."""
import numpy as np
from graph import FLOAT, INT32, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("runtime_cumulative")
    g.input("x", FLOAT, ["a", "b", 3])
    g.input("axis", INT32, [])
    g.input("numbers", INT64, ["n"])
    g.op("CumSum", "x", "axis", out="given")
    g.op("CumSum", g.op("Exp", "x"), g.op("ReduceMin", "numbers", keepdims=0), exclusive=1, reverse=1, out="computed")
    for name in ("given", "computed"):
        g.output(name, FLOAT, ["a", "b", 3])
    return g.model()


def cases():
    rng = random("runtime_cumulative data")
    for a, b, given, computed in [(2, 4, 0, 2), (5, 40, 1, -3), (1, 7, 2, -1), (4, 1, -1, 1), (0, 3, -3, -2), (40, 3, -2, 0)]:
        yield Case({"x": normal(rng, a, b, 3), "axis": np.array(given, np.int32), "numbers": computed + np.arange(40)})
    x, numbers = normal(rng, 2, 3, 3), np.arange(40)
    for given, computed in [(3, 0), (-4, 0), (2**31 - 1, 0), (0, 3), (0, -4), (0, 2**62)]:
        yield Case({"x": x, "axis": np.array(given, np.int32), "numbers": computed + numbers}, status="OUT_OF_RANGE")
    yield Case({"x": x, "axis": np.array(1, np.int32), "numbers": numbers})
