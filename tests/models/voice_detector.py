# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A recurrent voice detector as torch.jit exports them: a network per sample rate, chosen by an input; in each, further
Ifs that make a state where none is given, drop an axis where its extent is 1, and add one where there is none, so that
ranks differ from branch to branch. All conditions are the host's: no readback."""
import numpy as np
from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
HIDDEN = 8
# Window and filters of the spectrum by sample rate.
NETWORKS = {16000: (16, 6), 8000: (8, 4)}


def choose(g, condition, then, otherwise, results=1):
    """An If; `then` and `otherwise` add the nodes of a branch to a graph and return its results."""
    branches = {}
    for name, fill in (("then_branch", then), ("else_branch", otherwise)):
        sub = g.sub(g.fresh(name))
        values = fill(sub)
        for value in [values] if isinstance(values, str) else values:
            sub.output(sub.op("Identity", value), FLOAT, None)
        branches[name] = sub.proto()
    return g.op("If", condition, out=results, **branches)


def extent(g, x, axis):
    return g.op("Gather", g.op("Shape", x), g.const(axis), axis=0)


def squeeze_if_one(g, x, axis):
    is_one = g.op("Equal", extent(g, x, axis), g.const(1))
    return choose(g, is_one, lambda s: s.op("Squeeze", x, s.const([axis])), lambda s: x)


def network(g, rate):
    """The detector of a sample rate: its result [batch, 1] and the next state."""
    rng = random(f"voice_detector {rate}")
    window, filters = NETWORKS[rate]
    # Half a window mirrored at either end, then the magnitudes of its frames: [batch, filters, frames].
    framed = g.op("Pad", "input", g.const([0, window // 2, 0, window // 2]), mode="reflect")
    basis = g.const(normal(rng, 2 * filters, 1, window, scale=0.3))
    frames = g.op("Conv", g.op("Unsqueeze", framed, g.const([1])), basis, strides=[window // 2])
    parts = [g.op("Slice", frames, g.const([low]), g.const([low + filters]), g.const([1])) for low in (0, filters)]
    power = g.op("Add", *[g.op("Mul", part, part) for part in parts])
    weight = g.const(normal(rng, HIDDEN, filters, 3, scale=0.4))
    encoded = g.op("Relu", g.op("Conv", g.op("Sqrt", power), weight, g.const(normal(rng, HIDDEN)), pads=[1, 1]))
    features = g.op("ReduceMean", encoded, g.const([-1]), keepdims=1)

    # A state of no elements stands for none at all.
    batch = g.op("Unsqueeze", extent(g, "input", 0), g.const([0]))
    zeros = lambda s: s.op("ConstantOfShape", s.op("Concat", s.const([2]), batch, s.const([HIDDEN]), axis=0))
    state = choose(g, g.op("Equal", extent(g, "state", 0), g.const(0)), zeros, lambda s: "state")

    # A cell takes [batch, HIDDEN]; the axis of one frame goes, and comes back where there was one.
    cell_input = squeeze_if_one(g, features, -1)
    before = [g.op("Gather", state, g.const(i), axis=0) for i in range(2)]
    gates = g.op("Add", g.op("MatMul", cell_input, g.const(normal(rng, HIDDEN, 4 * HIDDEN, scale=0.3))),
                 g.op("Add", g.op("MatMul", before[0], g.const(normal(rng, HIDDEN, 4 * HIDDEN, scale=0.3))),
                      g.const(normal(rng, 4 * HIDDEN))))
    i, f, c, o = g.op("Split", gates, axis=1, num_outputs=4, out=4)
    cell = g.op("Add", g.op("Mul", g.op("Sigmoid", f), before[1]), g.op("Mul", g.op("Sigmoid", i), g.op("Tanh", c)))
    hidden = g.op("Mul", g.op("Sigmoid", o), g.op("Tanh", cell))
    lifted = [g.op("Unsqueeze", value, g.const([0])) for value in (hidden, cell)]
    next_state = g.op("Concat", *lifted, axis=0)

    # One voice is a vector, several are a matrix: a decoder for each.
    single = squeeze_if_one(g, hidden, 0)
    is_vector = g.op("Equal", g.op("Size", g.op("Shape", single)), g.const(1))
    column = g.const(normal(rng, HIDDEN, 1))
    scored = choose(g, is_vector,
                    lambda s: s.op("MatMul", s.op("Relu", single), column),
                    lambda s: s.op("Unsqueeze", s.op("MatMul", s.op("Relu", single), column), s.const([2])))
    return g.op("Reshape", g.op("Sigmoid", scored), g.const([-1, 1])), next_state


def build():
    g = Graph("voice_detector")
    g.input("input", FLOAT, ["batch", "samples"])
    g.input("state", FLOAT, ["states", "batch", HIDDEN])
    g.input("sr", INT64, [])
    is_wide = g.op("Equal", "sr", g.const(16000))
    choose(g, is_wide, lambda s: network(s, 16000), lambda s: network(s, 8000), results=["output", "stateN"])
    g.output("output", FLOAT, ["batch", 1])
    g.output("stateN", FLOAT, [2, "batch", HIDDEN])
    return g.model()


def cases():
    rng = random("voice_detector data")
    for batch, samples, states, rate in [(1, 64, 2, 16000), (3, 64, 2, 16000), (1, 32, 0, 8000), (2, 40, 2, 8000),
                                         (4, 100, 0, 16000)]:
        yield Case({"input": normal(rng, batch, samples), "state": normal(rng, states, batch, HIDDEN),
                    "sr": np.array(rate, np.int64)})
