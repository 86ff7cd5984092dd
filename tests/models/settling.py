# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Loop that ends when its carried values have settled, or after `most` iterations: only the device knows when, and runs it."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph

MOST = 11
LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
# One look an iteration, and none behind the last that there may be.
LIMITS_BY_HOST = {"d2h": 10, "blocking_syncs": 10}


def build():
    g = Graph("settling")
    g.input("x", FLOAT, ["rows", "columns"])
    g.input("most", INT64, [])
    body = g.sub("step")
    step = body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("state", FLOAT, ["rows", "columns"])
    body.input("seen", INT64, ["rows"])
    # Newton's way to the square root of x, row by row.
    better = body.op("Mul", body.op("Add", "state", body.op("Div", "x", "state")), body.const(0.5))
    change = body.op("Abs", body.op("Sub", better, "state"))
    moved = body.op("Greater", body.op("ReduceMax", change, body.const([1]), keepdims=0), body.const(1e-3))
    seen = body.op("Where", moved, step, "seen")
    most_moved = body.op("ReduceMax", change, keepdims=0)
    body.output(body.op("Greater", most_moved, body.const(1e-3), out="moves"), BOOL, [])
    body.output(better, FLOAT, ["rows", "columns"])
    body.output(seen, INT64, ["rows"])
    first = g.op("Expand", g.const(-1), g.op("Slice", g.op("Shape", "x"), g.const([0]), g.const([1])))
    root, seen = g.op("Loop", "most", g.const(True), "x", first, out=["root", "last_move"], body=body.proto())
    g.output(root, FLOAT, ["rows", "columns"])
    g.output(seen, INT64, ["rows"])
    return g.model(opset=20, ir_version=9)


def cases():
    rng = np.random.default_rng(5)
    for rows, columns, scale, most in [(3, 5, 30, MOST), (1, 1, 1e6, MOST), (2, 40, 1.2, 2**63 - 1), (2, 3, 1e5, 4),
                                       (2, 3, 1e5, 5), (4, 2, 10, 1), (2, 3, 10, 0), (1, 2, 10, -3)]:
        x = rng.uniform(1, scale, (rows, columns)).astype(np.float32)
        yield Case({"x": x, "most": np.array(most, np.int64)})
