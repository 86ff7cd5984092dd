#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that exporters wrote, against ONNX Runtime: run.py CAMEO FOLDER TARGET. A share of the folder's, others each day."""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import share  # noqa: E402


def verify(cameo, model, target):
    """What is wrong with it; empty where nothing is."""
    values = model.with_suffix(".npz")
    data = ["--data", values] if values.exists() else ["--in", f"X={model.with_suffix('.pb')}"]
    done = subprocess.run([cameo, "verify", model, *data, "--target", target, "--cxxflags", "-O1", "--python", sys.executable,
                           "--against", "onnxruntime"], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{model.stem}: exit {done.returncode}\n{(done.stderr or done.stdout)[-2000:]}"


def main():
    cameo, folder, target = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    models = share.sample(f"exported.{folder.name}.{target}", sorted(folder.glob("*.onnx")))
    problems = [problem for problem in (verify(cameo, model, target) for model in models) if problem]
    print("\n".join(problems) or f"{len(models)} models, all as ONNX Runtime has them")
    sys.exit(1 if problems or not models else 0)


if __name__ == "__main__":
    main()
