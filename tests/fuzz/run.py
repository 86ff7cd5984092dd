#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One fuzz target: run.py PROGRAM SOURCE SCRATCH [--grow[=MORE]].

Replays SOURCE/corpus/NAME, then mutates it for CAMEO_FUZZ_SECONDS (default 60) from CAMEO_FUZZ_SEED (default: the day).
What ends the program is left in SCRATCH/NAME/found and fails the test. --grow then reduces the corpus, what was found on
the way, and MORE/NAME to a small set that reaches the same, and writes it back.
"""
import argparse
import datetime
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Memory and seconds are promises too: an input within them may not take much of either.
LIMITS = ["-rss_limit_mb=2048", "-malloc_limit_mb=512", "-timeout=20"]
LARGEST = {"import": 4096, "compile": 4096, "external": 512, "extents": 400, "weights": 4096}


def count(folder):
    return sum(1 for _ in folder.iterdir())


def last_lines(text, number=60):
    return "\n".join(text.splitlines()[-number:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--grow", nargs="?", const="", metavar="MORE")
    arguments = parser.parse_args()

    name = arguments.program.name.removeprefix("fuzz_")
    corpus = arguments.source / "corpus" / name
    seconds = int(os.environ.get("CAMEO_FUZZ_SECONDS", 60))
    seed = int(os.environ.get("CAMEO_FUZZ_SEED", datetime.date.today().toordinal()))
    folder = arguments.scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    new, found = folder / "new", folder / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    new.mkdir(parents=True)
    found.mkdir()

    options = [f"-max_len={LARGEST[name]}", f"-artifact_prefix={found}/", *LIMITS]
    dictionary = arguments.source / f"{name}.dict"
    if dictionary.exists():
        options.append(f"-dict={dictionary}")
    done = subprocess.run([arguments.program, new, corpus, f"-max_total_time={seconds}", f"-seed={seed}",
                           "-print_final_stats=1", *options], capture_output=True, text=True)
    artifacts = sorted(found.iterdir())
    if done.returncode != 0 or artifacts:
        print(last_lines(done.stderr))
        print(f"fuzz_{name} -seed={seed}: exit {done.returncode}; {', '.join(map(str, artifacts)) or 'no input kept'}")
        sys.exit(1)
    runs = [line for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    if not runs or int(runs[0].split()[-1]) <= count(corpus):
        print(last_lines(done.stderr))
        print("the corpus was not even replayed in the time given")
        sys.exit(1)
    print(f"fuzz_{name}: seed {seed}, {runs[0].split()[-1]} inputs in {seconds} s, "
          f"{count(corpus)} kept in the repository, {count(new)} new")

    if arguments.grow is not None:
        merged = folder / "merged"
        merged.mkdir()
        more = [Path(arguments.grow) / name] if arguments.grow else []
        # By what is reached, not by how often: a corpus of a tenth, and the next run finds the rest in seconds.
        subprocess.run([arguments.program, "-merge=1", "-use_counters=0", merged, corpus, *more, new, *options],
                       check=True, capture_output=True)
        shutil.rmtree(corpus)
        shutil.copytree(merged, corpus)
        print(f"{corpus}: {count(corpus)} inputs, {sum(f.stat().st_size for f in corpus.iterdir())} bytes")


main()
