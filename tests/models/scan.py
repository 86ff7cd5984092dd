# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scan over one input forwards and one backwards, with two states, a captured value and two stacked results."""
from graph import FLOAT, Case, Graph, normal, random


def build():
    rng = random("scan weights")
    g = Graph("scan")
    g.input("initial", FLOAT, ["n"])
    g.input("forwards", FLOAT, ["steps", "n"])
    g.input("backwards", FLOAT, ["n", "steps"])
    g.const(normal(rng, 1), name="factor")

    body = g.sub("body")
    for name in ("state", "largest", "row", "column"):
        body.input(name, FLOAT, ["n"])
    body.op("Add", body.op("Mul", "state", "factor"), "row", out="next_state")
    body.op("Max", "largest", body.op("Mul", "row", "column"), out="next_largest")
    body.op("Tanh", "next_state", out="bent")
    body.op("Sub", "column", "next_largest", out="gap")
    for name in ("next_state", "next_largest", "bent", "gap"):
        body.output(name, FLOAT, ["n"])

    g.op("Scan", "initial", g.op("Neg", "initial"), "forwards", "backwards",
         out=["last_state", "last_largest", "every_bent", "every_gap"], body=body.proto(), num_scan_inputs=2,
         scan_input_directions=[0, 1], scan_input_axes=[0, 1], scan_output_axes=[0, 1], scan_output_directions=[0, 1])
    g.output("last_state", FLOAT, ["n"])
    g.output("last_largest", FLOAT, ["n"])
    g.output("every_bent", FLOAT, ["steps", "n"])
    g.output("every_gap", FLOAT, ["n", "steps"])
    return g.model()


def cases():
    rng = random("scan data")
    for n, steps in [(4, 3), (1, 10), (17, 1)]:
        yield Case({"initial": normal(rng, n), "forwards": normal(rng, steps, n), "backwards": normal(rng, n, steps)})
