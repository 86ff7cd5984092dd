# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outputs that are nothing but what the device counted: how many elements NonZero found, a whole shape of it, arithmetic with
two such numbers, and one that a Loop runs by. The first three are told behind the run like extents; only the last is waited
for."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 1}


def loop_body(g):
    body = g.sub("body")
    for name, dtype, dims in [("i", INT64, []), ("go", BOOL, []), ("state", FLOAT, ["n"])]:
        body.input(name, dtype, dims)
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Mul", "state", body.const(0.5)), FLOAT, ["n"])
    return body.proto()


def count(g, found, out=1):
    return g.op("Squeeze", g.op("Shape", found, start=1), g.const([0]), out=out)


def build():
    g = Graph("told_counts")
    g.input("x", FLOAT, ["n"])
    g.input("trips", FLOAT, ["n"])
    positive = g.op("NonZero", g.op("Relu", "x"))
    negative = g.op("NonZero", g.op("Relu", g.op("Neg", "x")))
    g.output(count(g, positive, out="positives"), INT64, [])
    g.output(g.op("Shape", negative, out="shape"), INT64, [2])
    pair = g.op("Add", g.op("Mul", count(g, positive), g.const(np.array(3))), count(g, negative))
    g.output(g.op("Reshape", pair, g.const([1]), out="pair"), INT64, [1])
    rounds = count(g, g.op("NonZero", g.op("Relu", "trips")), out="rounds")
    g.output(rounds, INT64, [])
    g.op("Loop", rounds, "", "x", body=loop_body(g), out="looped")
    g.output("looped", FLOAT, ["n"])
    return g.model()


def cases():
    rng = random("told_counts data")
    for size in (5, 1, 40):
        yield Case({"x": normal(rng, size), "trips": np.minimum(normal(rng, size), 1)})
    yield Case({"x": np.zeros(0, np.float32), "trips": np.zeros(0, np.float32)})
    yield Case({"x": np.ones(3, np.float32), "trips": np.zeros(3, np.float32)})
