#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of this folder as tf2onnx 1.17 writes them from TensorFlow 2.21: make.py [NAME...]. They are made once and kept:
NAME.onnx, and NAME.npz with inputs and TensorFlow's outputs."""
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
import tf2onnx
from keras import layers

HERE = Path(__file__).resolve().parent
keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)


def chain(shape, *parts, dtype="float32"):
    """A function of one input: layers one behind another, built once."""
    inputs = keras.Input(shape, dtype=dtype)
    y = inputs
    for part in parts:
        y = part(y)
    return keras.Model(inputs, y)


def mobile():
    def block(y):
        z = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(y)
        z = layers.ReLU(6.0)(layers.BatchNormalization()(z))
        return layers.Add()([y, layers.Conv2D(8, 1)(z)])
    return chain((None, None, 3), layers.ZeroPadding2D(((0, 1), (0, 1))), layers.Conv2D(8, 3, 2), layers.Activation("swish"),
                 block, layers.SeparableConv2D(12, 3, strides=2, padding="same"), layers.GlobalAveragePooling2D(), layers.Dense(4, "softmax"))


def unet():
    inputs = keras.Input((16, 16, 2))
    a = layers.Conv2D(4, 3, padding="same", activation="relu")(inputs)
    b = layers.Conv2D(8, 3, padding="same", dilation_rate=2, activation="elu")(layers.MaxPooling2D(2)(a))
    c = layers.Conv2DTranspose(4, 3, strides=2, padding="same")(b)
    d = layers.UpSampling2D(2, interpolation="bilinear")(b)
    return keras.Model(inputs, layers.Conv2D(2, 1, activation="sigmoid")(layers.Concatenate()([a, c, d])))


def attention():
    inputs = keras.Input((None,), dtype="int32")
    y = layers.Embedding(20, 16)(inputs)
    z = layers.MultiHeadAttention(4, 4)(y, y, use_causal_mask=True)
    y = layers.LayerNormalization()(y + z)
    z = keras.activations.gelu(layers.Dense(24)(y), approximate=True)
    return keras.Model(inputs, layers.LayerNormalization()(y + layers.Dense(16)(z)))


STEP = rng.standard_normal((4, 4)).astype(np.float32)
BANDS = rng.random((33, 10)).astype(np.float32)
MIXED = rng.standard_normal((2, 6, 4)).astype(np.float32)


def repeated(x):
    """Steps until they are small, or five."""
    def goes_on(count, y):
        return tf.logical_and(count < 5, tf.reduce_max(tf.abs(y)) > 0.01)

    def step(count, y):
        return count + 1, tf.tanh(y @ STEP) * 0.4

    return tf.while_loop(goes_on, step, (tf.constant(0), x))


def collected(x):
    """A row for each step, of a TensorArray."""
    rows = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=(4,))
    state = tf.zeros((4,))
    for row in tf.range(tf.shape(x)[0]):
        state = tf.tanh(state * 0.5 + x[row])
        rows = rows.write(row, state)
    return rows.stack()


def branches(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.nn.softmax(x @ STEP), lambda: tf.nn.relu(x) - 1)


def suppressed(boxes, scores):
    kept = tf.image.non_max_suppression(boxes, scores, 4, 0.5, 0.2)
    best, places = tf.math.top_k(scores, 3)
    return tf.gather(boxes, kept), best, tf.gather(boxes, places)


def spectrogram(sound):
    spectrum = tf.signal.stft(sound, 64, 32, fft_length=64)
    return tf.math.log(tf.maximum(tf.tensordot(tf.square(tf.abs(spectrum)), BANDS, 1), 1e-4))


def resized(image):
    big = tf.image.resize(image, (12, 10), "bilinear")
    return big, tf.image.resize(image, (9, 7), "nearest"), tf.nn.depth_to_space(big, 2)


def einsums(x):
    y = tf.einsum("bhid,hde->bhie", x, MIXED)
    z = tf.einsum("bhie,bhje->bij", y, y)
    return tf.nn.softmax(z), tf.linalg.band_part(z, -1, 0), tf.cumsum(y, 2, exclusive=True, reverse=True)


def scattered(x, rows, values):
    y = tf.tensor_scatter_nd_update(x, rows, values)
    z = tf.tensor_scatter_nd_add(x, rows, values)
    number = tf.one_hot(tf.argmax(y, 1), 6)
    return y[:, ::-1][1:, ::2], tf.scatter_nd(rows, values, tf.shape(x)), tf.where(z > 0, z, number), tf.roll(z, 1, 1)


def chosen(x):
    """As many rows as pass a test, and what is different."""
    rows = tf.boolean_mask(x, tf.reduce_sum(x, 1) > 0)
    numbers, places = tf.unique(tf.cast(x[:, 0] * 2, tf.int32))
    return rows, numbers, places, tf.reverse_sequence(x, tf.fill([tf.shape(x)[0]], 3), 1)


def floats(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def boxes(count):
    corners = rng.random((count, 2)).astype(np.float32)
    return np.concatenate([corners, corners + 0.5], 1)


# By name: the function, its inputs and their shapes; the operator set, the newest where it is none.
MODELS = {
    "mobile": (mobile(), [floats(2, 20, 24, 3)], [(None, None, None, 3)]),
    "unet": (unet(), [floats(1, 16, 16, 2)], [(None, 16, 16, 2)]),
    "lstm": (chain((None,), layers.Embedding(20, 8, mask_zero=False), layers.Bidirectional(layers.LSTM(6, return_sequences=True)),
                   layers.LSTM(5), dtype="int32"), [rng.integers(0, 20, (2, 7)).astype(np.int32)], [(None, None)]),
    "gru": (chain((None, 4), layers.GRU(6, return_sequences=True), layers.GRU(5, reset_after=False)), [floats(2, 7, 4)],
            [(None, None, 4)]),
    "attention": (attention(), [rng.integers(0, 20, (2, 6)).astype(np.int32)], [(None, None)]),
    "repeated": (repeated, [floats(3, 4)], [(None, 4)]),
    "collected": (collected, [floats(5, 4)], [(None, 4)]),
    "branches": (branches, [floats(3, 4)], [(None, 4)]),
    "suppressed": (suppressed, [boxes(8), rng.random(8).astype(np.float32)], [(None, 4), (None,)]),
    "spectrogram": (spectrogram, [floats(2, 320)], [(2, 320)]),
    "resized": (resized, [floats(1, 6, 8, 4)], [(None, 6, 8, 4)]),
    "einsums": (einsums, [floats(2, 2, 5, 6)], [(None, 2, None, 6)]),
    "scattered": (scattered, [floats(5, 6), np.array([[4], [0], [2]], np.int32), floats(3, 6)], [(None, 6), (3, 1), (3, 6)]),
    "chosen": (chosen, [floats(6, 4)], [(None, 4)]),
}


def make(name):
    function, values, shapes = MODELS[name]
    keys = [f"in_{number}" for number in range(len(values))]
    signature = [tf.TensorSpec(shape, value.dtype, key) for key, value, shape in zip(keys, values, shapes)]
    traced = tf.function(function, input_signature=signature)
    model, _ = tf2onnx.convert.from_function(traced, signature, opset=18, output_path=HERE / f"{name}.onnx")
    results = traced(*values)
    results = results if isinstance(results, (tuple, list)) else [results]
    outputs = [output.name for output in model.graph.output]
    np.savez(HERE / f"{name}.npz", **dict(zip(keys, values)), **{key: value.numpy() for key, value in zip(outputs, results)})


for each in sys.argv[1:] or MODELS:
    make(each)
