# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches whose results differ in rank. The exporter's `squeeze if the extent is 1` over a dim that is open, followed by
what needs a rank; two such results that meet in one operator; three nested Ifs with four ends, of which no two have the
same rank; the same inside a loop; an axis that goes only where its extent is 1, and comes back twice where it stayed,
which is no input of the LSTM behind. Conditions follow from dims and from an input on the host: no readback."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
WIDTH = 6


def choose(g, condition, then, otherwise, out=1):
    """An If of one result; `then` and `otherwise` add the nodes of a branch to a graph and return its result."""
    branches = {}
    for name, fill in (("then_branch", then), ("else_branch", otherwise)):
        sub = g.sub(g.fresh(name))
        sub.output(sub.op("Identity", fill(sub)), FLOAT, None)
        branches[name] = sub.proto()
    return g.op("If", condition, out=out, **branches)


def squeeze_if_one(g, x, axis):
    is_one = g.op("Equal", g.op("Gather", g.op("Shape", x), g.const(axis), axis=0), g.const(1))
    return choose(g, is_one, lambda s: s.op("Squeeze", x, s.const([axis])), lambda s: x)


def nested(g, x, mode):
    """[rows, WIDTH] as a scalar, a vector, a matrix or a tensor of rank 3, by mode."""
    is_mode = [g.op("Equal", mode, g.const(number)) for number in range(3)]
    return choose(g, is_mode[0], lambda s: s.op("ReduceSum", x, keepdims=0), lambda s: choose(
        s, is_mode[1], lambda t: t.op("Reshape", x, t.const([-1])), lambda t: choose(
            t, is_mode[2], lambda u: u.op("Neg", x), lambda u: u.op("Unsqueeze", x, u.const([1])))))


def loop_body(g):
    body = g.sub("body")
    for name, dtype, dims in [("i", INT64, []), ("go", BOOL, []), ("state", FLOAT, ["rows", WIDTH])]:
        body.input(name, dtype, dims)
    even = body.op("Equal", body.op("Mod", "i", body.const(2)), body.const(0))
    part = choose(body, even, lambda s: s.op("ReduceMean", "state", s.const([0]), keepdims=0),
                  lambda s: s.op("ReduceMean", "state", s.const([0, 1]), keepdims=0))
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Sub", "state", body.op("Mul", part, body.const(0.5))), FLOAT, ["rows", WIDTH])
    return body.proto()


def build():
    rng = random("branch_rank weights")
    g = Graph("branch_rank")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("y", FLOAT, ["batch", WIDTH])
    g.input("mode", INT64, [])
    g.input("trips", INT64, [])
    weight = g.const(normal(rng, WIDTH, WIDTH, scale=0.5))

    # A vector or a matrix: MatMul and the sum over the last axis make it a scalar or a vector, Reshape a vector.
    product = g.op("MatMul", squeeze_if_one(g, "x", 0), weight)
    summed = g.op("ReduceSum", g.op("Tanh", product), g.const([-1]), keepdims=0)
    g.output(g.op("Reshape", summed, g.const([-1]), out="sums"), FLOAT, ["rows"])

    # Both at once, with what depends on neither in between.
    left, right = squeeze_if_one(g, "x", 0), squeeze_if_one(g, "y", 0)
    shifted = g.op("Add", g.op("Relu", "x"), g.op("ReduceMean", "y", keepdims=1))
    met = g.op("Add", g.op("ReduceSum", left, keepdims=0), g.op("ReduceMax", right, keepdims=0))
    g.output(g.op("Add", g.op("Mul", left, g.op("ReduceMean", right, keepdims=0)), shifted, out="shifted"), FLOAT,
             ["rows", WIDTH])
    g.output(g.op("Identity", met, out="met"), FLOAT, [])

    ends = nested(g, g.op("Sigmoid", "x"), "mode")
    g.output(g.op("Reshape", g.op("Exp", ends), g.const([-1]), out="ends"), FLOAT, ["count"])

    # Of rank 3 the LSTM would get an input of rank 5: such a run ends.
    g.input("voices", FLOAT, ["lanes", 3, "frames"])
    row = squeeze_if_one(g, "voices", -1)
    is_deep = g.op("Not", g.op("Equal", g.op("Size", g.op("Shape", row)), g.const(2)))
    lifted = choose(g, is_deep, lambda s: s.op("Unsqueeze", row, s.const([0])), lambda s: row)
    hidden = g.op("LSTM", g.op("Unsqueeze", lifted, g.const([0])), g.const(normal(rng, 1, 8, 3)),
                  g.const(normal(rng, 1, 8, 2)), out=["", "hidden"], hidden_size=2)[1]
    g.output(hidden, FLOAT, [1, "lanes", 2])

    g.output(g.op("Loop", "trips", "", "x", out="looped", body=loop_body(g)), FLOAT, ["rows", WIDTH])
    return g.model()


def cases():
    rng = random("branch_rank data")
    for rows, batch, mode, trips in [(1, 1, 0, 2), (3, 1, 1, 3), (1, 4, 2, 0), (5, 2, 3, 1), (2, 3, 7, 5)]:
        for frames, status in [(1, "")] if mode != 1 else [(2, "INVALID_ARGUMENT"), (1, "")]:
            yield Case({"x": normal(rng, rows, WIDTH), "y": normal(rng, batch, WIDTH),
                        "mode": np.array(mode, np.int64), "trips": np.array(trips, np.int64),
                        "voices": normal(rng, batch, 3, frames)}, status)
