# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices whose starts and ends are computed on the device: along one axis and two, forward and backward, of a length that
is known, from ends that are negative, beyond the axis or contradict each other; and what follows from them."""
import numpy as np

from graph import FLOAT, INT32, INT64, Case, Graph, normal, random

# The extents of outputs leave in one copy behind the run.
LIMITS = {"d2h": 1, "blocking_syncs": 0}


def build():
    g = Graph("device_slice")
    g.input("x", FLOAT, ["b", "n", "m"])
    g.input("scores", FLOAT, ["n"])
    g.input("ids", INT64, ["k"])
    g.input("few", INT32, ["k"])
    start = g.op("ArgMax", "scores", axis=0, keepdims=1)
    low, high = g.op("ReduceMin", "ids", keepdims=1), g.op("ReduceMax", "ids", keepdims=1)
    # At a maximum along the same axis there is always one.
    g.op("Neg", g.op("Slice", "x", start, g.op("Add", start, g.const([1])), g.const([1])), out="row")
    three = g.op("Add", start, g.const([3]))
    window = g.op("Slice", "x", g.op("Concat", start, low, axis=0), g.op("Concat", three, high, axis=0),
                  g.const([1, 2]))
    g.op("Relu", window, out="window")
    g.op("ReduceSum", window, g.const([2]), keepdims=0, out="sums")
    g.op("Transpose", window, perm=[2, 0, 1], out="turned")
    g.op("Add", window, g.op("ReduceMax", window, g.const([1]), keepdims=1), out="shifted")
    g.op("Slice", "x", high, low, g.const([2]), g.const([-1]), out="backward")
    g.op("Slice", "x", g.op("ReduceMin", "few", keepdims=1), g.op("ReduceMax", "few", keepdims=1),
         g.const(np.int32([1])), out="narrow")
    upto = g.op("Slice", "x", g.const([0]), high, g.const([1]))
    g.op("MatMul", upto, g.const(normal(random("device_slice weight"), 5, 4)), out="product")
    g.op("Concat", upto, "x", axis=1, out="joined")
    # Equal starts and ends of two tensors are one extent, with nothing to check.
    other = g.op("Slice", g.op("Neg", "x"), g.const([0]), high, g.const([1]))
    g.op("Mul", upto, other, out="squares")
    g.op("Softmax", upto, axis=1, out="softmax")
    for name, shape in [("row", ["b", 1, "m"]), ("window", ["b", None, None]), ("sums", ["b", None]),
                        ("turned", [None, "b", None]), ("shifted", ["b", None, None]), ("backward", ["b", "n", None]),
                        ("narrow", ["b", None, "m"]), ("product", ["b", None, 4]), ("joined", ["b", None, "m"]),
                        ("softmax", ["b", None, "m"]), ("squares", ["b", None, "m"])]:
        g.output(name, FLOAT, shape)
    return g.model()


def cases():
    rng = random("device_slice data")
    limits = np.iinfo(np.int64)
    for b, n, at, ids in [(2, 7, 3, [1, 4, 2]), (1, 1, 0, [0, 1]), (3, 40, 38, [-4, -1]), (2, 9, 0, [3]),
                          (2, 5, 4, [-3, 70, 2, 5]), (1, 6, 2, [limits.min // 2, limits.max]), (2, 300, 299, [0, 200])]:
        scores = rng.random(n, np.float32)
        scores[at] = 2
        few = np.clip(ids, np.iinfo(np.int32).min, np.iinfo(np.int32).max).astype(np.int32)
        yield Case({"x": normal(rng, b, n, 5), "scores": scores, "ids": np.int64(ids), "few": few})
