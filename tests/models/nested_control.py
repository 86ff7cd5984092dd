# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If inside Loop. The branches capture values of the loop's body, of the graph and a shape; one condition is computed
from the carried tensor, the other from the loop's counter; the trip count is a graph input, and the loop may stop early.
"""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH = 6
# The device runs the loop and takes its branches; how often it ran is told behind the run.
LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}


def branch(g, name, fill):
    """A branch with one result: `fill(sub)` adds the nodes and returns the value."""
    sub = g.sub(name)
    value = fill(sub)
    result = sub.op("Identity", value)
    sub.output(result, FLOAT, None)
    return sub.proto()


def loop_body(g):
    body = g.sub("body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("state", FLOAT, ["rows", WIDTH])
    body.input("count", INT64, [])

    moved = body.op("MatMul", "state", "weight")
    mean = body.op("ReduceMean", moved, keepdims=0)
    positive = body.op("Greater", mean, body.const(0.0))
    bent = body.op(
        "If", positive,
        then_branch=branch(body, "down", lambda s: s.op("Sub", moved, s.op("Mul", mean, "bias"))),
        else_branch=branch(body, "up", lambda s: s.op("Add", moved, "bias")))

    even = body.op("Equal", body.op("Mod", "i", body.const(2)), body.const(0))
    scaled = body.op(
        "If", even,
        then_branch=branch(body, "even", lambda s: s.op("Div", bent, s.op("Cast", "rows", to=FLOAT))),
        else_branch=branch(body, "odd", lambda s: s.op("Tanh", bent)))

    next_count = body.op("Add", "count", body.const(1))
    largest = body.op("ReduceMax", body.op("Abs", scaled), keepdims=0)
    go_on = body.op("Less", largest, "limit")
    total = body.op("ReduceSum", scaled, keepdims=0)
    for value, dtype, dims in [(go_on, BOOL, []), (scaled, FLOAT, ["rows", WIDTH]), (next_count, INT64, []),
                               (total, FLOAT, [])]:
        body.output(value, dtype, dims)
    return body.proto()


def build():
    rng = random("nested_control weights")
    g = Graph("nested_control")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("trips", INT64, [])
    g.input("limit", FLOAT, [])
    g.const(normal(rng, WIDTH, WIDTH, scale=0.5), name="weight")
    g.const(normal(rng, WIDTH), name="bias")
    g.op("Squeeze", g.op("Shape", "x", start=0, end=1), out="rows")
    state, count, totals = g.op("Loop", "trips", g.const(True), "x", g.const(0),
                                out=["final", "steps", "totals"], body=loop_body(g))
    g.output(state, FLOAT, ["rows", WIDTH])
    g.output(count, INT64, [])
    g.output(totals, FLOAT, ["taken"])
    return g.model(opset=16, ir_version=8)


def cases():
    rng = random("nested_control data")
    for rows, trips, limit in [(3, 5, 100.0), (1, 4, 100.0), (7, 20, 0.6), (4, 1, 0.0), (2, 0, 1.0)]:
        yield Case({"x": normal(rng, rows, WIDTH), "trips": np.array(trips, np.int64),
                    "limit": np.array(limit, np.float32)})
