#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""register_tiles.py SCRATCH COMPILER FLAG...: the multiply-accumulate loops of the CPU templates' register tiles, as the
compiler makes them with these flags, keep vectors in registers: none of them, nor anything else, is written to the stack or
read from there, but for a few addresses that are read: x86-64 has 16 registers for the addresses of up to 14 pixels. A tile
too large for any machine is among them, which has to be convicted.
"""
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cpp")
TILES = ("multiply_tile", "dot_tile", "stream_tile", "blocked_conv_tile", "blocked_planes_tile", "depthwise_tile", "direct_run",
         "byte_conv_tile", "multiply_bytes")
TILE = re.compile(rf"(_ZN\d\w*?\d({'|'.join(TILES)})I\w*):")
TOO_LARGE = "multiply_tileIfLi40ELi2E"
# As generated folders are built (codegen_templates/skeleton/CMakeLists.cpu.txt).
FLAGS = ["-std=c++17", "-O3", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]

# Of how many instructions one may read an address from the stack.
READS = 7
# What spills all the same: a part of the command, the tiles, how many instructions may be on the stack.
KNOWN = [
    # 28 sums and 4 columns in 32 registers: g++ has one sum on the stack, 2 of 48 instructions, at 160 GFLOP/s on a Xeon.
    # Two columns for these seven rows, which spill nothing, make 140.
    ("-march=x86-64-v4", r"multiply_tile<(float|double), 7, 4>", 6),
    ("-march=x86-64-v4", r"multiply_tile<unsigned (int|long), 7, 4>", 8),
    # Integers that take several instructions a product and registers for each: up to 28 of 160. With half as many rows
    # nothing spills, and products of 3 and of 12 rows are 10 and 2 % slower.
    ("-march=x86-64", r"multiply_tile<unsigned (int|long), .*>", 28),
    ("-march=x86-64-v3", r"multiply_tile<unsigned long, .*>", 18),
    # Two rows of quads become shorts at once, beside eight vectors of sums and codes: one sum, 2 of 33 instructions, by g++ only.
    ("g++ -march=x86-64", r"multiply_bytes<2, 1, 1, .*<8> >", 2),
    # Products of 64 bits are made in general registers on NEON, and clang hands some on through the stack: 15 of 116.
    ("--target=aarch64-linux-gnu", r"multiply_tile<unsigned long, .*>", 15),
    # 12 sums and 4 columns in 16 registers, by clang only: 4 of 55 instructions, 2 of 32 where products are added at once.
    ("clang++-22 -march=x86-64", r"multiply_tile<(float|double), 3, 4>", 4),
    ("clang++-22 -march=x86-64", r"blocked_(conv|planes)_tile<.*3, 1, [012](, (true|false))?>", 6),
    ("clang++-22 -march=x86-64", r"direct_run<unsigned long, 8>", 4),
    ("clang++-22 -march=x86-64-v3", r"multiply_tile<(float|double), 3, 4>", 2),
    # 5 sums and 7 weights in 16 registers: one sum, 2 of 57 instructions; four sums would read the weights more often.
    ("clang++-22 -march=x86-64-v3", r"depthwise_tile<5, [12], 7>", 2),
    ("clang++-22 -march=x86-64-v3", r"multiply_tile<unsigned int, 3, 4>", 8),
    ("clang++-22 -march=x86-64-v4", r"multiply_tile<unsigned long, 14, 2>", 2),
    # It reads all inputs of a step first, of listed channels at strides that are no constants: 94 instructions.
    ("clang++-22 -march=x86-64-v4", r"blocked_conv_tile<.*\)1, 1[34], 2, 0, (true|false)>", 32),
]

LABEL = re.compile(r"(\.\w+):")
CONDITIONS = "eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|any|none"
JUMP = re.compile(rf"(?:j\w+|b|b\.?(?:{CONDITIONS})|cbn?z|tbn?z)\s(?:.*[\s,])?(\.\w+)$")
LEAVES = re.compile(r"(?:jmp|b|br|ret\w?|ud2|brk)(?:\s|$)")
# What tiles are for; NEON multiplies vectors of 64-bit integers one element at a time.
MULTIPLY = re.compile(r"v?mulp[sd]|vfn?m(?:add|sub)\w*p[sd]|v?pmul[lu]\w+|v?pmadd(?:wd|ubsw)|vpdpbusd|"
                      r"(?:fmla|fmul|mla|mul|[su]mlal2?|[su]mull2?)\s+v\d|mul\s+x")
# A call uses the stack, and so do these.
STACK = re.compile(r"(?:call|push|pop)q?\s|blr?\s|.*(?:\(%rsp\b|\[sp\b)")
FRAME = re.compile(r".*(?:\(%rbp\b|\[x29\b)")
HAS_FRAME = re.compile(r"movq\s+%rsp, %rbp|(?:mov|add)\s+x29, sp")
# A number that is read into a general register, or compared with one.
READ = re.compile(r"(?:mov|add|sub|imul)[lq]\s+-?\d*\(\S+\), *%r\w+$|cmp[lq]\s|ld[rp]\s+[xw]")
COMMENT = re.compile(r"\s*(?:#(?!-?\d)|//|; kill).*")


def functions(assembly):
    """(kind of tile, symbol, instructions and labels) of every tile."""
    name = None
    for line in map(str.strip, assembly.splitlines()):
        line = COMMENT.sub("", line)
        if found := TILE.match(line):
            name, kind, lines = found[1], found[2], []
        elif name and line.startswith(".size"):
            yield kind, name, lines
            name = None
        elif name and (LABEL.match(line) or re.match(r"\w", line)):
            lines.append(line)


def successors(lines):
    labels = {found[1]: at for at, line in enumerate(lines) if (found := LABEL.match(line))}
    after = {}
    for at, line in enumerate(lines):
        found = JUMP.match(line)
        after[at] = [labels[found[1]]] if found and found[1] in labels else []
        if at + 1 < len(lines) and not LEAVES.match(line):
            after[at].append(at + 1)
    return after


def visit(start, edges, seen):
    """What `start` leads to, itself last, and what `seen` has left out; all of it is seen then."""
    seen.add(start)
    order, waiting = [], [(start, iter(edges[start]))]
    while waiting:
        node, others = waiting[-1]
        other = next((other for other in others if other in edges and other not in seen), None)
        if other is None:
            order.append(node)
            waiting.pop()
        else:
            seen.add(other)
            waiting.append((other, iter(edges[other])))
    return order


def cycles(after):
    """The sets of lines each of which leads to all others of its set (Kosaraju)."""
    before = {at: [] for at in after}
    for at, others in after.items():
        for other in others:
            if other in before:
                before[other].append(at)
    seen, order, taken = set(), [], set()
    for at in after:
        if at not in seen:
            order += visit(at, after, seen)
    for at in reversed(order):
        if at not in taken:
            part = visit(at, before, taken)
            if len(part) > 1 or at in after[at]:
                yield set(part)


def innermost_loops(after):
    """The cycles that have none within once nothing leads to where they are entered."""
    for cycle in cycles(after):
        entries = {other for at in after if at not in cycle for other in after[at] if other in cycle}
        rest = {at: [other for other in after[at] if other in cycle and other not in entries] for at in cycle}
        within = list(innermost_loops(rest)) if entries else []
        yield from within or [cycle]


def stack_of(lines):
    """The loops of a tile that multiply, and the instructions of each that are on the stack."""
    has_frame = any(HAS_FRAME.match(line) for line in lines)
    for cycle in innermost_loops(successors(lines)):
        loop = [lines[at] for at in sorted(cycle) if not LABEL.match(lines[at])]
        if any(map(MULTIPLY.match, loop)):
            yield loop, [line for line in loop if STACK.match(line) or has_frame and FRAME.match(line)]


def faults_of(lines, most):
    """What is wrong with a tile of whose loop so many instructions may be on the stack."""
    loops = list(stack_of(lines))
    if not loops:
        yield "no loop that multiplies: MULTIPLY has the instructions that register_tiles.py looks for"
    for loop, found in loops:
        spills = [line for line in found if not READ.match(line)]
        if len(spills) > most or READS * (len(found) - len(spills)) > len(loop):
            yield f"{len(found)} of {len(loop)} instructions of its loop are on the stack: " + "; ".join(
                (spills or found)[:4]).replace("\t", " ")


def demangled(names):
    """`multiply_tile<float, 14, 2>` and so on, by symbol."""
    tool = shutil.which("c++filt") or shutil.which("llvm-cxxfilt-22")
    text = subprocess.run([tool], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    start = re.compile(rf"^.*?((?:{'|'.join(TILES)})<.*?>)\(const .*|^.*?((?:{'|'.join(TILES)})<.*?>)\(.*")
    return dict(zip(names, (start.sub(r"\1\2", re.sub(r"cameo::cpu::\w+::", "", line)) for line in text.splitlines())))


def assembly_of(out, compiler, flags):
    out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([compiler, *FLAGS, *flags, "-S", SOURCE, "-o", out], check=True)
    return out.read_text()


def judge(tiles, known):
    """How many tiles of each kind there are, and what is wrong; `known`: what spills, of KNOWN, by the tiles' names."""
    names = demangled([symbol for _, symbol, _ in tiles])
    count, faults, is_convicted, spilled = Counter(), [], False, set()
    for kind, symbol, lines in tiles:
        if TOO_LARGE in symbol:
            is_convicted = any(faults_of(lines, 0))
            continue
        count[kind] += 1
        allowed = next((pattern for pattern in known if re.fullmatch(pattern, names[symbol])), None)
        faults += [f"{names[symbol]}: {fault}" for fault in faults_of(lines, known.get(allowed, 0))]
        if allowed and any(faults_of(lines, 0)):
            spilled.add(allowed)
    faults += [f"none of {kind} is there: register_tiles.cpp names all" for kind in TILES if not count[kind]]
    faults += [f"{pattern}: spills no more; take it out of KNOWN" for pattern in known if pattern not in spilled]
    if not is_convicted:
        faults.append(f"{TOO_LARGE} cannot be in registers, and nothing is found on the stack")
    return count, faults


def main():
    scratch, compiler, *flags = sys.argv[1:]
    for tool in [compiler, *(["aarch64-linux-gnu-g++"] if "--target=aarch64-linux-gnu" in flags else [])]:
        if not shutil.which(tool):
            print(f"SKIP: no {tool}, which a build does not need (tools/setup --embedded)")
            sys.exit(77)
    command = " ".join([Path(compiler).name, *(flag for flag in flags if flag.startswith(("-m", "--target")))])
    known = {pattern: most for part, pattern, most in KNOWN if re.search(re.escape(part) + r"(?!\S)", command)}
    count, faults = judge(list(functions(assembly_of(Path(scratch), compiler, flags))), known)
    if faults:
        print(f"{command}:", *faults, "A tile with fewer sums, of tile_shape (cpu/simd.h), blocked_tile or byte_tile, mends it; "
              f"the loop is in {scratch}.", sep="\n")
    else:
        tiles = ", ".join(f"{n} {kind}" for kind, n in count.items())
        print(f"{command}: {tiles}; {len(known)} lines of KNOWN spill")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
