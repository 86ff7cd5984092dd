#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of this folder as torch.onnx writes them from torch.export (dynamo): make.py [NAME...]. They are made once and
kept: NAME.onnx, and NAME.npz with inputs and PyTorch's outputs."""
import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

HERE = Path(__file__).resolve().parent


class Cnn(nn.Module):
    """A trunk of plain, depthwise and dilated convolutions, with a residual and a gate by channels."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.Hardswish())
        self.depthwise = nn.Sequential(nn.Conv2d(8, 8, 5, padding=2, groups=8), nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 8, 1))
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.ReLU(), nn.Conv2d(4, 8, 1), nn.Hardsigmoid())
        self.dilated = nn.Conv2d(8, 12, 3, padding=2, dilation=2)
        self.head = nn.Linear(12, 5)

    def forward(self, image):
        y = self.stem(image)
        y = y + self.depthwise(y)
        y = F.max_pool2d(F.leaky_relu(self.dilated(y * self.gate(y))), 3, 2, 1)
        return self.head(F.adaptive_avg_pool2d(y, 1).flatten(1)).log_softmax(-1)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(12, 3)

    def forward(self, tokens):
        y, (h, _) = self.lstm(self.words(tokens))
        return self.head(y), h


class Gru(nn.Module):
    """A step with its state, and a mask over time."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(5, 8, batch_first=True)

    def forward(self, frames, lengths, state):
        y, state = self.gru(frames, state)
        mask = torch.arange(frames.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
        return (y * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1), state


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(30, 16), nn.Embedding(32, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 24, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, tokens, mask):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        return self.layers(x, src_key_padding_mask=mask == 0)


class Decoder(nn.Module):
    """A layer with a cache, rotary embedding, grouped heads and a gated projection, as in Llama."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(24, 16)
        self.q, self.k, self.v, self.o = nn.Linear(16, 16), nn.Linear(16, 8), nn.Linear(16, 8), nn.Linear(16, 16)
        self.norm, self.second = nn.RMSNorm(16), nn.RMSNorm(16)
        self.gate, self.up, self.down = nn.Linear(16, 24, False), nn.Linear(16, 24, False), nn.Linear(24, 16, False)
        self.register_buffer("frequencies", 100.0 ** -torch.arange(0, 1, 0.5))

    def rotate(self, x, places):
        angles = places[:, None] * self.frequencies
        angles = torch.cat([angles, angles], -1)
        a, b = x.chunk(2, -1)
        return x * angles.cos() + torch.cat([-b, a], -1) * angles.sin()

    def forward(self, tokens, past_keys, past_values):
        length, past = tokens.shape[1], past_keys.shape[2]
        x = self.words(tokens)
        places = torch.arange(past, past + length)
        heads = lambda y, count: y.unflatten(-1, (count, 4)).transpose(1, 2)  # noqa: E731
        y = self.norm(x)
        keys = torch.cat([past_keys, self.rotate(heads(self.k(y), 2), places)], 2)
        values = torch.cat([past_values, heads(self.v(y), 2)], 2)
        seen = torch.arange(past + length)[None, :] <= places[:, None]
        mixed = F.scaled_dot_product_attention(self.rotate(heads(self.q(y), 4), places), keys, values, attn_mask=seen,
                                               enable_gqa=True)
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        y = self.second(x)
        x = x + self.down(F.silu(self.gate(y)) * self.up(y))
        return x[:, -1] @ self.words.weight.T, keys, values


class Detector(nn.Module):
    """Boxes of a grid by score: the best ones, decoded and clipped."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 7, 3, padding=1, stride=4)

    def forward(self, image):
        y = self.conv(image).flatten(2).transpose(1, 2)
        scores, classes = y[..., 4:].sigmoid().max(-1)
        best, places = scores.topk(6)
        boxes = torch.gather(y[..., :4].exp().cumsum(-1), 1, places.unsqueeze(-1).expand(-1, -1, 4))
        return boxes.clamp(0, image.shape[-1]), best, classes.gather(1, places)


class Suppressed(nn.Module):
    """Suppression by overlap: as many boxes as the data leave."""

    def forward(self, boxes, scores):
        kept = torch.onnx.ops.symbolic("NonMaxSuppression", (boxes, scores, torch.tensor([5]), torch.tensor([0.4]),
                                                             torch.tensor([0.1])), dtype=torch.int64, shape=(5, 3), version=18)
        return kept


class Spectrogram(nn.Module):
    """Log spectra of triangles of a short-time Fourier transform, and their differences."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("bands", torch.rand(33, 10))

    def forward(self, sound):
        spectrum = torch.stft(sound, 64, 32, 64, self.window, center=True, pad_mode="reflect", return_complex=True)
        power = torch.view_as_real(spectrum).square().sum(-1)
        y = torch.log10((power.transpose(1, 2) @ self.bands).clamp(min=1e-5))
        y = torch.maximum(y, y.amax((1, 2), keepdim=True) - 3)
        return (y - y.mean(1, keepdim=True)) / (y.std(1, keepdim=True) + 1e-4)


class Resized(nn.Module):
    def forward(self, image):
        y = F.interpolate(image, scale_factor=2, mode="bilinear", align_corners=False)
        z = F.interpolate(y, size=(9, 7), mode="bicubic", align_corners=True)
        small = F.interpolate(image, size=(3, 5), mode="bilinear", antialias=True)
        return y, z, F.interpolate(image, scale_factor=1.5, mode="nearest"), small


class Warped(nn.Module):
    """An image sampled along a flow."""

    def __init__(self):
        super().__init__()
        self.flow = nn.Conv2d(2, 2, 3, padding=1)

    def forward(self, image, theta):
        grid = F.affine_grid(theta, image.shape, align_corners=False)
        y = F.grid_sample(image, grid, mode="bilinear", padding_mode="border", align_corners=False)
        return F.grid_sample(image, grid + 0.1 * self.flow(y).permute(0, 2, 3, 1), mode="bicubic", padding_mode="zeros",
                             align_corners=True)


class Scattered(nn.Module):
    """Writes by index: added, put, masked and of ranges."""

    def forward(self, x, rows, values):
        y = x.index_put((rows,), values, accumulate=True)
        y = y.scatter_add(1, rows.unsqueeze(1) % x.shape[1], values[:, :1])
        y = torch.where(y > 1, y.cumsum(1), y.flip(1)).index_select(0, rows)
        z = x.clone()
        z[1:3, ::2] = 7
        z[:, -1] += 1
        return y, z.roll(2, 1).tril(1), y.argsort(-1, descending=True)[..., 0], torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0]))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        def deep(x):
            return self.b(torch.relu(self.a(x)))

        def shallow(x):
            return self.a(x) - 1

        return torch.cond(x.sum() > 0, deep, shallow, (x,)).softmax(-1)


class Repeated(nn.Module):
    """Steps until they are small."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x):
        from torch._higher_order_ops.while_loop import while_loop

        def goes_on(count, x):
            return count < 5

        def step(count, x):
            return count + 1, torch.tanh(self.step(x)) * 0.5

        return while_loop(goes_on, step, (torch.tensor(0), x))


class Einsums(nn.Module):
    """Sums of products, norms over groups, windows of an image and their sum."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 6, 4))
        self.groups, self.layers = nn.GroupNorm(2, 4), nn.LayerNorm([6, 6])

    def forward(self, image):
        y = self.layers(self.groups(image))
        patches = F.unfold(y, 3, padding=1, stride=3).transpose(1, 2)
        mixed = torch.einsum("bhid,hde->bhie", y[:, :2], self.weight)
        return torch.einsum("bhie,bhje->bij", mixed, mixed).softmax(-1), patches


class Upsampled(nn.Module):
    """A decoder of images: transposed convolution, shuffled pixels, instance norms, reflected borders."""

    def __init__(self):
        super().__init__()
        self.up, self.shuffle = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1), nn.PixelShuffle(2)
        self.norm, self.conv = nn.InstanceNorm2d(6, affine=True), nn.Conv2d(6, 8, 3, padding=1, padding_mode="reflect")
        self.slope = nn.PReLU(8)

    def forward(self, x):
        y = F.elu(self.norm(self.up(x)))
        return torch.sigmoid(self.shuffle(self.slope(self.conv(y)))), F.avg_pool2d(y, 2, ceil_mode=True)


class Chosen(nn.Module):
    """As many rows as pass a test."""

    def forward(self, x):
        rows = (x.sum(1) > 0).nonzero().squeeze(1)
        torch._check(rows.shape[0] <= x.shape[0])
        return x[rows] * 2, rows


def integers(*values):
    return torch.tensor(values)


torch.manual_seed(0)
batch, length, past = Dim("batch", max=64), Dim("length", max=30), Dim("past", max=20)
AUTO = Dim.DYNAMIC
# By name: the module, its inputs, and which dims are open.
MODELS = {
    "cnn": (Cnn(), [torch.randn(2, 3, 20, 24)], [{0: batch}]),
    "lstm": (Lstm(), [torch.randint(0, 20, (2, 5))], [{0: batch, 1: length}]),
    "gru": (Gru(), [torch.randn(3, 6, 5), integers(2, 6, 4), torch.randn(1, 3, 8)], [{0: batch, 1: length}, {0: batch}, {1: batch}]),
    "encoder": (Encoder(), [torch.randint(0, 30, (2, 7)), integers(*[1] * 7, *[1] * 4, 0, 0, 0).view(2, 7)],
                [{0: batch, 1: length}, {0: batch, 1: length}]),
    "decoder": (Decoder(), [torch.randint(0, 24, (2, 3)), torch.randn(2, 2, 4, 4), torch.randn(2, 2, 4, 4)],
                [{0: batch, 1: length}, {0: batch, 2: past}, {0: batch, 2: past}]),
    "detector": (Detector(), [torch.randn(2, 3, 16, 20)], [{0: batch, 2: AUTO, 3: AUTO}]),
    "suppressed": (Suppressed(), [torch.rand(1, 8, 4).cumsum(-1), torch.rand(1, 1, 8)], None),
    "spectrogram": (Spectrogram(), [torch.randn(2, 320)], [{0: batch}]),
    "resized": (Resized(), [torch.randn(1, 2, 6, 8)], [{0: batch}]),
    "warped": (Warped(), [torch.randn(2, 2, 6, 8), torch.randn(2, 2, 3) * 0.5], [{0: batch}, {0: batch}]),
    "scattered": (Scattered(), [torch.randn(5, 6), integers(4, 0, 2, 1), torch.randn(4, 6)], None),
    "branches": (Branches(), [torch.randn(3, 6)], [{0: batch}]),
    "repeated": (Repeated(), [torch.randn(3, 4)], None),
    "einsums": (Einsums(), [torch.randn(2, 4, 6, 6)], [{0: batch}]),
    "upsampled": (Upsampled(), [torch.randn(2, 4, 5, 4)], [{0: batch, 2: AUTO, 3: AUTO}]),
    "chosen": (Chosen(), [torch.randn(6, 3)], [{0: batch}]),
}


def make(name):
    module, inputs, dynamic = MODELS[name]
    module.eval()
    names = [f"in_{number}" for number in range(len(inputs))]
    program = torch.onnx.export(module, tuple(inputs), dynamo=True, input_names=names, verbose=False,
                                dynamic_shapes=None if dynamic is None else tuple(dynamic))
    program.save(HERE / f"{name}.onnx", external_data=False)
    results = [] if name == "suppressed" else module(*inputs)
    results = results if isinstance(results, (tuple, list)) else [results]
    outputs = [output.name for output in program.model.graph.outputs]
    np.savez(HERE / f"{name}.npz", **{key: value.detach().numpy() for key, value in zip(names, inputs)},
             **{key: value.detach().numpy() for key, value in zip(outputs, results)})


torch.backends.mha.set_fastpath_enabled(False)
for each in sys.argv[1:] or MODELS:
    make(each)
