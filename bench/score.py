#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows a second that cameo_onnx.score and Ray Data put through a model of Cameo's, and through ONNX Runtime in its place.

    bench/score.py [--rounds 3] [--without-ray] [--cameo build/release/bin/cameo]

Sources are 16 Parquet files; candidates run in turn, and the most rows a second of all rounds count. In one process reading and
writing are in it. Of Ray it is what an actor a core does with blocks that are in its store, without the
seconds that actors take to start."""
import argparse
import os
import struct
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pyarrow as pa
import pyarrow.parquet as pq
from onnx import TensorProto, helper, numpy_helper

from compiled import cameo_onnx

ROOT = Path(__file__).resolve().parents[1]
BATCH = 256


class OnnxRuntime:
    """What `score` wants of a model, by ONNX Runtime."""
    target, fingerprint = "cpu", f"onnxruntime {onnxruntime.__version__}"

    def __init__(self, path, model):
        self.path, self.inputs, self.outputs = path, model.inputs, model.outputs

    def session(self, threads):
        return OnnxRuntimeSession(self.path, threads)


class OnnxRuntimeSession:
    def __init__(self, path, threads):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.names = [port.name for port in self.session.get_outputs()]

    def run(self, feeds):
        return dict(zip(self.names, self.session.run(None, feeds)))


def make_mlp(folder):
    """A table of 32 columns, three layers."""
    random, sizes = np.random.default_rng(0), [32, 128, 128, 1]
    nodes, weights, value = [], [], "features"
    for layer, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        weights += [numpy_helper.from_array((random.standard_normal((rows, columns)) / rows**0.5).astype(np.float32), f"w{layer}"),
                    numpy_helper.from_array(random.standard_normal(columns).astype(np.float32), f"b{layer}")]
        made = "score" if layer == len(sizes) - 2 else f"h{layer}"
        nodes.append(helper.make_node("Gemm", [value, f"w{layer}", f"b{layer}"], [made]))
        if made != "score":
            nodes.append(helper.make_node("Relu", [made], [f"r{layer}"]))
        value = f"r{layer}"
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", width]) for name, width in (("features", 32), ("score", 1))]
    model = helper.make_model(helper.make_graph(nodes, "mlp", ports[:1], ports[1:], weights),
                              opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, folder / "mlp.onnx")
    names = [f"f{k}" for k in range(32)]
    table = pa.table({name: random.standard_normal(1_000_000).astype(np.float32) for name in names})
    return folder / "mlp.onnx", table, {"features": names}


def make_digits(folder):
    pixels = np.random.default_rng(0).integers(0, 17, (200_000, 64)).astype(np.float32)
    table = pa.table({"image": pa.FixedSizeListArray.from_arrays(pa.array(pixels.reshape(-1)), 64)})
    return ROOT / "samples/digits/digits.onnx", table, None


def score_here(source, sink, model, columns, batch):
    return cameo_onnx.score(source, model, sink, columns, batch, progress=False).seconds


class Timed:
    """A model whose sessions note when they first ran and last: all processes of a machine have one clock."""

    def __init__(self, model, folder):
        self.model, self.folder = model, folder
        self.inputs, self.outputs, self.target = model.inputs, model.outputs, model.target

    def session(self, threads):
        self.inner = self.model.session(threads=threads)
        self.notes, self.start = os.open(self.folder / str(os.getpid()), os.O_CREAT | os.O_WRONLY), None
        return self

    def run(self, feeds):
        self.start = self.start or time.monotonic()
        outputs = self.inner.run(feeds)
        os.pwrite(self.notes, struct.pack("dd", self.start, time.monotonic()), 0)
        return outputs


def score_on_ray(source, model, columns, batch):
    """Seconds from the first run of any actor to the last."""
    import ray
    import cameo_onnx.ray
    blocks = ray.data.from_arrow([pq.read_table(file) for file in sorted(source.iterdir())])
    with tempfile.TemporaryDirectory() as folder:
        cameo_onnx.ray.score(blocks, Timed(model, Path(folder)), columns, batch).materialize()
        starts, ends = zip(*(struct.unpack("dd", note.read_bytes()) for note in Path(folder).iterdir()))
        return max(ends) - min(starts)


def rows_a_second(way, source, rows, *arguments):
    if way == "Ray":
        return rows / score_on_ray(source, *arguments)
    with tempfile.TemporaryDirectory() as sink:
        return rows / score_here(source, sink, *arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--without-ray", action="store_true")
    parser.add_argument("--cameo", default=ROOT / "build/release/bin/cameo")
    arguments = parser.parse_args()
    os.environ["CAMEO"] = str(arguments.cameo)
    ways = ["one process"] if arguments.without_ray else ["one process", "Ray"]
    if not arguments.without_ray:
        start_ray()
    print(f"| model | rows | where | Cameo | ONNX Runtime {onnxruntime.__version__} | ratio |\n|--|--:|--|--:|--:|--:|")
    for make in (make_mlp, make_digits):
        with tempfile.TemporaryDirectory() as folder:
            path, table, columns = make(Path(folder))
            source = Path(folder) / "source"
            source.mkdir()
            for number in range(16):
                part = len(table) // 16
                pq.write_table(table.slice(number * part, part), source / f"{number:02}.parquet", row_group_size=part)
            ours = cameo_onnx.compile(path)
            candidates = [ours, OnnxRuntime(str(path), ours)]
            for way in ways:
                best = [0.0, 0.0]
                for _ in range(arguments.rounds):
                    for number, model in enumerate(candidates):
                        best[number] = max(best[number], rows_a_second(way, source, len(table), model, columns, arguments.batch))
                print(f"| {path.stem} | {len(table):,} | {way} | {best[0]:,.0f} | {best[1]:,.0f} | {best[0] / best[1]:.2f} |", flush=True)


def start_ray():
    # As the process beside it has: Ray puts its workers behind all others of the machine.
    os.environ.update(RAY_worker_niceness="0", RAY_USAGE_STATS_ENABLED="0")
    import ray
    import ray.data
    ray.init(include_dashboard=False, log_to_driver=False, logging_level="error",
             runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}})
    ray.data.DataContext.get_current().enable_progress_bars = False


if __name__ == "__main__":
    main()
