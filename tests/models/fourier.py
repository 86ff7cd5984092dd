# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms: of real and complex signals, forth and back, along an axis and of a length that the run gives."""
import numpy as np

from graph import FLOAT, INT64, Case, Graph, normal, random


def build():
    g = Graph("fourier")
    g.input("x", FLOAT, ["b", "n", "m", 2])
    g.input("signal", FLOAT, ["b", "samples", 1])
    g.input("flat", FLOAT, ["b", "samples"])
    g.input("window", FLOAT, ["frame"])
    for name in ("axis", "length", "step"):
        g.input(name, INT64, [])
    forth = g.op("DFT", "x", "", g.const(1), out="forth")
    g.op("DFT", forth, "", g.const(1), inverse=1, out="back")
    g.op("DFT", "x", "length", "axis", out="along")
    half = g.op("DFT", "signal", onesided=1, out="half")
    g.op("DFT", half, g.op("Gather", g.op("Shape", "signal"), g.const(1)), inverse=1, onesided=1, out="whole")
    g.op("STFT", "signal", "step", "window", out="frames")
    g.op("STFT", "flat", "step", "window", out="flat_frames", onesided=0)
    for name, dims in [("forth", ["b", "n", "m", 2]), ("back", ["b", "n", "m", 2]), ("along", [None] * 4),
                       ("half", ["b", None, 2]), ("whole", ["b", None, 1]), ("frames", ["b", None, None, 2]),
                       ("flat_frames", ["b", None, None, 2])]:
        g.output(name, FLOAT, dims)
    return g.model(opset=20, ir_version=9)


def cases():
    rng = random("fourier data")

    def case(b, n, m, samples, frame, axis, length, step, **status):
        return Case({"x": normal(rng, b, n, m, 2), "signal": normal(rng, b, samples, 1),
                     "flat": normal(rng, b, samples), "window": normal(rng, frame),
                     "axis": np.array(axis), "length": np.array(length), "step": np.array(step)}, **status)

    yield case(2, 8, 5, 32, 8, 1, 8, 4)
    yield case(1, 3, 7, 17, 5, -2, 10, 3)
    yield case(3, 6, 1, 9, 9, 0, 2, 1)
    for wrong in [{"axis": 3}, {"axis": -5}, {"length": -1}, {"step": 0}, {"frame": 33}]:
        yield case(**{**dict(b=2, n=8, m=5, samples=32, frame=8, axis=1, length=8, step=4), **wrong}, status="INVALID_ARGUMENT")
    yield case(2, 1, 4, 16, 4, 2, 4, 7)
