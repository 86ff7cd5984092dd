# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speech to text without a language model: a convolutional recurrent encoder, the best symbol per frame, repetitions and
blanks left out, and how sure each symbol that is left was."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
BANDS, SYMBOLS = 10, 6


def build():
    g = Graph("ctc_greedy")
    weights = random("ctc_greedy weights")
    g.input("audio", FLOAT, [1, BANDS, "frames"])
    features = g.op("Relu", g.op("Conv", "audio", g.const(normal(weights, 8, BANDS, 3, scale=0.3)), strides=[2], pads=[1, 1]))
    sequence = g.op("Transpose", features, perm=[2, 0, 1])
    hidden, _, _ = g.op("LSTM", sequence, g.const(normal(weights, 2, 24, 8)), g.const(normal(weights, 2, 24, 6)), out=3, hidden_size=6,
                        direction="bidirectional")
    frames = g.op("Reshape", g.op("Transpose", hidden, perm=[0, 2, 1, 3]), g.const([-1, 12]))
    likely = g.op("Softmax", g.op("MatMul", frames, g.const(normal(weights, 12, SYMBOLS))))
    best = g.op("ArgMax", likely, axis=1, keepdims=0)
    before = g.op("Concat", g.const([-1]), g.op("Slice", best, g.const([0]), g.const([-1]), g.const([0])), axis=0)
    said = g.op("And", g.op("Not", g.op("Equal", best, before)), g.op("Not", g.op("Equal", best, g.const(np.int64(0)))))
    g.output(g.op("Compress", best, said, axis=0, out="symbols"), INT64, [None])
    g.output(g.op("Compress", g.op("ReduceMax", likely, g.const([1]), keepdims=0), said, axis=0, out="sure"), FLOAT, [None])
    times = g.op("Squeeze", g.op("NonZero", said), g.const([0]))
    g.output(g.op("Mul", g.op("Cast", times, to=FLOAT), g.const(0.02), out="seconds"), FLOAT, [None])
    return g.model()


def cases():
    rng = random("ctc_greedy data")
    for frames in (40, 3, 101, 16):
        yield Case({"audio": normal(rng, 1, BANDS, frames, scale=2)})
