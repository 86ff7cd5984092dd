# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GridSample in every mode, with every padding, at places far outside the image. By the definition: where a pixel is missing,
padding moves that pixel's place, for the cubic kernel too, which ONNX Runtime and the reference evaluator do not agree on."""
import itertools
import math

import numpy as np
from graph import FLOAT, Case, Graph, random

WAYS = list(itertools.product(["linear", "nearest", "cubic"], ["zeros", "border", "reflection"], [0, 1]))
CUBIC = -0.75


def reflected(place, low, high):
    span = high - low
    if span == 0:
        return 0.0
    turns, rest = divmod(abs(place - low), span)
    return rest + low if turns % 2 == 0 else high - rest


def padded(place, size, padding, corners):
    """Where the pixel of a place is."""
    if padding == "reflection":
        place = reflected(place, 0, size - 1) if corners else reflected(place, -0.5, size - 0.5)
    return place if padding == "zeros" else min(max(place, 0), size - 1)


def cubic(t):
    def near(d):
        return (CUBIC + 2) * d**3 - (CUBIC + 3) * d**2 + 1

    def far(d):
        return CUBIC * (d**3 - 5 * d**2 + 8 * d - 4)
    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def kernel(place, mode):
    """Places and weights of the pixels that one axis takes."""
    if mode == "nearest":
        return [(np.rint(place), 1.0)]
    first = math.floor(place)
    weights = [first + 1 - place, place - first] if mode == "linear" else cubic(place - first)
    return [(first + i - (mode == "cubic"), weight) for i, weight in enumerate(weights)]


def sample(image, x, y, mode, padding, corners):
    """[channels] at a place of an image [channels, height, width]."""
    places = []
    for place, size in ((y, image.shape[1]), (x, image.shape[2])):
        place = (place + 1) / 2 * (size - 1) if corners else ((place + 1) * size - 1) / 2
        places.append(kernel(place if mode == "cubic" else padded(place, size, padding, corners), mode))
    result = np.zeros(image.shape[0])
    for (row, weight), (column, other) in itertools.product(*places):
        pixel = [int(padded(p, size, padding, corners)) for p, size in zip((row, column), image.shape[1:])]
        if all(0 <= p < size for p, size in zip(pixel, image.shape[1:])):
            result += weight * other * image[:, pixel[0], pixel[1]]
    return result


def ORACLE(model):
    def run(inputs):
        x, grid = inputs["x"].astype(np.float64), inputs["grid"].astype(np.float64)
        n, rows, columns, _ = grid.shape
        for mode, padding, corners in WAYS:
            result = np.zeros((n, x.shape[1], rows, columns), np.float32)
            for b, i, j in np.ndindex(n, rows, columns):
                result[b, :, i, j] = sample(x[b], *grid[b, i, j], mode, padding, corners)
            yield result
    return run


def build():
    g = Graph("grid_sample_borders")
    g.input("x", FLOAT, ["n", 2, "h", "w"])
    g.input("grid", FLOAT, ["n", "a", "b", 2])
    for mode, padding, corners in WAYS:
        name = f"{mode}_{padding}_{corners}"
        g.op("GridSample", "x", "grid", mode=mode, padding_mode=padding, align_corners=corners, out=name)
        g.output(name, FLOAT, ["n", 2, "a", "b"])
    return g.model(opset=20, ir_version=9)


def cases():
    rng = random("grid_sample_borders data")
    far = [[[[-.95, -.95], [.95, -.95], [-.95, .95], [.95, .95], [-1.3, .2], [2.7, -3.1], [.11, 1.07], [1.9, 1.9]]]]
    yield Case({"x": rng.uniform(-1, 1, (1, 2, 4, 4)).astype(np.float32), "grid": np.array(far, np.float32)})
    for n, h, w, a, b in [(2, 3, 6, 3, 4), (1, 1, 5, 2, 3)]:
        yield Case({"x": rng.uniform(-1, 1, (n, 2, h, w)).astype(np.float32),
                    "grid": rng.uniform(-2.2, 2.2, (n, a, b, 2)).astype(np.float32)})
