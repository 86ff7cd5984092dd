#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Same model, same bytes: repeat.py CAMEO MODELS SCRATCH. Compiles every model twice for each target, the second time
from another folder, under another name for the model's folder, another locale and time zone, and compares all files.
"""
import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import share  # noqa: E402


def compile_to(cameo, model, target, out, cwd, **environment):
    done = subprocess.run([cameo, "compile", model, "-o", out, "--target", target], cwd=cwd, capture_output=True,
                          text=True, env=dict(os.environ, **environment))
    if done.returncode != 0:
        print(f"{model}: exit {done.returncode}\n{done.stderr[:2000]}")
        sys.exit(1)


def content(folder):
    return {p.relative_to(folder) for p in folder.rglob("*") if p.is_file()}


def main():
    cameo, models, scratch = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    different, compared = [], 0
    for model in share.sample("repeat", sorted(models.glob("*/*.onnx"))):
        for target in ("cpu", "cuda"):
            shutil.rmtree(scratch, ignore_errors=True)
            elsewhere = scratch / "elsewhere"
            shutil.copytree(model.parent, elsewhere)
            first, second = scratch / "first", scratch / "second"
            compile_to(cameo, model, target, first, models, LC_ALL="C", TZ="UTC")
            compile_to(cameo, Path(model.name), target, second, elsewhere, LC_ALL="C.UTF-8", TZ="Asia/Kolkata")
            names = content(first)
            if names != content(second):
                different.append(f"{model.stem} {target}: other files")
            compared += len(names)
            different += [f"{model.stem} {target}: {n}" for n in sorted(names)
                          if not filecmp.cmp(first / n, second / n, shallow=False)]
    shutil.rmtree(scratch, ignore_errors=True)
    print("\n".join(different) or f"{compared} files, all the same")
    sys.exit(1 if different or not compared else 0)


main()
