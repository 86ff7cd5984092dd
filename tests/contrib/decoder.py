#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoder as onnxruntime-genai's model builder writes it, of reduced width and random weights: decoder.py CAMEO SCRATCH
[--target cpu|cuda-emu] [--steps N] [int4 fp16 fp32...]. ONNX Runtime runs a prompt and N steps with one buffer for past and present of
each layer; the model is then verified over the same tokens as one sequence, each run on what the run before has left of the cache, with
the present in the memory of the past. Logits agree, and kernels copy nothing of the cache: as many bytes with a buffer of any
length, and fewer by the cache than with two."""
import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from schemas import read_report  # noqa: E402

LAYERS, HEADS, SHARED, SIZE, INNER, WORDS, CONTEXT = 2, 4, 2, 16, 96, 80, 64
HIDDEN, BLOCK = HEADS * SIZE, 32
# How far logits may be off, of the largest: sums are in another order, and halves are rounded at other places.
TOLERANCE = {"fp32": 1e-5, "int4": 1e-5, "fp16": 1e-2}


class Decoder:
    """The graph, node by node in the builder's order and under its names."""

    def __init__(self, form):
        self.rng = np.random.default_rng(5)
        self.form = form
        self.dtype = np.float16 if form == "fp16" else np.float32
        self.type = helper.np_dtype_to_tensor_dtype(np.dtype(self.dtype))
        self.nodes, self.constants = [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, op, inputs, outputs=1, name="", domain="", **attributes):
        results = [f"{name}/output_{number}" for number in range(outputs)] if isinstance(outputs, int) else outputs
        self.nodes.append(helper.make_node(op, inputs, results, name=name, domain=domain, **attributes))
        return results[0] if len(results) == 1 else results

    def product(self, name, x, rows, columns):
        """A MatMul or, of four bits, a MatMulNBits; `name` is that of a module."""
        weight = (self.rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)
        if self.form != "int4":
            return self.node("MatMul", [x, self.constant(f"{name}.weight", weight.astype(self.dtype))], name=f"/{name}/MatMul")
        blocks = weight.T.reshape(columns, rows // BLOCK, BLOCK)
        scales = np.abs(blocks).max(-1) / 7
        codes = np.clip(np.rint(blocks / scales[..., None]) + 8, 0, 15).astype(np.uint8)
        packed = codes[..., 0::2] | codes[..., 1::2] << 4
        return self.node("MatMulNBits", [x, self.constant(f"{name}.qweight", packed),
                                         self.constant(f"{name}.scales", scales.astype(np.float32))],
                         name=f"/{name}/MatMul_Q4", domain="com.microsoft", K=rows, N=columns, bits=4, block_size=BLOCK, accuracy_level=0)

    def scale(self, name):
        return self.constant(f"{name}.weight", (1 + 0.1 * self.rng.standard_normal(HIDDEN)).astype(self.dtype))

    def count_tokens(self):
        """How long rows are, of the attention mask: seqlens_k and total_sequence_length."""
        at = "/model/attn_mask_reformat/attn_mask_subgraph"
        ones = self.constant("/model/constants/INT64/[1]", np.int64([1]))
        tokens = self.node("ReduceSum", ["attention_mask", ones], name=f"{at}/ReduceSum", keepdims=1)
        last = self.node("Sub", [tokens, ones], name=f"{at}/Sub")
        lengths = self.node("Cast", [last], name=f"{at}/Sub/Cast", to=TensorProto.INT32)
        shape = self.node("Shape", ["attention_mask"], name=f"{at}/Shape")
        total = self.node("Gather", [shape, self.constant("/model/constants/INT64/1", np.int64(1))], name=f"{at}/Gather", axis=0)
        return lengths, self.node("Cast", [total], name=f"{at}/Gather/Cast", to=TensorProto.INT32)

    def layer(self, number, x, residual, lengths):
        at = f"model.layers.{number}"
        path = f"/{at.replace('.', '/')}"
        skip = residual
        if number == 0:
            normal = self.node("SimplifiedLayerNormalization", [x, self.scale(f"{at}.input_layernorm")],
                               name=f"{path}/input_layernorm/LayerNorm", axis=-1, epsilon=1e-5, stash_type=1)
            skip = x
        else:
            normal, skip = self.skip_norm(f"{at}.input_layernorm", residual, x)
        query = self.product(f"{at}.attn.q_proj", normal, HIDDEN, HEADS * SIZE)
        key, value = (self.product(f"{at}.attn.{part}_proj", normal, HIDDEN, SHARED * SIZE) for part in "kv")
        attended = self.node("GroupQueryAttention", [query, key, value, f"past_key_values.{number}.key", f"past_key_values.{number}.value",
                                                     *lengths, "cos_cache", "sin_cache"],
                             [f"{path}/attn/GroupQueryAttention/output_0", f"present.{number}.key", f"present.{number}.value"],
                             name=f"{path}/attn/GroupQueryAttention", domain="com.microsoft", num_heads=HEADS, kv_num_heads=SHARED,
                             scale=1 / np.sqrt(SIZE), softcap=0.0, do_rotary=1, rotary_interleaved=0, local_window_size=-1)[0]
        projected = self.product(f"{at}.attn.o_proj", attended, HEADS * SIZE, HIDDEN)
        normal, skip = self.skip_norm(f"{at}.post_attention_layernorm", skip, projected)
        gate, up = (self.product(f"{at}.mlp.{part}_proj", normal, HIDDEN, INNER) for part in ("gate", "up"))
        sigmoid = self.node("Sigmoid", [gate], name=f"{path}/mlp/act_fn/Sigmoid")
        active = self.node("Mul", [gate, sigmoid], name=f"{path}/mlp/act_fn/Mul")
        product = self.node("Mul", [active, up], name=f"{path}/mlp/Mul")
        return self.product(f"{at}.mlp.down_proj", product, INNER, HIDDEN), skip

    def skip_norm(self, name, residual, x, last=False):
        path = f"/{name.replace('.', '/')}/SkipLayerNorm"
        outputs = [f"{path}/output_0"] if last else [f"{path}/output_0", "", "", f"{path}/output_3"]
        results = self.node("SkipSimplifiedLayerNormalization", [residual, x, self.scale(name)], outputs, name=path, domain="com.microsoft",
                            epsilon=1e-5)
        return results if last else (results[0], results[3])

    def build(self):
        angles = np.arange(CONTEXT)[:, None] / 10000 ** (np.arange(0, SIZE, 2) / SIZE)
        self.constant("cos_cache", np.cos(angles).astype(self.dtype))
        self.constant("sin_cache", np.sin(angles).astype(self.dtype))
        lengths = self.count_tokens()
        table = self.constant("model.embed_tokens.weight", self.rng.standard_normal((WORDS, HIDDEN)).astype(self.dtype))
        x = self.node("Gather", [table, "input_ids"], name="/model/embed_tokens/Gather")
        residual = None
        for number in range(LAYERS):
            x, residual = self.layer(number, x, residual, lengths)
        last = self.skip_norm(f"model.layers.{LAYERS}.final_norm_layernorm", residual, x, last=True)
        logits = self.product("lm_head", last, HIDDEN, WORDS)
        self.nodes[-1].output[0] = "logits"
        assert logits
        cache = ["batch_size", SHARED, "past_sequence_length", SIZE]
        values = [("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"]),
                  ("attention_mask", TensorProto.INT64, ["batch_size", "total_sequence_length"])]
        values += [(f"past_key_values.{number}.{part}", self.type, cache) for number in range(LAYERS) for part in ("key", "value")]
        results = [("logits", self.type, ["batch_size", "sequence_length", WORDS])]
        results += [(f"present.{number}.{part}", self.type, [*cache[:2], "total_sequence_length", SIZE])
                    for number in range(LAYERS) for part in ("key", "value")]
        graph = helper.make_graph(self.nodes, "main_graph", [helper.make_tensor_value_info(*value) for value in values],
                                  [helper.make_tensor_value_info(*value) for value in results], self.constants)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="onnxruntime-genai")


def caches():
    """Pairs of an output and the input whose buffer it shares."""
    return [(f"present.{number}.{part}", f"past_key_values.{number}.{part}") for number in range(LAYERS) for part in ("key", "value")]


def run_onnxruntime(path, model, room, steps):
    """For the prompt and each step: its inputs, and the outputs; the caches are as they were before and behind it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    buffers = {past: onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros((1, SHARED, room, SIZE), model.dtype)) for _, past in caches()}
    tokens, seen = np.random.default_rng(7).integers(0, WORDS, (1, 11)), 0
    for _ in range(1 + steps):
        seen += tokens.shape[1]
        inputs = {"input_ids": tokens, "attention_mask": np.ones((1, seen), np.int64),
                  **{name: value.numpy().copy() for name, value in buffers.items()}}
        binding = session.io_binding()
        for name in ("input_ids", "attention_mask"):
            binding.bind_cpu_input(name, inputs[name])
        for present, past in caches():
            binding.bind_ortvalue_input(past, buffers[past])
            binding.bind_ortvalue_output(present, buffers[past])
        binding.bind_output("logits")
        session.run_with_iobinding(binding)
        outputs = dict(zip([*(present for present, _ in caches()), "logits"], binding.copy_outputs_to_cpu()))
        yield inputs, {name: value.copy() for name, value in outputs.items()}
        tokens = outputs["logits"][:, -1].argmax(-1)[:, None]


def save(folder, names, values, prefix):
    for number, name in enumerate(names):
        (folder / f"{prefix}_{number}.pb").write_bytes(numpy_helper.from_array(values[name], name).SerializeToString())


def write(folder, form, room, steps):
    """The model's file, and its data sets in their order."""
    decoder = Decoder(form)
    proto = decoder.build()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"decoder_{form}.onnx"
    onnx.save(proto, path)
    sets = []
    for number, (inputs, outputs) in enumerate(run_onnxruntime(path, decoder, room, steps)):
        sets.append(folder / f"room_{room}" / f"step_{number:02}")
        sets[-1].mkdir(parents=True, exist_ok=True)
        save(sets[-1], [value.name for value in proto.graph.input], inputs, "input")
        save(sets[-1], [value.name for value in proto.graph.output], outputs, "output")
    return path, sets


def verify(cameo, target, path, sets, flags, tolerance):
    report = path.with_suffix(".json")
    report.unlink(missing_ok=True)
    data = [flag for folder in sets for flag in ("--data", folder)]
    done = subprocess.run([cameo, "verify", path, "--target", target, *data, *flags, "--rtol", "0", "--largest", str(tolerance), "--json", report],
                          capture_output=True, text=True)
    if not report.exists():
        return [done.stderr.strip()], []
    cases = read_report("verify", report)["cases"]
    problems = [f"{Path(case['data']).name}: {case.get('text') or case['outputs']}" for case in cases if not case["passed"]]
    if done.returncode != 0 and not problems:
        problems = [done.stderr.strip()]
    return problems, [case["counters"]["kernel_copy_bytes"] for case in cases]


def check(cameo, scratch, target, form, steps):
    tolerance, copied, problems = TOLERANCE[form], {}, []
    for room in (CONTEXT, CONTEXT // 2 + 16):
        path, sets = write(scratch / form, form, room, steps)
        shared = [flag for present, past in caches() for flag in ("--in-place", f"{present}={past}", "--carry", f"{present}={past}")]
        found, copied[room] = verify(cameo, target, path, sets, shared, tolerance)
        problems += [f"{form}, a cache of {room}: {problem}" for problem in found]
    found, apart = verify(cameo, target, path, sets, [], tolerance)
    problems += [f"{form}, two buffers: {problem}" for problem in found]
    if problems:
        return problems
    length = {"fp16": 2}.get(form, 4) * SHARED * room * SIZE * len(caches())
    first, second = copied.values()
    if first != second:
        problems.append(f"{form}: kernels copy {first} bytes of a cache of {CONTEXT}, {second} of one of {room}")
    if any(two - one != length for one, two in zip(second, apart)):
        problems.append(f"{form}: kernels copy {second} bytes, {apart} with two buffers of {length} together")
    print(f"{form} on {target}: {len(sets)} runs; kernels copy {second[0]} bytes, then {second[-1]} a step, of {length} of cache none", flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cameo")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--target", choices=["cpu", "cuda-emu"], default="cpu")
    parser.add_argument("--steps", type=int, default=32)
    parser.add_argument("forms", nargs="*", default=["fp32", "int4", "fp16"])
    given = parser.parse_intermixed_args()
    problems = [problem for form in given.forms for problem in check(given.cameo, given.scratch, given.target, form, given.steps)]
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
