#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes of ONNX Runtime's operators that are wrong, or that Cameo does not have: refused in one line that names the node and what to do."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

CAMEO = os.environ["CAMEO"]
F, U8, I32 = 1, 2, 6


class Refused(unittest.TestCase):
    def check(self, code, said, operator, inputs, outputs=("y",), constants=(), domain="com.microsoft", **attributes):
        """`inputs` are (type, dims), or None for one that is left out; constants stand behind them."""
        names = [f"i{number}" if given else "" for number, given in enumerate(inputs)]
        values = [helper.make_tensor_value_info(name, *given) for name, given in zip(names, inputs) if given]
        held = [numpy_helper.from_array(array, f"c{number}") for number, array in enumerate(constants)]
        node = helper.make_node(operator, names + [c.name for c in held], list(outputs), name="planted", domain=domain, **attributes)
        graph = helper.make_graph([node], "g", values, [helper.make_tensor_value_info(name, F, None) for name in outputs if name], held)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(domain, 1)]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.onnx"
            onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
            done = subprocess.run([CAMEO, "compile", path, "-o", Path(folder) / "out"], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("planted", done.stderr)
        self.assertIn(said, done.stderr)

    def test_signatures(self):
        self.check(4, "too many inputs", "Gelu", [(F, [2]), (F, [2])])
        self.check(4, "has an attribute 'slope'", "Gelu", [(F, [2])], slope=1.0)
        self.check(4, "has no input B", "BiasGelu", [(F, [2])])
        self.check(4, "num_heads", "MultiHeadAttention", [(F, [1, 2, 4])] * 3)
        self.check(4, "", "Gelu", [(I32, [2])])

    def test_activations(self):
        conv = [(F, [1, 2, 5, 5]), (F, [3, 2, 3, 3])]
        self.check(5, "activation Mish", "FusedConv", conv, activation="Mish")
        self.check(5, "activation Mish", "FusedGemm", [(F, [2, 3]), (F, [3, 4])], activation="Mish")

    def test_few_bits(self):
        product = dict(K=32, N=4, block_size=16)
        codes, scales = np.zeros((4, 2, 8), np.uint8), np.ones((4, 2), np.float32)
        self.check(4, "bytes of B", "MatMulNBits", [(F, [3, 32])], constants=[codes[:3], scales], **product)
        self.check(4, "", "MatMulNBits", [(F, [3, 32])], constants=[codes, scales[:3]], **product)
        self.check(5, "3 bits", "MatMulNBits", [(F, [3, 32])], constants=[codes, scales], bits=3, **product)
        self.check(5, "computes its B", "MatMulNBits", [(F, [3, 32]), (U8, [4, 2, 8]), (F, [4, 2])], **product)
        for size in (0, -16, 8, 24):
            self.check(4, "block_size", "MatMulNBits", [(F, [3, 32])], constants=[codes, scales], **{**product, "block_size": size})
        for huge in (1 << 40, (1 << 63) - 1):
            self.check(4, "bytes of B", "MatMulNBits", [(F, [3, 32])], constants=[codes, scales], **{**product, "K": huge, "N": huge})
        self.check(4, "bytes of zero_points", "MatMulNBits", [(F, [3, 32])], constants=[codes, scales, np.zeros(9, np.uint8)], **product)
        ids = (7, [2])
        table = [np.zeros((9, 16), np.uint8), np.zeros((2,), np.int64), np.ones((9, 2), np.float32)]
        self.check(4, "along the axis of its blocks", "GatherBlockQuantized", [], constants=table, quantize_axis=0, block_size=16)
        self.check(4, "another rank", "GatherBlockQuantized", [], constants=[*table[:2], np.float32(1)], quantize_axis=1, block_size=16)
        self.check(4, "out of range", "GatherBlockQuantized", [], constants=table, quantize_axis=5, block_size=16)
        self.check(5, "computes its data", "GatherBlockQuantized", [(U8, [9, 16]), ids, (F, [9, 2])], block_size=16)

    def test_attention(self):
        three = [(F, [1, 2, 4])] * 3
        self.check(4, "positive num_heads", "MultiHeadAttention", three, num_heads=0)
        self.check(4, "", "MultiHeadAttention", three, num_heads=3)
        self.check(5, "beams", "MultiHeadAttention", [*three, None, None, None, None, None, (I32, [1])], num_heads=2)
        self.check(4, "rank 3", "MultiHeadAttention", three[:1], num_heads=2)
        for sizes in ([1 << 62] * 3, [4, 4], [0, 4, 4]):
            self.check(4, "divides three sizes", "Attention", [(F, [1, 2, 4]), (F, [4, 12])], num_heads=2, qkv_hidden_sizes=sizes)
        self.check(4, "divides three sizes", "Attention", [(F, [1, 2, 4]), (F, [4, 12])], num_heads=5)
        grouped = [(F, [1, 2, 32])] * 3 + [None, None, (I32, [1]), (I32, [])]
        slides = {"num_heads": 2, "kv_num_heads": 2, "sliding_window_cache": 1, "local_window_size": 3}
        self.check(4, "past_key of at least", "GroupQueryAttention", grouped, **slides)
        short = [*grouped[:3], *[(F, [1, 2, 2, 16])] * 2, *grouped[5:]]
        self.check(4, "past_key of at least", "GroupQueryAttention", short, **slides)
        self.check(4, "local_window_size", "GroupQueryAttention", short, **{**slides, "local_window_size": 0})
        self.check(4, "quantised cache", "GroupQueryAttention", grouped, num_heads=2, kv_num_heads=2, k_quant_type="PER_TENSOR")
        caches, one = [(3, [1, 2, 3, 16])] * 2, (F, [1])
        quantised = [*grouped[:3], *caches, *grouped[5:], *[None] * 5, one, one]
        self.check(4, "kv_cache_bit_width", "GroupQueryAttention", quantised, num_heads=2, kv_num_heads=2, k_quant_type="PER_TENSOR",
                   v_quant_type="PER_TENSOR", kv_cache_bit_width=4)
        self.check(4, "past_value", "GroupQueryAttention", [*grouped[:3], (F, [1, 2, 3, 16]), None, *grouped[5:]], num_heads=2, kv_num_heads=2)
        self.check(4, "divides num_heads", "GroupQueryAttention", grouped, num_heads=3, kv_num_heads=2)
        packed = [(F, [1, 2, 64]), None, None, *grouped[3:]]
        self.check(4, "divides num_heads", "GroupQueryAttention", packed, num_heads=1 << 62, kv_num_heads=1 << 62)
        self.check(4, "cos_cache", "GroupQueryAttention", grouped, num_heads=2, kv_num_heads=2, do_rotary=1)

    def test_experts(self):
        routed, one = [(F, [3, 8]), (F, [3, 2])], (F, [2, 6, 8])
        layers = [*routed, one, None, (F, [2, 8, 6])]
        self.check(5, "sparse mixer", "MoE", layers, k=2, use_sparse_mixer=1)
        self.check(4, "swiglu_fusion", "MoE", layers, activation_type="swiglu")
        self.check(4, "activation_type", "MoE", layers, activation_type="softplus")
        codes, scales = np.zeros((2, 6, 4), np.uint8), np.ones((2, 6), np.float32)
        back = [np.zeros((2, 8, 3), np.uint8), np.ones((2, 8), np.float32)]
        for said, code, attributes in (("on GPUs only", 5, {"quant_type": "fp4"}), ("weights_prepacked 0", 5, {"weights_prepacked": 1}),
                                       ("2, 4 or 8 bits", 4, {"expert_weight_bits": 3}), ("block_size", 4, {"block_size": 5})):
            with self.subTest(said):
                self.check(code, said, "QMoE", routed, constants=[codes, scales, np.zeros((2, 6), np.float32), *back], **attributes)

    def test_sparse_attention(self):
        given = [(F, [1, 2, 32])] * 3 + [(F, [1, 2, 16, 16])] * 2 + [(I32, [3, 5]), (I32, [3, 6]), (I32, [1]), (I32, [1])]
        self.check(4, "divides num_heads", "SparseAttention", given, num_heads=2, kv_num_heads=2, sparse_block_size=16)

    def test_quantised(self):
        self.check(4, "a scale and a zero point", "QLinearConcat", [], constants=[np.float32(1), np.uint8(0), np.zeros(3, np.uint8), np.float32(1)], axis=0)
        self.check(4, "rank 3", "QLinearGlobalAveragePool", [(U8, [2, 3])], constants=[np.float32(1), np.uint8(0)] * 2, channels_last=1)

    def test_remedies(self):
        self.check(5, "ORT_ENABLE_EXTENDED", "Conv", [(F, [1, 8, 5, 5]), (F, [8, 8, 3, 3])], domain="com.microsoft.nchwc")
        self.check(5, "search in the caller", "BeamSearch", [(I32, [1, 2])])


if __name__ == "__main__":
    unittest.main()
