# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches that only the device can decide, too long to compute both: a plain run waits for them, a captured one leaves them
to the graph. One is inside another, one hands an outer value on, and one side needs scratch memory that the other does not. Loops
of a fixed number of trips with one in every iteration are the device's, one of them with branches of which each has its own length.
"""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH = 48
# The outer one, and what is inside it where that is taken.
LIMITS = {"d2h": 2, "h2d": 0, "blocking_syncs": 2}
# Each branch, and, behind each trip but the last, whether there is another.
LIMITS_BY_HOST = {"d2h": 16, "h2d": 0, "blocking_syncs": 16}


def is_more(g, value, limit):
    return g.op("Greater", g.op("ReduceSum", value, keepdims=0), g.const(np.float32(limit)))


def product(g, rng, value, scale):
    return g.op("MatMul", value, g.const(normal(rng, WIDTH, WIDTH) * np.float32(scale)))


def build():
    rng = random("chosen_branches")
    g = Graph("chosen_branches")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("trips", INT64, [])
    state = g.op("Tanh", "x")

    high = g.sub("high")
    inner = [high.sub("inner_high"), high.sub("inner_low")]
    inner[0].output(inner[0].op("Softmax", product(inner[0], rng, state, 0.2), axis=-1), FLOAT, ["rows", WIDTH])
    inner[1].output(inner[1].op("CumSum", product(inner[1], rng, state, 0.1), inner[1].const(np.int64(0))), FLOAT,
                    ["rows", WIDTH])
    high.output(high.op("If", is_more(high, high.op("Abs", state), 20 * WIDTH), out="inner",
                        then_branch=inner[0].proto(), else_branch=inner[1].proto()), FLOAT, ["rows", WIDTH])
    low = g.sub("low")
    low.output(low.op("Identity", state), FLOAT, ["rows", WIDTH])
    state = g.op("If", is_more(g, state, 0), out="chosen", then_branch=high.proto(), else_branch=low.proto())

    body = g.sub("step")
    body.input("step", INT64, [])
    going = body.input("going", BOOL, [])
    body.input("carried", FLOAT, ["rows", WIDTH])
    sides = [body.sub(f"side_{i}") for i in range(2)]
    for i, side in enumerate(sides):
        side.output(product(side, rng, side.op("Sin" if i else "Tanh", "carried"), 0.3), FLOAT, ["rows", WIDTH])
    moved = body.op("If", is_more(body, "carried", 1), out="moved", then_branch=sides[0].proto(),
                    else_branch=sides[1].proto())
    body.output(body.op("Identity", going), BOOL, [])
    body.output(moved, FLOAT, ["rows", WIDTH])
    g.output(g.op("Loop", g.const(np.int64(3)), g.const(True), state, out="y", body=body.proto()), FLOAT, ["rows", WIDTH])
    g.output(g.op("Loop", "trips", g.const(True), state, out="z", body=ragged(g, rng)), FLOAT, ["rows", WIDTH])
    return g.model()


def ragged(g, rng):
    """One side looks at all rows twice, the other once; the largest of what it has seen goes on."""
    body = g.sub("ragged")
    body.input("trip", INT64, [])
    body.input("goes", BOOL, [])
    body.input("left", FLOAT, ["rows", WIDTH])
    one, two = body.sub("once"), body.sub("twice")
    one.output(product(one, rng, one.op("Sin", "left"), 0.3), FLOAT, None)
    both = two.op("Concat", "left", two.op("Neg", "left"), axis=0)
    two.output(product(two, rng, two.op("Tanh", both), 0.3), FLOAT, None)
    seen = body.op("If", is_more(body, "left", 1), then_branch=two.proto(), else_branch=one.proto())
    most = body.op("ReduceMax", seen, body.const([0]), keepdims=1)
    body.output(body.op("Identity", "goes"), BOOL, [])
    body.output(body.op("Sub", most, body.op("Tanh", "left")), FLOAT, ["rows", WIDTH])
    return body.proto()


def cases():
    rng = random("chosen_branches data")
    for rows, shift, trips in [(4, 0.5, 4), (40, 0.8, 1), (40, 0.05, 3), (7, -0.5, 2), (1, -2.0, 0), (1, 2.0, 5)]:
        yield Case({"x": normal(rng, rows, WIDTH) + np.float32(shift), "trips": np.array(trips, np.int64)})
