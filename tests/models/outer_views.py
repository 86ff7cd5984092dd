# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies and branches that see a tensor, computed outside, under other extents: by every operator that only changes these, by
one behind the other, and by what reads rows of groups. Each is read again in every iteration."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

VIEWS = {
    "reshape": lambda g, x: g.op("Reshape", x, g.const([3, -1])),
    "flatten": lambda g, x: g.op("Flatten", x, axis=2),
    "unsqueeze": lambda g, x: g.op("Unsqueeze", x, g.const([0, 2])),
    "squeeze": lambda g, x: g.op("Squeeze", x, g.const([1])),
    "identity": lambda g, x: g.op("Identity", x),
    "chain": lambda g, x: g.op("Flatten", g.op("Unsqueeze", g.op("Reshape", x, g.const([-1, 3])), g.const([1])), axis=1),
    "groups": lambda g, x: g.op("GroupNormalization", g.op("Reshape", x, g.const([1, 6, -1])), g.const(np.ones(6, np.float32)),
                                g.const(np.zeros(6, np.float32)), num_groups=2),
}


def total(g, outer):
    """What every view of `outer` comes to, as one number."""
    parts = []
    for view in VIEWS.values():
        seen = view(g, outer)
        parts.append(g.op("ReduceMax", g.op("CumSum", seen, g.const(np.int64(1))), keepdims=0))
    return g.op("Sum", *parts)


def build():
    g = Graph("outer_views")
    g.input("x", FLOAT, ["n", 1, 6])
    g.input("trips", INT64, [])
    g.input("steps", FLOAT, ["s", 2])
    g.input("ask", BOOL, [])
    outer = g.op("Softplus", "x")

    body = g.sub("loop")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("sum", FLOAT, [])
    body.output(body.op("Identity", "go"), BOOL, [])
    body.output(body.op("Add", body.op("Mul", "sum", body.const(0.5)), total(body, outer)), FLOAT, [])
    g.op("Loop", "trips", "", g.const(np.float32(0)), out="looped", body=body.proto())

    scan = g.sub("scan")
    scan.input("state", FLOAT, [])
    scan.input("step", FLOAT, [2])
    state = scan.op("Add", scan.op("Add", "state", scan.op("ReduceSum", "step", keepdims=0)), total(scan, outer))
    scan.output(state, FLOAT, [])
    scan.output(scan.op("Mul", "step", state), FLOAT, [2])
    g.op("Scan", g.const(np.float32(1)), "steps", out=["last", "scanned"], body=scan.proto(), num_scan_inputs=1)

    then, other = g.sub("then"), g.sub("else")
    then.output(total(then, outer), FLOAT, [])
    other.output(other.op("ReduceSum", other.op("Squeeze", outer, other.const([1])), keepdims=0), FLOAT, [])
    g.op("If", "ask", out="chosen", then_branch=then.proto(), else_branch=other.proto())
    for name, dims in [("looped", []), ("last", []), ("scanned", ["s", 2]), ("chosen", [])]:
        g.output(name, FLOAT, dims)
    return g.model()


def cases():
    rng = random("outer_views data")
    for n, trips, steps, ask in [(3, 3, 2, True), (5, 1, 4, False), (1, 0, 1, True)]:
        yield Case({"x": normal(rng, n, 1, 6), "trips": np.array(trips), "steps": normal(rng, steps, 2), "ask": np.array(ask)})
