# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and running sums whose axes are inputs: ranks follow from how many there are, extents from which."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("runtime_reductions")
    g.input("x", FLOAT, ["a", "b", 3])
    g.input("axes", INT64, [2])
    g.input("axis", INT64, [1])
    g.op("ReduceSum", "x", "axes", out="kept")
    g.op("ReduceMean", "x", "axes", keepdims=0, out="removed")
    g.op("ReduceLogSumExp", g.op("Abs", "x"), "axis", keepdims=0, out="exponential")
    # Of what was reduced along a computed axis.
    g.op("ReduceMax", g.op("ReduceL2", "x", "axis"), g.op("Neg", g.op("Add", "axis", g.const([1]))), out="twice")
    g.op("CumSum", "x", g.op("Reshape", "axis", g.const(np.array([], np.int64))), reverse=1, out="running")
    g.output("kept", FLOAT, [None] * 3)
    g.output("removed", FLOAT, [None])
    g.output("exponential", FLOAT, [None] * 2)
    g.output("twice", FLOAT, [None] * 3)
    g.output("running", FLOAT, ["a", "b", 3])
    return g.model()


def cases():
    rng = random("runtime_reductions data")
    for a, b, axes, axis in [(2, 4, (0, 1), 0), (5, 40, (2, 0), 1), (1, 7, (-1, -2), 2), (4, 1, (-3, 2), -1),
                             (3, 2, (1, -1), -3)]:
        yield Case({"x": normal(rng, a, b, 3), "axes": np.array(axes), "axis": np.array([axis])})
    x, axis = normal(rng, 2, 3, 3), np.array([1])
    yield Case({"x": x, "axes": np.array([1, 1]), "axis": axis}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "axes": np.array([1, -2]), "axis": axis}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "axes": np.array([0, 3]), "axis": axis}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "axes": np.array([0, 1]), "axis": np.array([-4])}, status="INVALID_ARGUMENT")
    yield Case({"x": x, "axes": np.array([2, 1]), "axis": axis})
