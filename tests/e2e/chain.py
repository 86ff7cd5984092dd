#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A detector, then a classifier of the crops that it finds, of which only the device knows how many: chain.py CAMEO SCRATCH. Nothing
waits between the two. And the classifier alone, told how much of its input there is."""
import copy
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "models")]
import numpy as np  # noqa: E402
from onnx import helper  # noqa: E402
from capture import run  # noqa: E402
from graph import FLOAT, INT64, Case, Graph, normal, random  # noqa: E402
from make import onnxruntime_runner, write_cases  # noqa: E402

WAYS = (["--target", "cpu"], ["--target", "cuda-emu", "--trace"], ["--target", "cuda-emu", "--stream", "user"])


def make_detector():
    """Crops of the boxes whose scores are good, with the boxes."""
    g = Graph("detector")
    g.input("image", FLOAT, [1, 3, "height", "width"])
    g.input("boxes", FLOAT, ["candidates", 4])
    g.input("scores", FLOAT, ["candidates"])
    rows = g.op("Squeeze", g.op("NonZero", g.op("Greater", "scores", g.const(0.5))), g.const([0]))
    chosen = g.op("Gather", "boxes", rows, axis=0, out="chosen")
    g.output(g.op("RoiAlign", "image", chosen, g.op("Mul", rows, g.const(0)), output_height=8, output_width=8, sampling_ratio=2,
                  out="crops"), FLOAT, ["found", 3, 8, 8])
    g.output(chosen, FLOAT, ["found", 4])
    return g.model()


def make_classifier():
    """Classes of crops, which know how large their boxes are."""
    weights = random("chain weights")
    g = Graph("classifier")
    g.input("crops", FLOAT, ["n", 3, 8, 8])
    g.input("chosen", FLOAT, ["n", 4])
    seen = g.op("Relu", g.op("Conv", "crops", g.const(normal(weights, 6, 3, 3, 3)), pads=[1, 1, 1, 1], strides=[2, 2]))
    flat = g.op("Reshape", g.op("AveragePool", seen, kernel_shape=[2, 2], strides=[2, 2]), g.const([-1, 24]))
    row = g.op("Concat", flat, g.op("Mul", "chosen", g.const(0.1)), axis=1)
    g.output(g.op("Softmax", g.op("MatMul", row, g.const(normal(weights, 28, 5))), out="classes"), FLOAT, ["n", 5])
    return g.model()


def find(candidates, height, width, share):
    rng = random(f"chain {candidates} {height} {width}")
    corner = rng.random((candidates, 2)) * [width / 2, height / 2]
    boxes = np.concatenate([corner, corner + 1 + rng.random((candidates, 2)) * [width / 2, height / 2]], 1)
    scores = np.where(rng.random(candidates) < share, 0.9, 0.1)
    return {"image": normal(rng, 1, 3, height, width), "boxes": boxes.astype(np.float32), "scores": scores.astype(np.float32)}


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    chain, alone = scratch / "chain", scratch / "alone"
    for folder in (chain, alone):
        folder.mkdir(parents=True)
    models = {"detector": make_detector(), "classifier": make_classifier()}
    runs = {name: onnxruntime_runner(model) for name, model in models.items()}
    for name, model in models.items():
        (scratch / f"{name}.onnx").write_bytes(model.SerializeToString())

    def run_both(inputs):
        crops, chosen = runs["detector"](inputs)
        return runs["classifier"]({"crops": crops, "chosen": chosen})

    def verify(*arguments):
        report = scratch / "report.json"
        run(cameo, "verify", *arguments, "--json", report)
        return json.loads(report.read_text())["cases"]

    sizes = [(6, 40, 60, 0.5), (1, 9, 30, 1), (20, 64, 48, 0.3), (7, 16, 16, 0), (12, 20, 33, 1)]
    both = copy.deepcopy(models["detector"])
    both.graph.ClearField("output")
    both.graph.output.extend(models["classifier"].graph.output)
    write_cases(both, run_both, [Case(find(*size)) for size in sizes], chain)
    data = [word for folder in sorted(chain.iterdir()) for word in ("--data", folder)]
    for way in WAYS:
        for case in verify(scratch / "detector.onnx", "--then", scratch / "classifier.onnx", *data, *way):
            counters = case["counters"]
            assert counters["blocking_syncs"] == 0 and counters["d2h"] <= 2, (way, case["data"], counters)
        print(*way, f"{len(sizes)} data sets", flush=True)

    # What is behind the count nobody reads.
    rng = random("chain crops")
    counted = copy.deepcopy(models["classifier"])
    counted.graph.input.append(helper.make_tensor_value_info("n", INT64, []))
    cases = []
    for most, count in [(4, 3), (1, 1), (9, 9), (5, 0)]:
        cases.append(Case({"crops": normal(rng, most, 3, 8, 8), "chosen": normal(rng, most, 4), "n": np.array(count, np.int64)}))
        for name in ("crops", "chosen"):
            cases[-1].inputs[name][count:] = np.nan

    # No more than there is, and no less than nothing; the run behind them is well.
    for most, count in [(4, 5), (4, -1), (9, 1 << 62), (9, -(1 << 62)), (0, 1)]:
        cases.append(Case({"crops": normal(rng, most, 3, 8, 8), "chosen": normal(rng, most, 4), "n": np.array(count, np.int64)},
                          status="INVALID_ARGUMENT"))
    cases.append(Case({**cases[0].inputs, "n": np.array(2, np.int64)}))

    def run_front(inputs):
        return runs["classifier"]({name: inputs[name][:inputs["n"]] for name in ("crops", "chosen")})

    write_cases(counted, run_front, cases, alone)
    data = [word for folder in sorted(alone.iterdir()) for word in ("--data", folder)]
    for way in WAYS:
        for case in verify(scratch / "classifier.onnx", "--counted-dim", "n", *data, *way):
            assert case["counters"]["blocking_syncs"] == 0, (way, case)
        print(*way, "--counted-dim n", flush=True)


if __name__ == "__main__":
    main()
