# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Carried tensors that grow, by one row an iteration and by as many as the input has; one is read at its last size behind
the loop.
"""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH = 4


def appending(g):
    body = g.sub("appending")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("log", FLOAT, ["logged", WIDTH])
    body.input("copies", FLOAT, ["copied", WIDTH])
    scaled = body.op("Mul", "x", body.op("Cast", "i", to=FLOAT))
    mean = body.op("ReduceMean", scaled, body.const(np.int64([0])), keepdims=1)
    log = body.op("Concat", "log", mean, axis=0)
    copies = body.op("Concat", scaled, "copies", axis=0)
    going = body.op("Identity", "go")
    body.output(going, BOOL, [])
    body.output(log, FLOAT, None)
    body.output(copies, FLOAT, None)
    return body.proto()


def build():
    g = Graph("loop_growing")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("trips", INT64, [])
    first = g.op("ReduceMax", "x", g.const(np.int64([0])), keepdims=1)
    log, copies = g.op("Loop", "trips", "", first, "x", out=["log_last", "copies_last"], body=appending(g))
    g.output(g.op("Tanh", log, out="log_out"), FLOAT, ["logged_last", WIDTH])
    g.output(copies, FLOAT, ["copied_last", WIDTH])
    g.output(g.op("Shape", log, out="log_shape"), INT64, [2])
    return g.model()


def cases():
    rng = random("loop_growing data")
    for rows, trips in [(3, 4), (1, 7), (5, 1), (2, 0), (6, -2)]:
        yield Case({"x": normal(rng, rows, WIDTH), "trips": np.array(trips, np.int64)})
