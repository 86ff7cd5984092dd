#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the plain CMake build of a generated folder costs against -march=native, and how large its copies are:
copies.py CAMEO MODELS SCRATCH, MODELS being what tests/models/make.py made. Prints a table.

One thread; the builds take turns, so that a machine whose clock changes is fair to all; the least of all times counts.
Times are of the processor: what a run more takes, so that other jobs on the machine count little and loading not at all.
Models of the onnx package are there without weights: those are drawn here, small enough that nothing overflows."""
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/models"), str(ROOT / "bench/versus")]
from models import MODELS as VERSUS  # noqa: E402

TURNS = 20
# Name, dims that are not the file's, runs a turn.
MODELS = [("digits", {"batch": 64}, 400), ("lstm", {"batch": 16, "sequence": 64}, 400),
          ("bert_tiny", {"batch": 4, "sequence": 64}, 100),
          ("conv_trunk", {"batch": 1, "height": 112, "width": 112}, 40), ("light_squeezenet", {}, 8), ("light_resnet50", {}, 4),
          ("squeezenet_int8", {}, 20)]
COPIES = ("_x86_64_v4_avx512vnni", "_x86_64_v4", "_x86_64_v3", "")


def with_weights(source, target):
    """A light model, its ConstantOfShape weights replaced by random ones."""
    model = onnx.load(source)
    rng = np.random.default_rng(1)
    known = {i.name: numpy_helper.to_array(i) for i in model.graph.initializer}
    for node in [n for n in model.graph.node if n.op_type == "ConstantOfShape"]:
        shape = known[node.input[0]].tolist()
        scale = 1 / np.sqrt(np.prod(shape[1:])) if len(shape) > 1 else 0.5
        weight = rng.uniform(0 if len(shape) == 1 else -scale, scale, shape).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(weight, node.output[0]))
        model.graph.node.remove(node)
    onnx.save(model, target)


def find_model(name, models, scratch):
    if name == "digits":
        return ROOT / "samples" / "digits" / "digits.onnx"
    if (models / name).is_dir():
        return models / name / f"{name}.onnx"
    path = scratch / f"{name}.onnx"
    if name in VERSUS:
        onnx.save(VERSUS[name](), path)
        return path
    with_weights(Path(onnx.__file__).parent / "backend" / "test" / "data" / "light" / f"{name}.onnx", path)
    return path


def build(folder, kind, *flags):
    out = folder / kind
    subprocess.run(["cmake", "-S", folder, "-B", out, "-G", "Ninja", *flags], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", out], check=True, capture_output=True)
    return out


def processor_time(program, runs):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "--threads", "1", "--repeat", str(runs)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(program, runs):
    """Milliseconds of a run."""
    return (processor_time(program, runs + 1) - processor_time(program, 1)) / runs * 1e3


def code_size(objects):
    lines = subprocess.run(["size", "-t", *objects], check=True, capture_output=True, text=True).stdout.splitlines()
    return int(lines[-1].split()[0]) / 1024


def make_programs(cameo, models, scratch):
    """Per model, its programs: compiled first, so that nothing but what is timed runs later."""
    made = {}
    for name, dims, _ in MODELS:
        flags = [word for dim, value in dims.items() for word in ("--dim", f"{dim}={value}")]
        folder = scratch / name
        subprocess.run([cameo, "compile", find_model(name, models, scratch), "-o", folder, "--name", name, *flags], check=True)
        made[name] = {"native": build(folder, "native", "-DCAMEO_MARCH=native") / name, "default": build(folder, "default") / name,
                      "baseline": build(folder, "baseline", "-DCAMEO_MARCH=x86-64") / name}
    return made


def main():
    cameo, models, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    scratch.mkdir(parents=True, exist_ok=True)
    made = make_programs(cameo, models, scratch)
    print("| model | -march=native, ms | default, ms | ratio | -march=x86-64, ms | code of (VNNI,) v4, v3, baseline, KiB |")
    print("|--|--:|--:|--:|--:|--:|")
    for name, _, runs in MODELS:
        times = dict.fromkeys(made[name], float("inf"))
        for _ in range(TURNS):
            for kind, program in made[name].items():
                times[kind] = min(times[kind], measure(program, runs if kind != "baseline" else max(1, runs // 4)))
        objects = [list((scratch / name / "default" / "CMakeFiles").glob(f"{name}{copy}.dir/*kernels*.o")) for copy in COPIES]
        sizes = [code_size(of_copy) for of_copy in objects if of_copy]
        print(f"| {name} | {times['native']:.3f} | {times['default']:.3f} | {times['default'] / times['native']:.3f} | "
              f"{times['baseline']:.3f} | {', '.join(f'{s:.0f}' for s in sizes)} |", flush=True)


if __name__ == "__main__":
    main()
