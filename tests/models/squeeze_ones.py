# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Squeeze without axes where the run knows which extents are 1: of two open dims, whose dims are an output as well; of an
extent that is always 1, one that never is and one that may be; of how many elements NonZero found, as `nonzero().squeeze()`
is exported; in the body of a Loop. A branch for each rank: what reads the result is computed in it."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

# The host branches by what the device has found.
LIMITS = {"d2h": 1, "blocking_syncs": 1}


def loop_body(g):
    body = g.sub("body")
    for name, dtype, dims in [("i", INT64, []), ("go", BOOL, []), ("state", FLOAT, ["batch", "n"])]:
        body.input(name, dtype, dims)
    total = body.op("ReduceSum", body.op("Squeeze", "state"))
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Sub", "state", body.op("Mul", total, body.const(0.125))), FLOAT, ["batch", "n"])
    return body.proto()


def build():
    g = Graph("squeeze_ones")
    g.input("x", FLOAT, ["batch", "n"])
    g.input("y", FLOAT, [1, "n", 3])
    squeezed = g.op("Squeeze", "x")
    g.output(g.op("Shape", squeezed, out="dims"), INT64, ["rank"])
    g.output(g.op("Reshape", g.op("Mul", squeezed, squeezed), g.const([-1]), out="squares"), FLOAT, ["elements"])
    most = g.op("ReduceMax", g.op("Squeeze", "y"), g.const([-1]), keepdims=0)
    g.output(g.op("Reshape", most, g.const([-1]), out="most"), FLOAT, ["n"])
    flat = g.op("Reshape", "x", g.const([-1]))
    found = g.op("Squeeze", g.op("NonZero", g.op("Relu", flat)))
    g.output(g.op("ReduceSum", g.op("Gather", flat, found), out="positive", keepdims=0), FLOAT, [])
    g.op("Loop", g.const(np.array(3)), "", "x", body=loop_body(g), out="looped")
    g.output("looped", FLOAT, ["batch", "n"])
    return g.model()


def cases():
    rng = random("squeeze_ones data")
    for batch, n in [(2, 3), (1, 3), (3, 1), (1, 1)]:
        x = np.abs(normal(rng, batch, n))
        if batch == 1:
            x[0, 1:] *= -1  # one is found
        yield Case({"x": x, "y": normal(rng, 1, n, 3)})
    yield Case({"x": -np.abs(normal(rng, 2, 2)), "y": normal(rng, 1, 2, 3)})  # none is found
