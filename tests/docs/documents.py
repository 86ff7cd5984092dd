#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what README.md, docs/ and the samples' pages show: documents.py [SCRATCH] [--only NAME] [--file PATH].

Every snippet is run, or says in the document why not; a piece of code without a frame to run in fails. --file tries
another text in the place of --only."""
import argparse
import importlib.util
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from share import CHANGED, LONG, sample  # noqa: E402
from snippets import BadDocument, read_snippets
from workshop import CAMEO, ROOT, HERE, Failed, Skipped, Workshop

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")),
             "samples/digits/README.md", "tools/python/README.md"]
# Pages that begin with an empty folder: their models are those that they make.
FROM_NOTHING = {"docs/from-pytorch.md", "docs/from-scikit-learn.md"}
# Frame, and, but for Python, the model of the generated folder that it uses, with its target. By document, kind, and number
# among its kind. Python may do without one.
FRAMES = {("docs/guide.md", "cpp", 1): ("guide.cpp", "cpu", "digits.onnx"),
          ("docs/api.md", "cpp", 1): ("api.cpp", "cpu", "net.onnx"),
          ("docs/api.md", "cpp", 2): ("graph.cpp", "cuda", "net.onnx"),
          ("docs/api.md", "cpp", 3): ("chain.cpp", "cuda", "finder.onnx", "net.onnx --counted-dim batch"),
          ("docs/embedding.md", "cpp", 1): ("tiles.cpp", "cuda", "net.onnx"),
          ("docs/embedding.md", "cpp", 2): ("external.cpp", "cuda", "net.onnx"),
          ("docs/api.md", "c", 1): ("api.c", "cpu", "net.onnx"),
          ("tools/python/README.md", "python", 1): ("package.py",)}
# Pieces of generated code, word for word: the model that they are of, and the file.
QUOTES = {("README.md", "cpp", 1): ("digits.onnx", "digits.cpp")}
# Words in capitals that stand for one of several; each is tried.
WORDS = {"STAGE": ["import", "shape", "simplify", "place", "structure", "fuse", "select", "plan"]}
# What is known to fail, by document and a part of its text: the reason. A line that no longer fails is an error.
EXPECTED_FAILURES = {}


class Document:
    def __init__(self, name, path, scratch):
        self.name, self.path = name, path
        self.shop = Workshop(scratch / name.replace("/", "-").removesuffix(".md"))
        if name not in FROM_NOTHING:
            self.shop.add_files()
        self.numbers = {}

    def run(self, snippet):
        number = self.numbers[snippet.kind] = self.numbers.get(snippet.kind, 0) + 1
        if snippet.kind == "shell":
            for text in expand(snippet.text):
                self.shop.run(text)
        elif snippet.kind == "console":
            self.shop.run_console(snippet.text)
        elif snippet.kind == "file":
            self.write_file(snippet.text)
        elif snippet.kind == "cmake":
            self.run_cmake(snippet.text)
        elif snippet.kind == "python":
            self.run_python(snippet.text, *FRAMES.get((self.name, snippet.kind, number), ()))
        elif (self.name, snippet.kind, number) in QUOTES:
            self.find_quote(*QUOTES[self.name, snippet.kind, number], snippet.text)
        else:
            frame = FRAMES.get((self.name, snippet.kind, number))
            if not frame:
                raise Failed("no frame is known to run this piece of code in (tests/docs/documents.py)")
            self.run_code(snippet.text, *frame)

    def run_python(self, text, frame=None):
        """As the file that its first line names, which what follows may import, or as a script without a name."""
        name = re.match(r"# ([a-z]\w*\.py)\n", text)
        if frame:
            text = (HERE / "frames" / frame).read_text().replace("# SNIPPET\n", text)
        script = self.shop.folder / (name[1] if name else "snippet.py")
        script.write_text(text)
        self.shop.run(f"python3 {script.name}")

    def write_file(self, text):
        """What its first line names, for the commands behind it."""
        name = re.match(r"# ([a-z]\w*\.\w+)\n", text)
        if not name:
            raise Failed("the first line of a file names it")
        (self.shop.folder / name[1]).write_text(text)

    def find_quote(self, model, file, text):
        self.shop.run(f"cameo compile {model} -o quoted")
        if text not in (self.shop.folder / "quoted" / file).read_text():
            raise Failed(f"{file} of {model} has no such lines")

    def run_code(self, text, frame, target, *models):
        """`models` with the flags that each is compiled with."""
        nets = {}
        for model in models:
            library = Path(model.split()[0]).stem
            nets[library] = self.shop.folder / f"generated-{len(nets)}-{library}-{target}"
            self.shop.run(f"cameo compile {model} --target {target} -o {nets[library]}")
        self.shop.build_and_run(frame, text, nets, "-DCAMEO_EMULATE=ON" if target == "cuda" else "")

    def run_cmake(self, text):
        """In a project beside net.onnx and the folder that is made of it, and with an installed Cameo at hand."""
        project = self.shop.folder / "project"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        frame = (HERE / "frames" / "folder.cmake").read_text()
        (project / "CMakeLists.txt").write_text(frame.replace("# SNIPPET\n", text))
        shutil.copy(HERE / "frames" / "app.cpp", project)
        shutil.copy(self.shop.folder / "net.onnx", project)
        self.shop.run("cameo compile net.onnx -o net", folder=project)
        prefix = self.shop.folder / "prefix"
        if "find_package" in text and not prefix.exists():
            self.shop.run(f"cmake --install {CAMEO.parents[1]} --prefix {prefix}")
        self.shop.build_project(project, CMAKE_PREFIX_PATH=str(prefix))
        self.shop.run("build/app", folder=project)


def expand(text):
    for word, choices in WORDS.items():
        if word in text:
            return [text.replace(word, choice) for choice in choices]
    return [text]


def get_expected(snippet):
    for (document, part), reason in EXPECTED_FAILURES.items():
        if snippet.document == document and part in snippet.text:
            return reason
    return None


def judge(document, snippet):
    """How it went, and what there is to say."""
    if snippet.kind == "text":
        return "no code", snippet.reason
    if snippet.reason:
        return "not run", snippet.reason
    missing = [module for module in snippet.needs if not importlib.util.find_spec(module)]
    if missing:
        return "SKIP", f"no {', '.join(missing)} in {sys.executable}"
    expected = get_expected(snippet)
    try:
        document.run(snippet)
    except Skipped as reason:
        return "SKIP", str(reason)
    except Failed as problem:
        return ("expected failure", expected) if expected else ("FAILED", str(problem))
    return ("FAILED", "was expected to fail and does not: take its line out") if expected else ("passed", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scratch", nargs="?", default=Path(tempfile.gettempdir(), "cameo-docs"), type=Path)
    parser.add_argument("--only", choices=DOCUMENTS)
    parser.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    counts, read = {}, {}
    for name in [arguments.only] if arguments.only else DOCUMENTS:
        try:
            read[name] = read_snippets(arguments.file or ROOT / name, name)
        except BadDocument as problem:
            print(f"FAILED {problem}")
            counts["FAILED"] = counts.get("FAILED", 0) + 1
    runnable = [name for name, snippets in read.items() if any(s.kind != "text" and not s.reason for s in snippets)]
    if arguments.only:
        runnable = list(read)
    elif LONG > 1:
        changed = [name for name in runnable if name in CHANGED]
        runnable = [*changed, *(name for name in sample("docs.documents", runnable, LONG) if name not in changed)]
    for name in runnable:
        document = Document(name, arguments.file or ROOT / name, arguments.scratch.resolve())
        for snippet in read[name]:
            start = time.monotonic()
            how, words = judge(document, snippet)
            counts[how] = counts.get(how, 0) + 1
            print(f"{how}: {snippet} {time.monotonic() - start:.1f} s{': ' if words else ''}{words}", flush=True)
    print(", ".join(f"{count} {how}" for how, count in sorted(counts.items())))
    sys.exit(bool(counts.get("FAILED")) or not (counts.get("passed") or counts.get("SKIP")))


if __name__ == "__main__":
    main()
