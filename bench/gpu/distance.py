#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far results of generated CUDA are from those of float64, network by network: of f32 by each word of --precision, of the
network in half precision, and of one in 8 bits.

    bench/gpu/distance.py [--cameo build/release/bin/cameo] [--write] [PATTERN...]

Nothing runs on a GPU: kernels run on the emulator, whose products are as exact as a tensor core's and whose sums are floats.
The reference is the network with all its floats made doubles, on the CPU by the definition. Figures are the largest
difference by the largest element, and the root of the mean squares of both, of the last output. Needs the target cameo_onnx."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "versus")]
import models  # noqa: E402
import networks  # noqa: E402
from accuracy import double  # noqa: E402

TABLE = HERE.parent / "results/gpu_distance.md"
# Those that the emulator runs in seconds.
NETWORKS = {**{name: networks.NETWORKS[name] for name in ("resnet18", "resnet50", "mobilenet_v2", "image_decoder", "vocoder")},
            **{name: models.MODELS[name] for name in ("squeezenet", "bert_tiny", "bert_mini", "vit")}}
WORDS = ("fast", "tf32", "bf16", "fp16")
LABELS = (*(f"f32, `{word}`" for word in WORDS), "f16", "int8")


def run(arguments, model, arrays, *flags):
    """The last output, in doubles, of inputs in the types that the model has."""
    with tempfile.TemporaryDirectory() as text:
        folder, given = Path(text), []
        onnx.save(model, folder / "model.onnx")
        for number, value in enumerate(value for value in model.graph.input if value.name in arrays):
            dtype = onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type)
            np.save(folder / f"{number}.npy", arrays[value.name].astype(dtype))
            given += ["--in", f"{value.name}={folder / str(number)}.npy"]
        done = subprocess.run([arguments.cameo, "run", folder / "model.onnx", *given, *flags, "--out", folder / "out"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"exit {done.returncode}: {done.stderr[-2000:]}")
        return np.load(folder / "out" / f"output_{len(model.graph.output) - 1}.npy").astype(np.float64)


def errors(name, arguments):
    """Of each candidate: the largest, and the mean."""
    model = NETWORKS[name]()
    arrays = models.inputs_of(model, name)
    exact = run(arguments, double(model), arrays, "--precision", "exact")

    def distance(candidate, flags, exact):
        difference = run(arguments, candidate, arrays, *flags) - exact
        return np.abs(difference).max() / np.abs(exact).max(), np.sqrt((difference**2).mean() / (exact**2).mean())

    on_device = ("--target", "cuda-emu")
    candidates = {label: (model, (*on_device, "--precision", word)) for label, word in zip(LABELS, WORDS)}
    candidates["f16"] = networks.halve(NETWORKS[name]()), on_device
    found = {label: distance(candidate, flags, exact) for label, (candidate, flags) in candidates.items()}
    if f"{name}_int8" in models.MODELS:
        # Its weights are those of bench/versus, which may be other ones.
        exact = run(arguments, double(models.MODELS[name]()), arrays, "--precision", "exact")
        found["int8"] = distance(models.MODELS[f"{name}_int8"](), on_device, exact)
    return found


def row(name, found):
    cells = ["{:.1e}, {:.1e}".format(*found[label]) if label in found else "" for label in LABELS]
    return f"| {name} | " + " | ".join(cells) + " |"


def table(rows):
    """`rows` by network, and of all others those that were written before."""
    known = {line.split(" ")[1]: line for line in (TABLE.read_text().splitlines() if TABLE.exists() else []) if line.startswith("| ")}
    lines = [line for name in NETWORKS if (line := {**known, **rows}.get(name))]
    return "\n".join(["| network | " + " | ".join(LABELS) + " |", "|--" * (len(LABELS) + 1) + "|", *lines])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cameo", type=Path, default=HERE.parents[1] / "build/release/bin/cameo")
    parser.add_argument("--write", action="store_true", help="write into bench/results/gpu_distance.md")
    parser.add_argument("pattern", nargs="*", help="networks, by a part of their name")
    arguments = parser.parse_args()
    rows = {}
    for name in NETWORKS:
        if any(re.search(p, name) for p in arguments.pattern or [""]):
            rows[name] = row(name, errors(name, arguments))
            print(rows[name], flush=True)
    if arguments.write:
        text = f"""# Distance of generated CUDA from float64

```
.venv/bin/python bench/gpu/distance.py --write
```

Networks of `bench/gpu` and `bench/versus` with their random weights, on the emulator: nothing here was measured on a GPU. The
largest difference from the network over doubles by its largest element, and the root of the mean squares, of the last output.
f32 by words of `--precision`; the network converted to half precision; in 8 bits as ONNX Runtime's tool writes it.

{table(rows)}
"""
        TABLE.write_text(text)


if __name__ == "__main__":
    main()
