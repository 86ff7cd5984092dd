# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention by everything that may hide a key: masks of bools and of floats, shorter than the keys too, causality behind a
cache, windows, and a cache of which a part is valid; rows that see nothing are zeros."""
import numpy as np
from graph import BOOL, FLOAT, INT64, Case, Graph, normal, random

HEADS, KEY_HEADS, SIZE = 4, 2, 6
# Attention of opset 25, with windows, is newer than ONNX Runtime 1.31.
ORACLE = "reference"


def build():
    g = Graph("attention_masks")
    g.input("q", FLOAT, ["batch", HEADS, "queries", SIZE])
    for name in ("k", "v"):
        g.input(name, FLOAT, ["batch", KEY_HEADS, "keys", SIZE])
    g.input("bools", BOOL, ["queries", "seen"])
    g.input("floats", FLOAT, ["batch", 1, "queries", "keys"])
    g.input("valid", INT64, ["batch"])
    result = ["batch", HEADS, "queries", SIZE]

    def attend(name, *operands, scores=False, **attributes):
        names = [name] + ([g.fresh("k"), g.fresh("v"), f"{name}_scores"] if scores else [])
        g.op("Attention", *operands, out=names, **attributes)
        g.output(name, FLOAT, result)
        if scores:
            g.output(names[3], FLOAT, ["batch", HEADS, "queries", "keys"])

    attend("short_mask", "q", "k", "v", "bools", scale=0.3)
    attend("added_mask", "q", "k", "v", "floats", softcap=2.0, scores=True, qk_matmul_output_mode=2)
    attend("causal", "q", "k", "v", is_causal=1, scores=True, qk_matmul_output_mode=3)
    attend("window", "q", "k", "v", left_window_size=1, right_window_size=1)
    attend("causal_window", "q", "k", "v", "bools", is_causal=1, left_window_size=2)
    attend("part", "q", "k", "v", "", "", "", "valid", is_causal=1, softcap=3.0)

    g.input("token", FLOAT, ["batch", KEY_HEADS, "new", SIZE])
    g.input("at", INT64, ["batch"])
    for mode in ("linear", "circular"):
        g.op("TensorScatter", "k", "token", "at", out=f"cache_{mode}", mode=mode)
        g.output(f"cache_{mode}", FLOAT, ["batch", KEY_HEADS, "keys", SIZE])
    return g.model(opset=25, ir_version=12)


def cases():
    rng = random("attention_masks data")
    for batch, queries, keys, seen, new in [(2, 3, 5, 4, 2), (1, 1, 1, 1, 1), (3, 6, 4, 4, 1)]:
        bools = rng.random((queries, seen)) < 0.6
        bools[0] = False  # sees nothing
        floats = normal(rng, batch, 1, queries, keys)
        floats[0, 0, -1] = -np.inf
        yield Case({"q": normal(rng, batch, HEADS, queries, SIZE), "k": normal(rng, batch, KEY_HEADS, keys, SIZE),
                    "v": normal(rng, batch, KEY_HEADS, keys, SIZE), "bools": bools, "floats": floats,
                    "valid": rng.integers(1, keys + 1, batch), "token": normal(rng, batch, KEY_HEADS, new, SIZE),
                    "at": rng.integers(0, keys - new + 1, batch)})
