# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text to speech with a duration of 1 to 6 frames a phoneme, by an index per frame and by a mask of frames and phonemes as VITS has
it. The device alone knows how many frames there are; a run has room for six a phoneme."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
WIDTH = 8


def by_index(g, weights):
    """Frames as phonemes chosen: that of frame t is the number of phonemes that have ended by then."""
    log = g.op("Squeeze", g.op("MatMul", "phonemes", g.const(normal(weights, WIDTH, 1, scale=0.3))), g.const([1]))
    frames = g.op("Cast", g.op("Clip", g.op("Ceil", g.op("Exp", log)), g.const(1.0), g.const(6.0)), to=INT64)
    ends = g.op("CumSum", frames, g.const(0))
    times = g.op("Range", g.const(0), g.op("ReduceSum", frames, keepdims=0), g.const(1))
    ended = g.op("LessOrEqual", g.op("Unsqueeze", ends, g.const([0])), g.op("Unsqueeze", times, g.const([1])))
    chosen = g.op("Gather", "phonemes", g.op("ReduceSum", g.op("Cast", ended, to=INT64), g.const([1]), keepdims=0), axis=0)
    return g.op("MatMul", chosen, g.const(normal(weights, WIDTH, 5)))


def by_mask(g):
    """The mask of the frames in front of a phoneme's end, less that of the phoneme before it."""
    lengths = g.op("Clip", g.op("Ceil", g.op("Exp", "log_lengths")), g.const(1.0), g.const(6.0))
    total = g.op("Cast", g.op("Clip", g.op("ReduceSum", lengths, keepdims=0), g.const(1.0)), to=INT64)
    times = g.op("Cast", g.op("Range", g.const(0), total, g.const(1)), to=FLOAT)
    ends = g.op("CumSum", lengths, g.const(0))
    before = g.op("Cast", g.op("Less", g.op("Unsqueeze", times, g.const([1])), g.op("Unsqueeze", ends, g.const([0]))), to=FLOAT)
    shifted = g.op("Pad", g.op("Slice", before, g.const([0]), g.const([-1]), g.const([1])), g.const([0, 1, 0, 0]))
    return g.op("MatMul", g.op("Sub", before, shifted), "phonemes")


def build():
    g = Graph("spoken_durations")
    weights = random("spoken_durations weights")
    g.input("phonemes", FLOAT, ["n", WIDTH])
    g.input("log_lengths", FLOAT, ["n"])
    g.output(g.op("Identity", by_index(g, weights), out="mel"), FLOAT, [None, 5])
    g.output(g.op("Identity", by_mask(g), out="latent"), FLOAT, [None, WIDTH])
    return g.model()


def cases():
    rng = random("spoken_durations data")
    for n in (6, 1, 40, 3):
        yield Case({"phonemes": normal(rng, n, WIDTH), "log_lengths": normal(rng, n)})
