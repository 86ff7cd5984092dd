# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops without a trip count that stack an element an iteration: up to the rows of the input, compared as integers; and in steps
of two up to a limit of the run, compared as floats, unless a row is too large.
"""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

WIDTH = 4


def counting(g, step, limit, stays=None):
    """A body that stacks the row at its counter; `stays` is a bound on its elements."""
    body = g.sub(f"counting_by_{step}")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("at", INT64, [])
    row = body.op("Gather", "x", "at", axis=0)
    following = body.op("Add", "at", body.const(np.int64(step)))
    if stays is None:
        going = body.op("Less", following, limit)
    else:
        floats = body.op("Cast", following, to=FLOAT), body.op("Cast", limit, to=FLOAT)
        largest = body.op("ReduceMax", row, body.const(np.int64([0])), keepdims=0)
        going = body.op("And", body.op("LessOrEqual", *floats), body.op("Less", largest, body.const(np.float32(stays))))
    body.output(going, BOOL, [])
    body.output(following, INT64, [])
    body.output(body.op("Tanh", row), FLOAT, [WIDTH])
    return body.proto()


def build():
    g = Graph("loop_counted")
    g.input("x", FLOAT, ["rows", WIDTH])
    g.input("last", INT64, [])
    zero = g.const(np.int64(0))
    rows = g.op("Squeeze", g.op("Shape", "x", start=0, end=1))
    _, every = g.op("Loop", "", g.op("Less", zero, rows), zero, out=["end", "every"], body=counting(g, 1, rows))
    g.output(g.op("Add", every, "x", out="sum"), FLOAT, ["rows", WIDTH])
    _, some = g.op("Loop", "", "", zero, out=["end_of_some", "some"], body=counting(g, 2, "last", 2.0))
    g.output(some, FLOAT, ["some_rows", WIDTH])
    return g.model()


def cases():
    rng = random("loop_counted data")
    for rows, last in [(7, 6), (7, 3), (1, -5), (40, 39)]:
        yield Case({"x": normal(rng, rows, WIDTH), "last": np.array(last, np.int64)})
