# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoder that writes tokens until the last one, or `most`: its cache grows by a row a token, in its room, and what it says
of each token is stacked. The device runs the loop; how long it was is told behind the run."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

LIMITS = {"d2h": 1, "blocking_syncs": 0}
# One look an iteration, and none behind the last that there may be.
LIMITS_BY_HOST = {"d2h": 22, "blocking_syncs": 21}
VOCABULARY, WIDTH, END = 9, 8, 0


def decode(g, embedding, rng):
    def product(x):
        return body.op("MatMul", x, body.const(normal(rng, WIDTH, WIDTH, scale=WIDTH**-0.5)))

    body = g.sub("decode")
    body.input("step", INT64, [])
    body.input("going", BOOL, [])
    body.input("token", INT64, [1])
    body.input("keys", FLOAT, ["length", WIDTH])
    body.input("values", FLOAT, ["length", WIDTH])
    x = body.op("Gather", embedding, "token")
    keys = body.op("Concat", "keys", product(x), axis=0)
    values = body.op("Concat", "values", product(x), axis=0)
    weights = body.op("Softmax", body.op("MatMul", product(x), body.op("Transpose", keys, perm=[1, 0])), axis=-1)
    x = body.op("Add", x, body.op("MatMul", weights, values))
    logits = body.op("MatMul", x, body.op("Transpose", embedding, perm=[1, 0]))
    late = body.op("Mul", body.op("Cast", "step", to=FLOAT), body.const(np.float32(np.eye(1, VOCABULARY, END) * 0.3)))
    logits = body.op("Add", logits, late)
    token = body.op("ArgMax", logits, axis=1, keepdims=0)
    body.output(body.op("Not", body.op("Equal", body.op("Squeeze", token), body.const(END))), BOOL, [])
    body.output(token, INT64, None)
    body.output(keys, FLOAT, None)
    body.output(values, FLOAT, None)
    body.output(body.op("Squeeze", token), INT64, [])
    body.output(body.op("LogSoftmax", body.op("Squeeze", logits, body.const([0])), axis=0), FLOAT, [VOCABULARY])
    return body.proto()


def build():
    rng = random("growing_cache weights")
    g = Graph("growing_cache")
    g.input("prompt", FLOAT, ["past", WIDTH])
    g.input("token", INT64, [1])
    g.input("most", INT64, [])
    embedding = g.const(normal(rng, VOCABULARY, WIDTH))
    _, keys, _, tokens, likely = g.op("Loop", "most", g.const(True), "token", "prompt", "prompt", out=5,
                                      body=decode(g, embedding, rng))
    g.output(g.op("Identity", keys, out="last_keys"), FLOAT, ["length", WIDTH])
    g.output(g.op("Identity", tokens, out="tokens"), INT64, ["said"])
    g.output(g.op("Identity", likely, out="likely"), FLOAT, ["said", VOCABULARY])
    return g.model()


def cases():
    rng = random("growing_cache data")
    for past, most in [(4, 12), (1, 30), (7, 1), (3, 5), (2, 0)]:
        yield Case({"prompt": normal(rng, past, WIDTH), "token": rng.integers(1, VOCABULARY, 1), "most": np.array(most, np.int64)})
