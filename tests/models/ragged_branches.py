# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches that only the device can decide, with results of other extents on each side: fewer rows, counted rows, another
branch inside. What is made of them runs by how many there are. One stands in a loop that the device ends."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

# A plain run waits for the conditions that are there at once, and for the one of the inner branch.
LIMITS = {"d2h": 3, "h2d": 0, "blocking_syncs": 2}
WIDTH = 16


def product(g, rng, value, columns=WIDTH):
    return g.op("MatMul", value, g.const(normal(rng, WIDTH, columns, scale=0.3)))


def is_more(g, value, limit):
    return g.op("Greater", g.op("ReduceSum", value, keepdims=0), g.const(np.float32(limit)))


def choose(g, condition, then, other, dims):
    subs = [g.sub(f"{name}_{len(g.nodes)}") for name in ("then", "else")]
    for sub, side in zip(subs, (then, other)):
        sub.output(sub.op("Identity", side(sub)), FLOAT, dims)
    return g.op("If", condition, then_branch=subs[0].proto(), else_branch=subs[1].proto())


def in_loop(g, one, other):
    """Each iteration takes the first two rows, or those that a mask keeps."""
    body = g.sub("step")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("carried", FLOAT, ["rows", WIDTH])

    def kept(s):
        mask = s.op("Greater", s.op("ReduceSum", "carried", s.const([1]), keepdims=0), s.const(np.float32(-1)))
        return s.op("MatMul", s.op("Compress", "carried", mask, axis=0), s.const(other))
    taken = choose(body, is_more(body, "carried", 0),
                   lambda s: s.op("MatMul", s.op("Slice", "carried", s.const([0]), s.const([2]), s.const([0])), s.const(one)),
                   kept, [None, WIDTH])
    mean = body.op("ReduceSum", body.op("Tanh", taken), body.const([0]))
    moved = body.op("Mul", body.op("Add", "carried", mean), body.const(np.float32(0.6)))
    body.output(body.op("Greater", body.op("ReduceMax", body.op("Abs", moved), keepdims=0), body.const(np.float32(0.8))), BOOL, [])
    body.output(moved, FLOAT, ["rows", WIDTH])
    return g.op("Loop", g.const(np.int64(12)), g.const(True), "x", body=body.proto())


def build():
    rng = random("ragged_branches")
    g = Graph("ragged_branches")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("y", FLOAT, ["more", WIDTH])
    some = [None, WIDTH]
    one, other = normal(rng, WIDTH, WIDTH, scale=0.3), normal(rng, WIDTH, WIDTH, scale=0.3)

    def times(weight, value):
        return lambda s: s.op("Tanh", s.op("MatMul", value, s.const(weight)))

    # The first three rows, or all of another input.
    front = g.op("Slice", "x", g.const([0]), g.const([3]), g.const([0]))
    taken = choose(g, is_more(g, "x", 0), times(one, front), times(other, "y"), some)
    g.output(product(g, rng, g.op("Sin", taken)), FLOAT, some)
    g.output(g.op("ReduceSum", product(g, rng, taken), g.const([0]), keepdims=0), FLOAT, [WIDTH])

    # Rows that a mask keeps, or all of them, and among these those behind the first.
    def kept(s):
        mask = s.op("Greater", s.op("ReduceSum", "y", s.const([1]), keepdims=0), s.const(np.float32(0)))
        return s.op("MatMul", s.op("Compress", "y", mask, axis=0), s.const(one))

    def behind(s):
        return choose(s, is_more(s, s.op("Abs", "y"), 40 * WIDTH), times(other, "y"),
                      times(one, s.op("Slice", "y", s.const([1]), s.const([2**31]), s.const([0]))), some)
    left = choose(g, is_more(g, "y", 0), kept, behind, some)
    g.output(g.op("Softmax", product(g, rng, left)), FLOAT, some)
    g.output(g.op("Concat", left, taken, axis=0), FLOAT, some)
    g.output(in_loop(g, one, other), FLOAT, ["rows", WIDTH])
    return g.model()


def cases():
    rng = random("ragged_branches data")
    for rows, more, shift, scale in [(5, 4, 0.2, 1), (5, 4, -0.2, 1), (1, 9, 0.1, 3), (7, 1, -0.5, 1), (40, 30, -3, 50), (2, 6, -1, 80)]:
        yield Case({"x": normal(rng, rows, WIDTH) + np.float32(shift),
                    "y": (normal(rng, more, WIDTH) + np.float32(shift)) * np.float32(scale)})
