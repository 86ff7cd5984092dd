# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Squeeze and Unsqueeze whose axes are inputs: the rank follows from their number, the extents are found by the run."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("runtime_axes")
    g.input("x", FLOAT, ["n", 1, "m"])
    g.input("removed", INT64, [1])
    g.input("added", INT64, [2])
    flat = g.op("Squeeze", "x", "removed")
    g.op("Neg", flat, out="negated")
    g.op("Unsqueeze", g.op("Exp", flat), "added", out="expanded")
    # The axis of a computed position.
    g.op("Unsqueeze", "x", g.op("Sub", "removed", g.const([1])), out="computed")
    g.output("negated", FLOAT, [None, None])
    g.output("expanded", FLOAT, [None] * 4)
    g.output("computed", FLOAT, [None] * 4)
    return g.model()


def cases():
    rng = random("runtime_axes data")
    for n, m, removed, added in [(3, 4, 1, (0, 2)), (1, 5, 0, (-1, 1)), (3, 4, -2, (-1, -4)), (2, 1, 2, (3, 2))]:
        yield Case({"x": normal(rng, n, 1, m), "removed": np.array([removed]), "added": np.array(added)})
    x, removed = normal(rng, 3, 1, 4), np.array([1])
    yield Case({"x": x, "removed": np.array([0]), "added": np.array([0, 1])}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "removed": removed, "added": np.array([0, -4])}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "removed": removed, "added": np.array([0, 9])}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "removed": removed, "added": np.array([1, 2])})
