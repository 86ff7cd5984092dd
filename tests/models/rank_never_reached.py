# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""squeeze(-1) as PyTorch scripts it: an If of rank 2 or 3, and one that looks at that rank and unsqueezes. Where there is more
than one frame a recurrent layer behind would get rank 5; no run goes there."""
from graph import FLOAT, Case, Graph, normal, random

CHANNELS, HIDDEN = 3, 4


def build():
    rng = random("rank_never_reached weights")
    g = Graph("rank_never_reached")
    g.input("x", FLOAT, ["batch", CHANNELS, "frames"])
    last, first = g.const([-1]), g.const([0])
    single = g.op("Equal", g.op("Gather", g.op("Shape", "x"), last, axis=0), g.const([1]))
    squeezed = g.op("If", single, then_branch=g.branch("single", FLOAT, "Squeeze", "x", last),
                    else_branch=g.branch("several", FLOAT, "Identity", "x"))
    flat = g.op("Equal", g.op("Size", g.op("Shape", squeezed)), g.const(2))
    whole = g.op("If", g.op("Not", flat), then_branch=g.branch("deep", FLOAT, "Unsqueeze", squeezed, first),
                 else_branch=g.branch("flat", FLOAT, "Identity", squeezed))
    weights = [g.const(normal(rng, 1, 4 * HIDDEN, width, scale=0.3)) for width in (CHANNELS, HIDDEN)]
    g.op("LSTM", g.op("Unsqueeze", whole, first), *weights, hidden_size=HIDDEN, out=["", "hidden"])
    g.output("hidden", FLOAT, [1, "batch", HIDDEN])
    return g.model(opset=16, ir_version=8)


def cases():
    rng = random("rank_never_reached data")
    for batch in (2, 1, 5):
        yield Case({"x": normal(rng, batch, CHANNELS, 1)})
