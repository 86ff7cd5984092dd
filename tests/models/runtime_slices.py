# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Slices and pads whose every operand is an input: which axes, from where, how far, in steps of either sign."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("runtime_slices")
    g.input("x", FLOAT, ["a", "b", 6])
    for name in ("starts", "ends", "axes", "steps"):
        g.input(name, INT64, [2])
    g.input("pads", INT64, [4])
    g.op("Slice", "x", "starts", "ends", "axes", "steps", out="part")
    g.op("Slice", g.op("Exp", "x"), "starts", "ends", "", "steps", out="first")
    g.op("Pad", "x", "pads", g.const(np.float32(7)), "axes", out="padded")
    for mode in ("edge", "wrap"):
        g.op("Neg", g.op("Pad", "x", "pads", "", "axes", mode=mode), out=mode)
    for name in ("part", "first", "padded", "edge", "wrap"):
        g.output(name, FLOAT, [None] * 3)
    return g.model(opset=19, ir_version=9)


def cases():
    rng = random("runtime_slices data")
    far = np.iinfo(np.int64)
    for a, b, starts, ends, axes, steps, pads in [
            (4, 5, (0, 1), (3, 4), (0, 1), (1, 1), (1, 0, 2, 3)),
            (3, 7, (-1, -2), (0, far.min), (1, 0), (-1, -2), (0, 1, 0, 0)),
            (5, 2, (1, 10), (1000, -10), (-1, 0), (2, -1), (3, 1, 1, 2)),
            (6, 3, (0, 5), (far.max, far.min), (2, -2), (far.max, far.min + 1), (1, 1, 1, 1)),
            (2, 6, (5, 1), (2, 1), (1, 2), (1, 3), (0, 0, 0, 0)),
            (4, 4, (-2, 3), (far.max, -5), (-3, -2), (1, -3), (2, 0, -1, -1)),
            (7, 3, (far.min, -1), (far.max, far.min), (0, 1), (1, far.min), (-2, 5, 6, -1))]:
        yield Case({"x": normal(rng, a, b, 6), "starts": np.array(starts), "ends": np.array(ends),
                    "axes": np.array(axes), "steps": np.array(steps), "pads": np.array(pads)})
    good = {"x": normal(rng, 3, 4, 6), "starts": np.array([0, 1]), "ends": np.array([2, 3]), "axes": np.array([1, 0]),
            "steps": np.array([1, 1]), "pads": np.array([0, 0, 1, 1])}
    for wrong in [{"axes": np.array([1, -2])}, {"axes": np.array([3, 0])}, {"steps": np.array([1, 0])},
                  {"pads": np.array([0, -9, 0, 0])}]:
        yield Case({**good, **wrong}, status="INVALID_ARGUMENT")
    yield Case(good)
