#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults planted in the code under test must be convicted: planted.py BUILD SCRATCH NAME, or planted.py --fit, which only
looks that every fault still fits its source (in every build, for the sanitized ones run late and seldom).

Takes a program of a Ninja build, alters one source in a copy, compiles that copy as the build compiles the source, links
the program as the build links it but with the altered object, and runs it: the sanitizer must end it and say what it is
about. The same run of the unaltered program must succeed, else the fault would prove nothing.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from plants import PLANTS

ROOT = Path(__file__).resolve().parents[2]


def fail(*lines):
    print(*lines, sep="\n")
    sys.exit(1)


def shell(command, folder):
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        fail(command, done.stdout[-2000:], done.stderr[-4000:])


def altered_text(plant):
    """A fault that no longer fits the source is one nobody plants."""
    text = (ROOT / plant.source).read_text()
    if text.count(plant.old) != 1:
        fail(f"{plant.source}: {text.count(plant.old)} times {plant.old!r}: mend plants.py")
    return text.replace(plant.old, plant.new)


def alter(plant, folder):
    copy = folder / "include" / plant.include if plant.include else folder / Path(plant.source).name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(altered_text(plant))
    return copy


def replace_once(command, old, new):
    if command.count(old) != 1:
        fail(f"{command.count(old)} times {old!r} in the build's command: {command}")
    return command.replace(old, new)


def build(plant, build_folder, folder):
    """The program with the fault in it."""
    commands = subprocess.run(["ninja", "-t", "commands", plant.program], cwd=build_folder, capture_output=True,
                              text=True, check=True).stdout.splitlines()
    unit = ROOT / (plant.unit or plant.source)
    compiles = [c for c in commands if re.search(rf"-c {re.escape(str(unit))}( |$)", c)]
    compiles = [c for c in compiles if f"/{plant.program}.dir/" in c] or compiles
    if not compiles:
        fail(f"{plant.program} does not compile {unit}")
    command, link = compiles[0], commands[-1]
    made = re.search(r" -o (\S+)", command).group(1)
    program = re.search(r" -o (\S+)", link).group(1)
    altered = folder / "altered.o"

    copy = alter(plant, folder)
    command = replace_once(command, f" -o {made}", f" -o {altered}")
    command = command.replace(f" -MF {made}.d", f" -MF {altered}.d")
    if plant.include:
        command = command.replace(" -I", f" -I{folder / 'include'} -I", 1)
    else:
        command = replace_once(command, f"-c {unit}", f"-I{unit.parent} -c {copy}")
    shell(command, build_folder)

    # An object of the program itself is replaced; one of a library comes before the library, which is then not asked.
    result = folder / Path(program).name
    link = replace_once(link, f" -o {program}", f" -o {result}" + ("" if made in link else f" {altered}"))
    link = re.sub(rf"(?<=\s){re.escape(made)}(?=\s)", str(altered), link)
    shell(link, build_folder)
    return result, build_folder / program


def run(plant, program, folder):
    environment = dict(os.environ, **{key: text.format(folder=folder) for key, text in plant.environment.items()})
    command = [str(program)] + [argument.format(root=ROOT, folder=folder) for argument in shlex.split(plant.arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


def main():
    if sys.argv[1:] == ["--fit"]:
        for plant in PLANTS.values():
            altered_text(plant)
        return
    build_folder, scratch, name = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3]
    plant = PLANTS[name]
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    altered, sound = build(plant, build_folder, folder)
    if plant.prepare:
        plant.prepare(folder)

    done = run(plant, sound, folder)
    if done.returncode != 0:
        fail(f"without the fault: exit {done.returncode}", done.stdout[-2000:], done.stderr[-4000:])
    done = run(plant, altered, folder)
    said = done.stdout + done.stderr + "".join(report.read_text() for report in folder.glob("report.*"))
    if done.returncode == 0 or not re.search(plant.verdict, said):
        fail(f"with the fault: exit {done.returncode}, and nothing that matches {plant.verdict!r}", said[-4000:])
    print(f"{name}: exit {done.returncode}, {re.search(plant.verdict, said).group(0)}")


main()
