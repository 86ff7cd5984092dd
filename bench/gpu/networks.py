# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the table: those of bench/versus and larger ones made of the same parts, each in 32 and in 16 bits, and some in 4."""
import sys
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "versus"))
import models  # noqa: E402
from graph import FLOAT, Graph, normal, random  # noqa: E402  (tests/models, whose path models has added)


def whisper_encoder(width=768, heads=12, layers=12, frames=3000, mels=80):
    """The encoder of Whisper-small: two convolutions over time, the second of which takes every other frame, then blocks
    with a normalisation in front."""
    rng = random("whisper encoder")
    g = Graph("whisper_encoder")
    x, inputs, tokens = g.input("mel", FLOAT, [1, mels, frames]), mels, frames // 2
    for stride in (1, 2):
        weight = g.const(normal(rng, width, inputs, 3, scale=(3 * inputs)**-0.5))
        x = g.op("Gelu", g.op("Conv", x, weight, g.const(normal(rng, width, scale=0.1)), strides=[stride], pads=[1, 1]))
        inputs = width
    x = g.op("Add", g.op("Transpose", x, perm=[0, 2, 1]), g.const(normal(rng, tokens, width)))
    for _ in range(layers):
        merged = models.attention(g, models.layer_norm(g, x, rng, width), rng, width, heads, tokens)
        x = g.op("Add", x, models.linear(g, merged, rng, width, width))
        x = g.op("Add", x, models.feed_forward(g, models.layer_norm(g, x, rng, width), rng, width))
    g.op("Identity", models.layer_norm(g, x, rng, width), out="state")
    g.output("state", FLOAT, [1, tokens, width])
    return g.model()


def upsampler(name, inputs, layers):
    """Transposed convolutions, each of half as many channels: (taps, stride, pad) along every axis of what is behind the channels."""
    rng = random(name)
    g = Graph(name)
    x, channels = g.input("x", FLOAT, [1, *inputs]), inputs[0]
    axes = len(inputs) - 1
    for taps, stride, pad in layers:
        weight = g.const(normal(rng, channels, channels // 2, *[taps] * axes, scale=(channels * taps**axes)**-0.5))
        channels //= 2
        x = g.op("Relu", g.op("ConvTranspose", x, weight, g.const(normal(rng, channels, scale=0.1)), strides=[stride] * axes,
                              pads=[pad] * 2 * axes))
    g.op("Identity", x, out="y")
    g.output("y", FLOAT, [1, channels, *[None] * axes])
    return g.model()


def damp_sums(model):
    """Scales normalisations in front of a sum, so that random weights let sums grow slowly: in halves those of 16 blocks would
    be infinite."""
    makers = {name: node for node in model.graph.node for name in node.output}
    initializers = {i.name: i for i in model.graph.initializer}
    terms = {name for node in model.graph.node if node.op_type in ("Add", "Sum") for name in node.input}
    for node in (makers[name] for name in terms if name in makers):
        for name in node.input[1:3] if node.op_type == "BatchNormalization" else ():
            damped = numpy_helper.to_array(initializers[name]) * np.float32(0.5**0.5)
            initializers[name].CopyFrom(numpy_helper.from_array(damped, name))
    return model


NETWORKS = {
    "resnet18": models.resnet18,
    "resnet50": lambda: damp_sums(models.light("resnet50")),
    "mobilenet_v2": models.mobilenet_v2,
    "vit_b": lambda: models.vit(width=768, heads=12),
    "bert_base_s128": models.MODELS["bert_base"],
    "bert_base_s384": lambda: models.bert("bert_base", 768, 12, 12, sequence=384),
    # Two layers of sixteen of a decoder of 1.2e9 weights, without its vocabulary.
    "decoder_1b": lambda: models.llama_step(width=2048, heads=32, kv_heads=8, layers=2, hidden=8192, past=511),
    "whisper_small_encoder": whisper_encoder,
    "lstm": models.lstm,
    # A decoder of images of 224 x 224, and what makes 128 samples of a frame in a vocoder.
    "image_decoder": lambda: upsampler("image_decoder", (512, 14, 14), 4 * [(4, 2, 1)]),
    "vocoder": lambda: upsampler("vocoder", (512, 64), [(16, 8, 4), (16, 8, 4), (4, 2, 1)]),
}
# Floats and halves of all; matrices of 4 bits beside halves of what is quantised so.
CASES = [(name, bits) for bits in (32, 16) for name in NETWORKS] + [("decoder_1b", 4)]


def make(name, bits):
    model = NETWORKS[name]()
    if bits == 32:
        return model
    model = halve(model)
    return model if bits == 16 else code_matrices(model, block=32)


def halve(model):
    """The model all in half precision."""
    from onnxruntime.transformers.float16 import convert_float_to_float16
    return convert_float_to_float16(model, keep_io_types=False, min_positive_val=float(np.finfo(np.float16).tiny))


def code_matrices(model, block):
    """The constant matrices of MatMul as MatMulNBits has them, of random codes of 4 bits in blocks of rows."""
    graph, rng = model.graph, random("codes")
    matrices = {i.name: i for i in graph.initializer if len(i.dims) == 2 and i.dims[0] % block == 0}
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in matrices:
            continue
        depth, columns = matrices[node.input[1]].dims
        blocks, name = depth // block, node.input[1]
        scales = (rng.random(columns * blocks) / block / depth**0.5).astype(np.float16)
        graph.initializer.append(numpy_helper.from_array(rng.integers(0, 256, (columns, blocks, block // 2)).astype(np.uint8), f"{name}_codes"))
        graph.initializer.append(numpy_helper.from_array(scales, f"{name}_scales"))
        node.CopyFrom(helper.make_node("MatMulNBits", [node.input[0], f"{name}_codes", f"{name}_scales"], node.output, name=node.name,
                                       domain="com.microsoft", K=depth, N=columns, bits=4, block_size=block))
    read = {name for node in graph.node for name in node.input}
    kept = [initializer for initializer in graph.initializer if initializer.name in read]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


def inputs_of(model, name):
    """Arrays by the names of the inputs, of which halves are given as floats."""
    return models.inputs_of(model, name)
