# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Experts of fixed capacity: each token goes to its best expert as long as there is room, all experts work in one product, and
a token without room passes by."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
WIDTH, EXPERTS = 8, 4


def build():
    g = Graph("expert_capacity")
    weights = random("expert_capacity weights")
    g.input("tokens", FLOAT, ["tokens", WIDTH])
    count = g.op("Shape", "tokens", start=0, end=1)
    # A quarter more than an even share.
    room = g.op("Div", g.op("Add", g.op("Mul", count, g.const([5])), g.const([4 * EXPERTS - 1])), g.const([4 * EXPERTS]))
    gates = g.op("Softmax", g.op("MatMul", "tokens", g.const(normal(weights, WIDTH, EXPERTS))))
    expert = g.op("ArgMax", gates, axis=1, keepdims=1)  # [tokens, 1]
    chosen = g.op("OneHot", g.op("Squeeze", expert, g.const([1])), g.const(EXPERTS), g.const(np.array([0, 1], np.int64)))
    turn = g.op("Sub", g.op("ReduceSum", g.op("Mul", g.op("CumSum", chosen, g.const(np.int64(0))), chosen), g.const([1])), g.const([1]))
    fits = g.op("Less", turn, room)  # [tokens, 1]
    # One place more, for those without room.
    place = g.op("Concat", expert, g.op("Min", turn, room), axis=1)
    shape = g.op("Concat", g.const([EXPERTS]), g.op("Add", room, g.const([1])), g.const([WIDTH]), axis=0)
    sent = g.op("ScatterND", g.op("Expand", g.const(0.0), shape), place, g.op("Where", fits, "tokens", g.const(0.0)), reduction="add")
    hidden = g.op("Relu", g.op("MatMul", sent, g.const(normal(weights, EXPERTS, WIDTH, 12, scale=0.4))))
    made = g.op("MatMul", hidden, g.const(normal(weights, EXPERTS, 12, WIDTH, scale=0.4)))
    back = g.op("Mul", g.op("GatherND", made, place), g.op("GatherElements", gates, expert, axis=1))
    g.output(g.op("Where", fits, back, "tokens", out="mixed"), FLOAT, ["tokens", WIDTH])
    g.output(g.op("ReduceSum", g.op("Cast", fits, to=INT64), keepdims=0, out="sent"), INT64, [])
    return g.model()


def cases():
    rng = random("expert_capacity data")
    for tokens in (16, 1, 50, 7):
        yield Case({"tokens": normal(rng, tokens, WIDTH) + np.float32(0.3)})
