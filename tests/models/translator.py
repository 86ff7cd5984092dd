# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An encoder, and a decoder in a Loop that ends when every sentence has ended or after `most` words: words are appended
to a carried tensor, and whether to go on is what the device has computed.
"""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

VOCABULARY, WIDTH, END = 11, 16, 0
MOST = 7
# The device runs the loop; how long the text has become is told behind the run.
LIMITS = {"d2h": 1, "h2d": 0, "blocking_syncs": 0}
# One look an iteration, and none behind the last that there may be.
LIMITS_BY_HOST = {"d2h": 6, "blocking_syncs": 5}


def attention(g, queries, memory, rng):
    query, key, value = (g.op("MatMul", x, g.const(normal(rng, WIDTH, WIDTH, scale=WIDTH**-0.5)))
                         for x in (queries, memory, memory))
    scores = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 2, 1]))
    weights = g.op("Softmax", g.op("Mul", scores, g.const(WIDTH**-0.5)), axis=-1)
    return g.op("Add", queries, g.op("MatMul", weights, value))


def layer(g, queries, memory, rng):
    x = attention(g, queries, memory, rng)
    hidden = g.op("Relu", g.op("MatMul", x, g.const(normal(rng, WIDTH, 2 * WIDTH, scale=WIDTH**-0.5))))
    x = g.op("Add", x, g.op("MatMul", hidden, g.const(normal(rng, 2 * WIDTH, WIDTH, scale=(2 * WIDTH) ** -0.5))))
    return g.op("LayerNormalization", x, g.const(np.ones(WIDTH, np.float32)), axis=-1)


def decoding(g, memory, words, rng):
    body = g.sub("step")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("text", INT64, ["batch", "length"])
    body.input("ended", BOOL, ["batch", 1])
    last = body.op("Gather", "text", body.const([-1]), axis=1)
    place = body.op("Cos", body.op("Mul", body.op("Cast", "step", to=FLOAT), body.const(normal(rng, WIDTH))))
    x = layer(body, body.op("Add", body.op("Gather", words, last), place), memory, rng)
    logits = body.op("MatMul", x, body.op("Transpose", words, perm=[1, 0]))
    # The longer a text, the likelier its end.
    tired = body.op("Mul", body.op("Cast", "step", to=FLOAT), body.const(np.float32(np.eye(1, VOCABULARY, END) * 5)))
    logits = body.op("Add", logits, tired)
    chosen = body.op("ArgMax", logits, axis=-1, keepdims=0)
    word = body.op("Where", "ended", body.const([[END]]), chosen)
    ended = body.op("Equal", word, body.const([[END]]))
    open_sentences = body.op("ReduceMax", body.op("Cast", body.op("Not", ended), to=INT64), keepdims=0)
    body.output(body.op("Cast", open_sentences, to=BOOL, out="goes_on"), BOOL, [])
    body.output(body.op("Concat", "text", word, axis=1), INT64, None)
    body.output(ended, BOOL, None)
    return body.proto()


def build():
    rng = random("translator weights")
    g = Graph("translator")
    g.input("source", INT64, ["batch", "words"])
    g.input("most", INT64, [])
    words = g.const(normal(rng, VOCABULARY, WIDTH))
    memory = g.op("Gather", words, "source")
    for _ in range(2):
        memory = layer(g, memory, memory, rng)
    first = g.op("Gather", "source", g.const([0]), axis=1)
    ended = g.op("Equal", first, g.const([[-1]]))
    text, _ = g.op("Loop", "most", g.const(True), first, ended, out=["text_last", "ended_last"],
                   body=decoding(g, memory, words, rng))
    g.output(g.op("Identity", text, out="translation"), INT64, ["batch", "length_last"])
    return g.model(opset=20, ir_version=9)


def cases():
    rng = random("translator data")
    for batch, words, most in [(1, 4, MOST), (3, 6, MOST), (2, 1, 3), (1, 9, 1), (2, 3, 0)]:
        yield Case({"source": rng.integers(1, VOCABULARY, (batch, words)), "most": np.array(most, np.int64)})
