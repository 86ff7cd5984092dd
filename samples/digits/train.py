#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digit classifier and writes what this folder ships: train.py (needs scikit-learn, onnx, onnxruntime).

The network is a small CNN over 8x8 grey images (scikit-learn's handwritten digits), trained here in plain numpy with
Adam. Written: digits.onnx (any batch size, pixels 0..16), images.npy and labels.npy (test images the training never
saw), and test_data_set_0 and _1 with ONNX Runtime's answers for `cameo verify`. Seeds are fixed; the committed files
came from one run of this script.
"""
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent
CHANNELS = (12, 24)
CLASSES = 10
TEST_SIZE = 360
SHIPPED = 48
EPOCHS = 60
BATCH = 32


def patches(x):
    """The 3x3 neighbourhood of every pixel, zeros outside: [n, c, h, w] -> [n, h, w, 9 * c]."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(*x.shape[:1], *x.shape[2:], -1)


class Conv:
    """A 3x3 convolution that keeps the size, and the Relu after it."""

    def __init__(self, rng, inputs, outputs):
        scale = (2 / (9 * inputs)) ** 0.5
        self.weight = rng.standard_normal((outputs, inputs, 3, 3)).astype(np.float32) * scale
        self.bias = np.zeros(outputs, np.float32)

    def forward(self, x):
        self.patches = patches(x)
        y = self.patches @ self.weight.reshape(len(self.bias), -1).T + self.bias
        self.positive = y > 0
        return np.where(self.positive, y, 0).transpose(0, 3, 1, 2)

    def backward(self, gradient):
        gradient = np.where(self.positive, gradient.transpose(0, 2, 3, 1), 0)
        flat = gradient.reshape(-1, len(self.bias))
        self.d_weight = (flat.T @ self.patches.reshape(len(flat), -1)).reshape(self.weight.shape)
        self.d_bias = flat.sum(axis=0)
        turned = self.weight[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
        back = patches(gradient.transpose(0, 3, 1, 2)) @ turned.reshape(len(turned), -1).T
        return back.transpose(0, 3, 1, 2)


class MaxPool:
    """The larger of every 2x2 pixels; ties share the gradient."""

    def forward(self, x):
        n, c, h, w = x.shape
        blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = blocks.max(axis=(3, 5))
        chosen = blocks == y[:, :, :, None, :, None]
        self.share = chosen / chosen.sum(axis=(3, 5), keepdims=True)
        return y

    def backward(self, gradient):
        spread = self.share * gradient[:, :, :, None, :, None]
        n, c, h, _, w, _ = spread.shape
        return spread.reshape(n, c, 2 * h, 2 * w).astype(np.float32)


class Linear:
    def __init__(self, rng, inputs, outputs):
        self.weight = rng.standard_normal((inputs, outputs)).astype(np.float32) * inputs**-0.5
        self.bias = np.zeros(outputs, np.float32)

    def forward(self, x):
        self.shape = x.shape
        self.x = x.reshape(len(x), -1)
        return self.x @ self.weight + self.bias

    def backward(self, gradient):
        self.d_weight = self.x.T @ gradient
        self.d_bias = gradient.sum(axis=0)
        return (gradient @ self.weight.T).reshape(self.shape)


class Adam:
    def __init__(self, layers):
        self.slots = [(layer, name) for layer in layers for name in ("weight", "bias")]
        self.first = [np.zeros_like(getattr(*slot)) for slot in self.slots]
        self.second = [np.zeros_like(getattr(*slot)) for slot in self.slots]
        self.step = 0

    def update(self, rate):
        self.step += 1
        for (layer, name), m, v in zip(self.slots, self.first, self.second):
            gradient = getattr(layer, "d_" + name)
            m += 0.1 * (gradient - m)
            v += 0.001 * (gradient**2 - v)
            getattr(layer, name)[...] -= rate * (m / (1 - 0.9**self.step)) / \
                (np.sqrt(v / (1 - 0.999**self.step)) + 1e-8)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def nudged(images, rng):
    """The images, each moved by up to one pixel along each axis: the one augmentation that a digit survives."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    down, right = rng.choice(3, (2, len(images)), p=[0.2, 0.6, 0.2])
    rows = down[:, None, None] + np.arange(8)[None, :, None]
    columns = right[:, None, None] + np.arange(8)[None, None, :]
    return padded[np.arange(len(images))[:, None, None], 0, rows, columns][:, None]


def train(images, labels, rng):
    layers = [Conv(rng, 1, CHANNELS[0]), MaxPool(), Conv(rng, *CHANNELS), Linear(rng, CHANNELS[1] * 16, CLASSES)]
    adam = Adam([layer for layer in layers if hasattr(layer, "weight")])
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        for start in range(0, len(order), BATCH):
            rows = order[start:start + BATCH]
            x = nudged(images[rows], rng) / np.float32(16)
            for layer in layers:
                x = layer.forward(x)
            gradient = softmax(x)
            gradient[np.arange(len(rows)), labels[rows]] -= 1
            gradient /= len(rows)
            for layer in reversed(layers):
                gradient = layer.backward(gradient)
            adam.update(0.002 * (1 - epoch / EPOCHS))
    return layers


def export(layers):
    first, _, second, linear = layers
    weights = {"stem_weight": first.weight, "stem_bias": first.bias, "body_weight": second.weight,
               "body_bias": second.bias, "head_weight": linear.weight, "head_bias": linear.bias,
               "white": np.float32(16)}
    same = dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    nodes = [
        helper.make_node("Div", ["image", "white"], ["scaled"], name="scale"),
        helper.make_node("Conv", ["scaled", "stem_weight", "stem_bias"], ["stem_out"], name="stem", **same),
        helper.make_node("Relu", ["stem_out"], ["stem_active"], name="stem_relu"),
        helper.make_node("MaxPool", ["stem_active"], ["pooled"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["pooled", "body_weight", "body_bias"], ["body_out"], name="body", **same),
        helper.make_node("Relu", ["body_out"], ["body_active"], name="body_relu"),
        helper.make_node("Flatten", ["body_active"], ["features"], name="flatten"),
        helper.make_node("Gemm", ["features", "head_weight", "head_bias"], ["scores"], name="head"),
        helper.make_node("Softmax", ["scores"], ["probabilities"], name="softmax", axis=1),
        helper.make_node("ArgMax", ["scores"], ["digit"], name="best", axis=1, keepdims=0),
    ]
    graph = helper.make_graph(
        nodes, "digits", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", CLASSES]),
         helper.make_tensor_value_info("digit", TensorProto.INT64, ["batch"])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="samples/digits")
    model.ir_version = 8
    onnx.checker.check_model(model, full_check=True)
    return model


def write_data_set(number, images, outputs):
    folder = HERE / f"test_data_set_{number}"
    folder.mkdir(exist_ok=True)
    files = {"input_0": ("image", images), "output_0": ("probabilities", outputs[0]), "output_1": ("digit", outputs[1])}
    for file, (name, array) in files.items():
        (folder / f"{file}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())


def main():
    rng = np.random.default_rng(1)
    digits = load_digits()
    images = digits.images.astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    order = rng.permutation(len(images))
    test, rest = order[:TEST_SIZE], order[TEST_SIZE:]

    model = export(train(images[rest], labels[rest], rng))
    onnx.save(model, HERE / "digits.onnx")
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for name, rows in [("training", rest), ("test", test)]:
        predicted = session.run(["digit"], {"image": images[rows]})[0]
        print(f"{name}: {np.mean(predicted == labels[rows]):.2%} of {len(rows)} images right")

    shipped = test[:SHIPPED]
    np.save(HERE / "images.npy", images[shipped])
    np.save(HERE / "labels.npy", labels[shipped])
    for number, rows in enumerate([shipped, shipped[:1]]):
        write_data_set(number, images[rows], session.run(None, {"image": images[rows]}))


if __name__ == "__main__":
    main()
