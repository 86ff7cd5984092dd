#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of this folder as paddle2onnx 2.1 writes them from Paddle 3.0: make.py [NAME...]. They are made once and kept:
NAME.onnx, and NAME.npz with inputs and Paddle's outputs."""
import sys
from pathlib import Path

import numpy as np
import onnx
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.static import InputSpec

HERE = Path(__file__).resolve().parent


class Mobile(nn.Layer):
    """Depthwise blocks with a gate by channels, as PP-LCNet has them."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 8, 3, stride=2, padding=1, bias_attr=False), nn.BatchNorm2D(8), nn.Hardswish())
        self.depthwise = nn.Sequential(nn.Conv2D(8, 8, 5, padding=2, groups=8), nn.BatchNorm2D(8), nn.ReLU6())
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2D(1), nn.Conv2D(8, 4, 1), nn.ReLU(), nn.Conv2D(4, 8, 1), nn.Hardsigmoid())
        self.head = nn.Linear(8, 5)

    def forward(self, image):
        y = self.depthwise(self.stem(image))
        y = F.max_pool2d(y * self.gate(y), 3, 2, 1, ceil_mode=True)
        return F.softmax(self.head(paddle.flatten(F.adaptive_avg_pool2d(y, 1), 1)))


class Recognizer(nn.Layer):
    """Text in a line: convolutions, the width as time, two directions."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 8, 3, stride=(4, 2), padding=1)
        self.lstm = nn.LSTM(16, 6, num_layers=2, direction="bidirect")
        self.head = nn.Linear(12, 10)

    def forward(self, image):
        y = F.relu(self.conv(image)).transpose([0, 3, 1, 2]).flatten(2)
        y, _ = self.lstm(y)
        return F.softmax(self.head(y), -1)


class Gru(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words, self.gru = nn.Embedding(20, 6), nn.GRU(6, 5)

    def forward(self, tokens, state):
        return self.gru(self.words(tokens), state)


class Encoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(30, 16), nn.Embedding(32, 16)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 24, activation="gelu"), 2)

    def forward(self, tokens, mask):
        x = self.words(tokens) + self.places(paddle.arange(tokens.shape[1]))
        return self.layers(x, (1.0 - mask.unsqueeze([1, 2])) * -1e4)


class Detector(nn.Layer):
    """Boxes of a grid as YOLO has them, and the best of them."""

    def forward(self, y, size):
        boxes, scores = paddle.vision.ops.yolo_box(y, size, [10, 13, 16, 30], 2, 0.01, 8)
        best, places = paddle.topk(scores.max(-1), 6)
        return boxes, scores, best, places


class Resized(nn.Layer):
    def forward(self, image):
        y = F.interpolate(image, scale_factor=2, mode="bilinear", align_corners=False)
        z = F.interpolate(y, size=[9, 7], mode="bicubic", align_corners=True)
        return y, z, F.interpolate(image, scale_factor=2, mode="nearest"), F.pixel_shuffle(y, 2)


class Warped(nn.Layer):
    def forward(self, image, grid):
        return (F.grid_sample(image, grid, padding_mode="border", align_corners=False),
                F.grid_sample(image, grid, "nearest", "reflection"))


class Regions(nn.Layer):
    def forward(self, image, boxes, counts):
        return paddle.vision.ops.roi_align(image, boxes, counts, 3, spatial_scale=0.5)


class Deformed(nn.Layer):
    """A convolution that reads where the image says."""

    def __init__(self):
        super().__init__()
        self.offsets = nn.Conv2D(4, 18, 3, padding=1)
        self.masks = nn.Conv2D(4, 9, 3, padding=1)
        self.deformed = paddle.vision.ops.DeformConv2D(4, 4, 3, padding=1)

    def forward(self, image):
        return self.deformed(image, 0.3 * self.offsets(image), F.sigmoid(self.masks(image)))


class Scattered(nn.Layer):
    def forward(self, x, rows, values):
        y = paddle.scatter(x, rows, values, overwrite=True)
        z = paddle.scatter_nd_add(x, rows.unsqueeze(1), values)
        return y, paddle.where(z > 0, z, paddle.flip(z, [1])), paddle.cumsum(z, 1), paddle.argsort(y, 1, descending=True)


class Einsums(nn.Layer):
    def __init__(self):
        super().__init__()
        self.weight = self.create_parameter([2, 6, 4])
        self.groups = nn.GroupNorm(2, 4)

    def forward(self, image):
        y = self.groups(image)
        mixed = paddle.einsum("bhid,hde->bhie", y[:, :2], self.weight)
        return F.softmax(paddle.einsum("bhie,bhje->bij", mixed, mixed)), F.unfold(y, 3, 3, 1)


class Branches(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        if paddle.sum(x) > 0:
            y = self.b(F.relu(self.a(x)))
        else:
            y = self.a(x) - 1
        return F.log_softmax(y)


class Repeated(nn.Layer):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x):
        count = paddle.zeros([1], "int64")
        while count < 5:
            x = F.tanh(self.step(x)) * 0.5
            count = count + 1
        return x


class Upsampled(nn.Layer):
    def __init__(self):
        super().__init__()
        self.up, self.conv = nn.Conv2DTranspose(4, 6, 3, stride=2, padding=1, output_padding=1), nn.Conv2D(6, 8, 3, padding=1)
        self.norm, self.slope = nn.InstanceNorm2D(6), nn.PReLU(8)

    def forward(self, x):
        y = F.pad(F.elu(self.norm(self.up(x))), [1, 1, 1, 1], mode="reflect")
        return F.sigmoid(self.slope(self.conv(y))), F.avg_pool2d(y, 2), F.mish(y).max(1)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


paddle.seed(0)
rng = np.random.default_rng(0)
# By name: the layer, its inputs and their shapes.
MODELS = {
    "mobile": (Mobile(), [floats(2, 3, 20, 24)], [[None, 3, None, None]]),
    "recognizer": (Recognizer(), [floats(2, 3, 8, 20)], [[None, 3, 8, None]]),
    "gru": (Gru(), [rng.integers(0, 20, (2, 7)), floats(1, 2, 5)], [[None, None], [1, None, 5]]),
    "encoder": (Encoder(), [rng.integers(0, 30, (2, 7)), np.float32([[1] * 7, [1] * 4 + [0] * 3])], [[None, None], [None, None]]),
    "detector": (Detector(), [floats(1, 14, 4, 4), np.array([[32, 32]], np.int32)], [[1, 14, 4, 4], [1, 2]]),
    "resized": (Resized(), [floats(1, 4, 6, 8)], [[None, 4, 6, 8]]),
    "warped": (Warped(), [floats(2, 2, 6, 8), floats(2, 5, 4, 2) * 0.7], [[None, 2, 6, 8], [None, 5, 4, 2]]),
    "regions": (Regions(), [floats(1, 4, 8, 8), rng.random((3, 4)).astype(np.float32).cumsum(1) * 6, np.array([3], np.int32)],
                [[1, 4, 8, 8], [3, 4], [1]]),
    "deformed": (Deformed(), [floats(1, 4, 8, 8)], [[1, 4, 8, 8]]),
    "scattered": (Scattered(), [floats(5, 6), np.array([4, 0, 2]), floats(3, 6)], [[5, 6], [3], [3, 6]]),
    "einsums": (Einsums(), [floats(2, 4, 6, 6)], [[None, 4, 6, 6]]),
    "branches": (Branches(), [floats(3, 6)], [[None, 6]]),
    "repeated": (Repeated(), [floats(3, 4)], [[None, 4]]),
    "upsampled": (Upsampled(), [floats(2, 4, 5, 4)], [[None, 4, 5, 4]]),
}


def make(name):
    layer, values, shapes = MODELS[name]
    layer.eval()
    keys = [f"in_{number}" for number in range(len(values))]
    results = layer(*map(paddle.to_tensor, values))
    specs = [InputSpec(shape, str(value.dtype), key) for key, value, shape in zip(keys, values, shapes)]
    paddle.onnx.export(layer, str(HERE / name), input_spec=specs, opset_version=18)
    flat = []
    for result in results if isinstance(results, (tuple, list)) else [results]:
        flat.extend(result if isinstance(result, (tuple, list)) else [result])
    graph = onnx.load(HERE / f"{name}.onnx").graph
    np.savez(HERE / f"{name}.npz", **{each.name: value for each, value in zip(graph.input, values)},
             **{each.name: value.numpy() for each, value in zip(graph.output, flat)})


for each in sys.argv[1:] or MODELS:
    make(each)
