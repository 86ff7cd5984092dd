#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two builds, same bytes: same_code.py CAMEO OTHER SCRATCH [MODELS...]. Compiles every model below the folders MODELS
(by default the test models and the official ONNX suite) by both compilers for each target, and compares all files that
they write, exit codes and diagnostics; of a model that differs it shows how.

SCRATCH keeps models, and digests by compiler: a run that was ended goes on, and no compiler is asked twice. Runtime and
templates, which a compiler carries, are not written: they are sources, to be compared as such. All else that generated
code depends on is the compiler, so a build is compared with a copy of the binary of another.
"""
import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "conformance")]
import share  # noqa: E402
import suite  # noqa: E402

TARGETS = ("cpu", "cuda")


class Compiler:
    def __init__(self, path, scratch):
        self.path = path.resolve()
        build = hashlib.sha256(self.path.read_bytes()).hexdigest()[:16]
        self.record = scratch / f"{build}.txt"
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        self.known = {name: digest for digest, _, name in (line.partition(" ") for line in lines)}

    def write(self, model, target, folder):
        """The files of the generated folder, with what the compiler says beside them."""
        done = subprocess.run([self.path, "compile", model, "-o", folder / "code", "--name", "model", "--no-runtime",
                               "--target", target], capture_output=True, timeout=600)
        (folder / "diagnostics").write_bytes(b"exit %d\n%s" % (done.returncode, done.stderr))
        if done.returncode == 0:
            forget_sources(folder / "code")

    def digest(self, model, target):
        name = f"{target} {hashlib.sha256(model.read_bytes()).hexdigest()} {model}"
        if name not in self.known:
            with tempfile.TemporaryDirectory() as folder:
                self.write(model, target, Path(folder))
                found = hashlib.sha256()
                for path in sorted(p for p in Path(folder).rglob("*") if p.is_file()):
                    content = path.read_bytes()
                    found.update(b"%s %d\n%s" % (os.fsencode(path.relative_to(folder)), len(content), content))
            self.known[name] = found.hexdigest()
            with self.record.open("a") as record:
                record.write(f"{found.hexdigest()} {name}\n")
        return self.known[name]


def forget_sources(code):
    """What a folder says of the runtime and templates that it is built with: their digest, and those of all files."""
    (code / "model.cdx.json").unlink()
    text = (code / "CMakeLists.txt").read_text()
    sources = re.search(r"cameo=cameo_([0-9a-f]+)", text)[1]
    (code / "CMakeLists.txt").write_text(text.replace(sources, "SOURCES"))


def difference(compilers, model, target):
    with tempfile.TemporaryDirectory() as folder:
        for compiler, name in zip(compilers, "ab"):
            (Path(folder) / name).mkdir()
            compiler.write(model, target, Path(folder) / name)
        shown = subprocess.run(["diff", "-rU0", "a", "b"], cwd=folder, capture_output=True, text=True, errors="replace")
    return "\n".join(shown.stdout.splitlines()[:20])


def default_models(scratch):
    made = scratch / "models"
    if not made.exists():
        subprocess.run([sys.executable, HERE.parent / "models/make.py", made], check=True, stdout=subprocess.DEVNULL)
    suite.load(scratch)
    return [made, scratch]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compilers", nargs=2, type=Path, metavar="CAMEO")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--share", type=int, default=share.SHARE, metavar="N", help="one model of N, others every day")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    scratch = arguments.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    folders = [folder.resolve() for folder in arguments.models] or default_models(scratch)
    models = sorted({model for folder in folders for model in folder.rglob("*.onnx")})
    models = share.sample("same_code", models, arguments.share)
    compilers = [Compiler(path, scratch) for path in arguments.compilers]

    def compare(case):
        return len({compiler.digest(*case) for compiler in compilers}) == 1

    cases = [(model, target) for model in models for target in TARGETS]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        different = [case for case, same in zip(cases, pool.map(compare, cases)) if not same]
    for model, target in different:
        print(f"{target} {model}\n{difference(compilers, model, target)}")
    print(f"{len(cases)} generated folders, {len(different)} differ")
    sys.exit(1 if different or not cases else 0)


main()
