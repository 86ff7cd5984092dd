# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Early exits: branches one behind the other by what the device has computed, the second by what the first has left. Beside
them three whose conditions are there at once, one inside another, one in a loop that the device ends, and one behind a
flag that the caller gives."""
import numpy as np

from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH, CLASSES = 24, 5
# A plain run waits for the conditions that are there at once, for that of the second exit, for the inner one and for the one
# behind the flag; the loop asks itself.
LIMITS = {"d2h": 4, "h2d": 0, "blocking_syncs": 4}


def product(g, rng, value, columns=WIDTH):
    return g.op("MatMul", value, g.const(normal(rng, WIDTH, columns, scale=0.3)))


def choose(g, condition, *sides):
    """An If whose branches are made by functions of their subgraphs."""
    subs = [g.sub(f"{'then' if i == 0 else 'else'}_{len(g.nodes)}") for i in range(2)]
    for sub, side in zip(subs, sides):
        sub.output(sub.op("Identity", side(sub)), FLOAT, ["rows", WIDTH])
    return g.op("If", condition, then_branch=subs[0].proto(), else_branch=subs[1].proto())


def layer(rng):
    weight = normal(rng, WIDTH, WIDTH, scale=0.3)
    return lambda g, value: g.op("Tanh", g.op("MatMul", value, g.const(weight)))


def exits(g, rng):
    """Where a head is sure enough the next layers are left out."""
    head = normal(rng, WIDTH, CLASSES)
    state = layer(rng)(g, "x")

    def sure(g, state, limit):
        best = g.op("ReduceMax", g.op("Softmax", g.op("MatMul", state, g.const(head))), g.const([1]), keepdims=0)
        return g.op("Greater", g.op("ReduceMean", best, keepdims=0), g.const(np.float32(limit)))

    for limit in (0.8, 0.7):
        deep, deeper = layer(rng), layer(rng)

        def inner(g, state=state, deep=deep, deeper=deeper, limit=limit):
            further = deep(g, state)
            if limit == 0.8:
                return further
            return choose(g, sure(g, further, 0.9), lambda s: s.op("Identity", further), lambda s: deeper(s, further))
        state = choose(g, sure(g, state, limit), lambda s, state=state: s.op("Identity", state), inner)
    return g.op("Softmax", g.op("MatMul", state, g.const(head)))


def at_once(g, rng):
    state = "x"
    for how in ("ReduceSum", "ReduceMax", "ReduceMin"):
        condition = g.op("Greater", g.op(how, "x", keepdims=0), g.const(np.float32(0)))
        one, other = layer(rng), layer(rng)
        state = choose(g, condition, lambda s, v=state, f=one: f(s, v), lambda s, v=state, f=other: f(s, v))
    return state


def until_small(g, rng):
    """A loop that the device ends, of which each iteration takes one of two layers."""
    body = g.sub("refine")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("carried", FLOAT, ["rows", WIDTH])
    total = body.op("ReduceSum", "carried", keepdims=0)
    one, other = layer(rng), layer(rng)
    moved = choose(body, body.op("Greater", total, body.const(np.float32(0))),
                   lambda s: s.op("Mul", one(s, "carried"), s.const(np.float32(0.8))),
                   lambda s: s.op("Mul", other(s, "carried"), s.const(np.float32(0.7))))
    body.output(body.op("Greater", body.op("ReduceMax", body.op("Abs", moved), keepdims=0), body.const(np.float32(0.4))),
                BOOL, [])
    body.output(moved, FLOAT, ["rows", WIDTH])
    return g.op("Loop", g.const(np.int64(20)), g.const(True), "x", body=body.proto())


def behind_flag(g, rng):
    one, other = layer(rng), layer(rng)

    def asked(g):
        condition = g.op("Less", g.op("ReduceSum", g.op("Abs", "x"), keepdims=0), g.const(np.float32(60)))
        return choose(g, condition, lambda s: one(s, "x"), lambda s: other(s, "x"))
    return choose(g, "careful", asked, lambda s: s.op("Neg", "x"))


def build():
    rng = random("two_exits")
    g = Graph("two_exits")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("careful", BOOL, [])
    g.output(exits(g, rng), FLOAT, ["rows", CLASSES])
    for name, part in [("chosen", at_once), ("choice", until_small), ("asked", behind_flag)]:
        g.output(g.op("Identity", part(g, rng), out=name), FLOAT, ["rows", WIDTH])
    return g.model()


def cases():
    rng = random("two_exits data")
    for rows, scale, shift, careful in [(3, 1, 0, True), (12, 0.1, 0.2, False), (12, 4, -1, True), (1, 9, 0, True), (40, 0.02, 0, True)]:
        yield Case({"x": normal(rng, rows, WIDTH) * np.float32(scale) + np.float32(shift), "careful": np.array(careful)})
