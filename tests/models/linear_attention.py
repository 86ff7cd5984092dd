# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention by a state, by every rule and in every form that its operands have: with a past or without, a decay and a rate
for each head or for its elements, heads of queries that share a state, halves; no token at all, one, and many."""
import numpy as np
from graph import FLOAT, FLOAT16, Case, Graph, normal, random

# ONNX Runtime does not have the operator.
ORACLE = "reference"
HEADS, SHARED, KEYS, VALUES = 2, 3, 4, 6


def build():
    g = Graph("linear_attention")
    g.input("query", FLOAT, ["B", "T", HEADS * SHARED * KEYS])
    g.input("key", FLOAT, ["B", "T", HEADS * KEYS])
    g.input("value", FLOAT, ["B", "T", HEADS * VALUES])
    g.input("past", FLOAT, ["B", HEADS, KEYS, VALUES])
    g.input("decay", FLOAT, ["B", "T", HEADS * KEYS])
    g.input("head_decay", FLOAT, ["B", "T", HEADS])
    g.input("beta", FLOAT, ["B", "T", HEADS])
    g.input("one_beta", FLOAT, ["B", "T", 1])
    g.input("wide_decay", FLOAT, ["B", "T", "D"])
    g.input("wide_query", FLOAT, ["B", "T", "Q"])

    def attend(out, *operands, dtype=FLOAT, heads=HEADS * SHARED, **attributes):
        output, state = g.op("LinearAttention", *operands, out=[out, f"{out}_state"], name=out, q_num_heads=heads,
                             kv_num_heads=HEADS, **attributes)
        g.output(output, dtype, ["B", "T", heads * VALUES])
        g.output(state, dtype, ["B", HEADS, KEYS, VALUES])

    rows = ("query", "key", "value")
    attend("linear", *rows, update_rule="linear")
    attend("gated", *rows, "past", "decay", update_rule="gated", scale=0.3)
    attend("delta", *rows, "", "", "one_beta", update_rule="delta")
    attend("gated_delta", *rows, "past", "head_decay", "beta")
    attend("open_decay", "wide_query", "key", "value", "past", "wide_decay", "beta", heads=HEADS)
    halves = [g.op("Cast", name, to=FLOAT16) for name in (*rows, "past", "decay", "beta")]
    attend("halves", *halves, dtype=FLOAT16)
    return g.model(opset=27, ir_version=13)


def cases():
    rng = random("linear_attention data")

    def data(batch, tokens, decays):
        def draw(*sizes, scale=0.5):
            return normal(rng, batch, tokens, *sizes, scale=scale)

        def rate(*sizes):
            return rng.random((batch, tokens, *sizes), np.float32)

        return {"query": draw(HEADS * SHARED * KEYS), "key": draw(HEADS * KEYS), "value": draw(HEADS * VALUES),
                "past": normal(rng, batch, HEADS, KEYS, VALUES), "decay": -rate(HEADS * KEYS),
                "head_decay": -rate(HEADS), "beta": rate(HEADS), "one_beta": rate(1), "wide_decay": -rate(decays),
                "wide_query": draw(HEADS * KEYS)}

    yield Case(data(2, 5, HEADS))
    yield Case(data(1, 1, HEADS * KEYS))
    yield Case(data(3, 17, HEADS * KEYS))
    yield Case(data(2, 0, HEADS))
    yield Case(data(0, 3, HEADS))
    yield Case(data(2, 3, 2 * HEADS), status="INVALID_ARGUMENT open_decay")
    yield Case(data(1, 2, HEADS))
