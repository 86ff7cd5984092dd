# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops whose body hands its condition on, by Identity, Cast and And with true: as often as they are told, so that an outer
loop stacks the rows of an inner one."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, random


def handed_on(g, how, condition):
    if how == "Cast":
        return g.op("Cast", g.op("Cast", condition, to=INT64), to=BOOL)
    return g.op("And", condition, g.const(True)) if how == "And" else g.op("Identity", condition)


def inner_body(g, how):
    """Running sums of a row."""
    body = g.sub(f"inner_{how}")
    i, go, total = (body.input(f"{name}_{how}", dtype, []) for name, dtype in [("i", INT64), ("go", BOOL), ("s", FLOAT)])
    following = body.op("Add", total, body.op("Gather", f"row_{how}", i))
    body.output(handed_on(body, how, go), BOOL, [])
    body.output(following, FLOAT, [])
    body.output(body.op("Identity", following), FLOAT, [])
    return body.proto()


def outer_body(g, how):
    body = g.sub(f"outer_{how}")
    i, go = (body.input(f"{name}_{how}", dtype, []) for name, dtype in [("outer_i", INT64), ("outer_go", BOOL)])
    row = body.op("Gather", "x", i, out=f"row_{how}")
    length = body.op("Squeeze", body.op("Shape", row))
    _, trace = body.op("Loop", length, "", body.const(0.0), out=2, body=inner_body(body, how))
    body.output(handed_on(body, how, go), BOOL, [])
    body.output(trace, FLOAT, ["t"])
    return body.proto()


def build():
    g = Graph("passed_condition")
    g.input("x", FLOAT, ["batch", "t"])
    count = g.op("Squeeze", g.op("Shape", "x", end=1))
    for how in ("Identity", "Cast", "And"):
        g.op("Loop", count, g.const(True) if how == "And" else "", out=f"sums_{how}", body=outer_body(g, how))
        g.output(f"sums_{how}", FLOAT, ["batch", "t"])
    return g.model()


def cases():
    rng = random("passed_condition data")
    for batch, t in [(3, 6), (1, 1), (2, 4)]:
        yield Case({"x": rng.integers(-8, 9, (batch, t)).astype(np.float32)})
