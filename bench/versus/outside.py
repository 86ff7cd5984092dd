#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks that others wrote, exported by PyTorch with open dims, and inputs for them: outside.py FOLDER [NAME...].

Takes torch, torchvision, transformers and onnxscript. Weights are random, by a seed: nothing is downloaded. Statistics of norms are those of
random inputs, so that no layer is degenerate. bench/versus/files times what this writes: NAME.onnx and NAME.npz."""
import argparse
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

SEED = 51


class Named(nn.Module):
    """One result of a network that returns several by name."""

    def __init__(self, network, name):
        super().__init__()
        self.network, self.name = network, name

    def forward(self, x):
        return self.network(x)[self.name]


class FrontEnd(nn.Module):
    """A sound's spectrogram, mel bands, logarithms, and an encoder of 1-D convolutions and attention, as Whisper has it."""

    def __init__(self, bands=80, width=256, heads=4, window=400, hop=160):
        super().__init__()
        self.window, self.hop = window, hop
        self.register_buffer("hann", torch.hann_window(window))
        self.register_buffer("mel", torch.rand(bands, window // 2 + 1) / window)
        self.first = nn.Conv1d(bands, width, 3, padding=1)
        self.second = nn.Conv1d(width, width, 3, stride=2, padding=1)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, 0, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, sound):
        spectrum = torch.stft(sound, self.window, self.hop, window=self.hann, return_complex=True)
        parts = torch.view_as_real(spectrum)
        mel = self.mel @ parts.square().sum(-1)
        x = torch.clamp(mel, min=1e-10).log10()
        x = functional.gelu(self.first(x))
        x = functional.gelu(self.second(x))
        return self.encoder(x.transpose(1, 2))


class Detector(nn.Module):
    """A picture of any size, resized and normalised, a pyramid of features, and heads over all its levels."""

    def __init__(self):
        super().__init__()
        from torchvision.models.detection import retinanet
        from torchvision.models.detection.backbone_utils import mobilenet_backbone
        backbone = mobilenet_backbone(backbone_name="mobilenet_v3_large", fpn=True, weights=None, trainable_layers=6,
                                      norm_layer=nn.BatchNorm2d)
        self.backbone, self.head = backbone, retinanet.RetinaNetHead(backbone.out_channels, 3, 20)
        self.register_buffer("mean", torch.tensor([0.485, 0.456, 0.406]).reshape(1, 3, 1, 1))
        self.register_buffer("deviation", torch.tensor([0.229, 0.224, 0.225]).reshape(1, 3, 1, 1))

    def forward(self, image):
        x = functional.interpolate(image, size=(320, 320), mode="bilinear", align_corners=False)
        found = self.head(list(self.backbone((x - self.mean) / self.deviation).values()))
        return found["cls_logits"].sigmoid(), found["bbox_regression"]


def make_convnext():
    import torchvision
    network = torchvision.models.convnext_tiny()
    for name, parameter in network.named_parameters():
        if name.endswith("layer_scale"):  # 1e-6 would hide the blocks
            nn.init.uniform_(parameter, 0.2, 0.6)
    return network, [torch.randn(1, 3, 224, 224)], [image_dims(32)]


def make_deeplab():
    import torchvision
    network = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None)
    return Named(network, "out"), [torch.randn(1, 3, 256, 256)], [image_dims(16)]


def make_segformer():
    import transformers
    network = transformers.SegformerForSemanticSegmentation(transformers.SegformerConfig(num_labels=150))
    return Named(network, "logits"), [torch.randn(1, 3, 256, 256)], [image_dims(32)]


def make_swin():
    import torchvision
    return torchvision.models.swin_t(), [torch.randn(1, 3, 224, 224)], [{0: Dim("batch", min=1, max=64)}]


def make_vocoder():
    import transformers
    network = transformers.SpeechT5HifiGan(transformers.SpeechT5HifiGanConfig())
    for name, parameter in network.named_parameters():
        if parameter.dim() == 3:  # 0.01 would leave silence
            nn.init.normal_(parameter, 0, (parameter.shape[1] * parameter.shape[2]) ** -0.5)
    return network, [torch.randn(1, 64, 80)], [{0: Dim("batch", min=1, max=64), 1: Dim("length", min=2, max=4096)}]


def make_front_end():
    return FrontEnd(), [torch.randn(1, 32000) * 0.1], [{0: Dim("batch", min=1, max=64), 1: 320 * Dim("steps", min=2, max=4096)}]


def make_detector():
    return Detector(), [torch.rand(1, 3, 480, 640)], [{0: Dim("batch", min=1, max=64), 2: Dim("height", min=64, max=4096),
                                                       3: Dim("width", min=64, max=4096)}]


def image_dims(step):
    return {0: Dim("batch", min=1, max=64), 2: step * Dim("rows", min=2, max=128), 3: step * Dim("columns", min=2, max=128)}


NETWORKS = {"convnext_tiny": make_convnext, "deeplab_mobilenet": make_deeplab, "segformer_b0": make_segformer, "swin_tiny": make_swin,
            "hifigan": make_vocoder, "speech_front_end": make_front_end, "retinanet_mobilenet": make_detector}


def settle_norms(network, inputs):
    """Statistics of batch norms from random inputs, and scales and shifts that are none of ones and zeros."""
    norms = [module for module in network.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        if norm.affine:
            nn.init.uniform_(norm.weight, 0.6, 1.4)
            nn.init.normal_(norm.bias, 0, 0.2)
    if norms:
        network.train()
        with torch.no_grad():
            for _ in range(2):
                network(*[torch.cat([torch.randn_like(x)] * 2) for x in inputs])
    network.eval()


def has_open_dims(path):
    import onnx
    graph = onnx.load(path, load_external_data=False).graph
    return all(any(dim.dim_param for dim in port.type.tensor_type.shape.dim) for port in graph.input)


def export(name, folder):
    torch.manual_seed(SEED)
    network, inputs, dims = NETWORKS[name]()
    settle_norms(network, inputs)
    names = [f"input_{number}" for number in range(len(inputs))]
    path = folder / f"{name}.onnx"
    try:
        torch.onnx.export(network, tuple(inputs), path, input_names=names, dynamo=True, dynamic_shapes=tuple(dims), external_data=False,
                          opset_version=18, verbose=False)
        way = "dynamo"
    except Exception as error:  # whatever torch.export meets
        print(f"{name}: the exporter by torch.export fails: {str(error).splitlines()[0][:300]}", flush=True)
        axes = {port: {axis: f"{port}_{axis}" for axis in of} for port, of in zip(names, dims)}
        torch.onnx.export(network, tuple(inputs), path, input_names=names, dynamo=False, dynamic_axes=axes, opset_version=18)
        way = "traced"
    assert has_open_dims(path), name
    np.savez(folder / f"{name}.npz", **{port: x.numpy() for port, x in zip(names, inputs)})
    print(f"{name}: {way}, {path.stat().st_size / 1e6:.1f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for name in options.names or NETWORKS:
        export(name, options.folder)


if __name__ == "__main__":
    main()
