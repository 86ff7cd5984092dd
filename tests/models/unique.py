# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unique of elements and of slices along axes, sorted and as they occur, all results, of one element, of none, all equal
and all different."""
import numpy as np

from graph import FLOAT, INT8, INT64, Case, Graph, random

# What is found is counted on the device; extents leave in one copy behind the run.
LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}


def build():
    g = Graph("unique")
    g.input("x", FLOAT, ["a", "b"])
    g.input("numbers", INT64, ["n"])
    g.input("bytes", INT8, ["c", 2, 2])

    def unique(name, x, dtype, dims, along, **attributes):
        results = [name + suffix for suffix in ("", "_first", "_inverse", "_counts")]
        g.op("Unique", x, out=results, **attributes)
        g.output(name, dtype, dims)
        for result, extent in zip(results[1:], (None, along, None)):
            g.output(result, INT64, [extent])

    unique("elements", "x", FLOAT, [None], None)
    unique("occurring", "numbers", INT64, [None], "n", sorted=0)
    unique("rows", "x", FLOAT, [None, "b"], "a", axis=0)
    unique("columns", "x", FLOAT, ["a", None], "b", axis=-1, sorted=0)
    unique("slices", "bytes", INT8, [None, 2, 2], "c", axis=0, sorted=0)
    for number, name in enumerate(("indices", "inverse_indices", "counts"), 1):  # nobody reads the others
        g.op("Unique", "numbers", out=["ignored_" + name, *(name if number == k else "" for k in range(1, 4))], axis=0)
        g.output(name, INT64, [None])
    # What was found is looked up again.
    g.op("Gather", g.op("Mul", "elements", g.const(np.float32(2))), "elements_inverse", out="back")
    g.output("back", FLOAT, [None])
    return g.model()


def cases():
    rng = random("unique data")
    for a, b, n, c, values in [(3, 4, 20, 6, 4), (70, 2, 500, 300, 2), (5, 90, 3000, 1, 1000), (1, 1, 1, 9, 1),
                               (6, 3, 7, 40, 1)]:
        yield Case({"x": rng.integers(0, values, (a, b)).astype(np.float32),
                    "numbers": rng.integers(-values, values, n), "bytes": rng.integers(0, 2, (c, 2, 2)).astype(np.int8)})
    yield Case({"x": np.arange(12, 0, -1, dtype=np.float32).reshape(3, 4), "numbers": np.arange(9)[::-1].copy(),
                "bytes": np.zeros((3, 2, 2), np.int8)})
