# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas made of kernels: registers, stack and spills from its log; instructions, their schedule and the loops that
they are in from nvdisasm's text of a cubin.

An instruction of sm_80 and later is 128 bits. The upper word has ptxas's own schedule from bit 41 on (Jia et al.,
arXiv 1804.06826): the cycles that the warp waits behind it, which of six barriers it opens until its result is there, or
until its operands are read, and which barriers it waits for."""
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The first pattern that an opcode begins with is its class; an opcode without one is a class of its own.
CLASSES = [(name, re.compile(pattern)) for name, pattern in (
    ("HMMA", "HGMMA|HMMA|IMMA|QGMMA|IGMMA"), ("FFMA", "FFMA"), ("DFMA", "DFMA"), ("HFMA2", "HFMA2"), ("FP32", "F(ADD|MUL)"),
    ("MUFU", "MUFU"), ("LDGSTS", "LDGSTS"), ("DEPBAR", "(LDG)?DEPBAR"), ("LDSM", "LDSM|STSM"), ("LDG", r"LDG|LD\.E"), ("STG", r"STG|ST\.E"), ("LDS", "LDS"),
    ("STS", "STS"), ("LOCAL", "LDL|STL"), ("CONSTANT", "U?LDC"), ("BAR", "BAR|SYNCS|WARPSYNC"), ("SHFL", "SHFL"),
    ("CONVERT", "F2F|I2F|F2I|FRND"), ("ATOM", "ATOM|RED"), ("BRANCH", "BRA|EXIT|CALL|RET|BSSY|BSYNC|BREAK"),
    ("INT", "U?(IMAD|IADD|LEA|LOP3|SHF|ISETP|SEL|IMNMX|VIADD|VIMNMX|PRMT|MOV|IABS|PLOP3|POPC|FLO|SGXT)|R2UR|S2|CS2R"))]
ACCESSES = ("LDG", "STG", "LDS", "STS", "LDGSTS")


def find_nvdisasm():
    """The program that tools/setup --cuda installs; none where it did not."""
    return next(iter(ROOT.glob(".nvdisasm/lib/python3*/site-packages/nvidia/cu13/bin/nvdisasm")), None)


@dataclass
class Instruction:
    text: str
    cycles: int = 1  # that the warp waits behind it
    writes: int = 7  # the barrier that its result opens; 7: none
    reads: int = 7   # the barrier that its operands open; 7: none
    waits: int = 0   # for these barriers, a bit each

    def schedule(self, word):
        bits = word >> 41
        self.cycles, self.writes, self.reads, self.waits = max(bits & 15, 1), bits >> 5 & 7, bits >> 8 & 7, bits >> 11 & 63

    @property
    def opcode(self):
        return re.sub(r"^@!?U?P\w+\s+", "", self.text).split()[0]

    @cached_property
    def kind(self):
        return next((name for name, pattern in CLASSES if pattern.match(self.opcode)), self.opcode.split(".")[0])

    @property
    def is_idle(self):
        """Whether it only lets cycles pass: ptxas puts a load that nobody executes in front of asynchronous copies."""
        return self.opcode == "NOP" or self.text.startswith(("@!PT ", "@!UPT "))

    @cached_property
    def width(self):
        """Bits of an access by one thread."""
        found = re.search(r"\.[US]?(128|64|16|8)(?=\.|$)", self.opcode)
        return int(found.group(1)) if found else 32


@dataclass
class Loop:
    """The instructions of one pass and the loops among them, in their order."""
    begin: int
    end: int
    items: list = field(default_factory=list)
    children: list = field(default_factory=list)

    @cached_property
    def own(self):
        return [item for item in self.items if isinstance(item, Instruction)]

    def count(self, kind):
        """In one pass of everything."""
        return sum(i.kind == kind for i in self.own) + sum(child.count(kind) for child in self.children)

    def terms(self):
        """That the tensor core adds to each of the sums that it is given in one pass of everything."""
        own = sum(8 if ".1688." in i.opcode else 16 for i in self.own if i.kind == "HMMA")
        return own + sum(child.terms() for child in self.children)


@dataclass(frozen=True)
class Tile:
    """Of a kernel of tensor_tiles.h, as its name says: of the block, and of a warp; each of `slices` of the depth has warps."""
    rows: int
    columns: int
    warp_rows: int
    warp_columns: int
    stages: int
    slices: int = 1

    # Terms of a step of 128 bytes: 64 of 16 bits; 32 of 32 bits, once or in three products.
    STEPS = {64: 64, 32: 32, 96: 32}

    @property
    def threads(self):
        """Of a slice."""
        return 32 * (self.rows // self.warp_rows) * (self.columns // self.warp_columns)

    @property
    def fragments(self):
        return self.warp_rows // 16 * self.warp_columns // 8

    def depth(self, terms):
        """The steps of k of a loop with so many terms in its products; None if these are not the tile's."""
        whole, rest = divmod(terms, self.fragments)
        return None if rest else self.STEPS.get(whole)

    @property
    def stored_at_once(self):
        """Sums that a thread reads in a loop that stores, of all slices."""
        return self.warp_rows * min(self.warp_columns, 32) // 32


def find_tile(name):
    found = re.search("tensor_tile" + "I" + "E".join([r"Li(\d+)"] * 6) + "E", name)
    return Tile(*map(int, found.groups())) if found else None


@dataclass(frozen=True)
class AttentionTile:
    """Of a kernel of attention_tiles.h, as its name says: what rows of queries and of results have, how many of 16 queries a
    block has, in how many slices its keys are, and the keys of a slice's step."""
    depth: int
    size: int
    warps: int
    slices: int
    warp_keys: int

    @property
    def read_at_end(self):
        """Sums of all slices that a thread reads in the loop that stores."""
        return 16 * self.size // 32


def find_attention_tile(name):
    found = re.search("attention_tileI.+?Lb[01]E" + "E".join([r"Li(\d+)"] * 5) + "E", name)
    return AttentionTile(*map(int, found.groups())) if found else None


@dataclass
class Kernel:
    """`body` is what is run once; its children are the outermost loops."""
    body: Loop
    instructions: list

    def mix(self):
        return Counter(i.kind for i in self.instructions)

    def main_loops(self):
        """The outermost loops that read memory and multiply but store nothing: those over the depth of a product."""
        def find(loops):
            for loop in loops:
                if loop.count("FFMA") + loop.count("HMMA") and loop.count("LDG") + loop.count("LDGSTS") and not loop.count("STG"):
                    yield loop
                else:
                    yield from find(loop.children)
        return list(find(self.body.children))

    def tile_loops(self):
        """The loops over the depth of products on the tensor core, whatever the tile."""
        def find(loops):
            for loop in loops:
                if loop.count("HMMA") and not loop.count("STG"):
                    yield loop
                else:
                    yield from find(loop.children)
        return list(find(self.body.children))

    def widths(self):
        return Counter(f"{i.kind}.{i.width}" for i in self.instructions if i.kind in ACCESSES)


def find_loops(instructions, labels):
    """(first, last) of each loop: a branch back to a label. Of loops with one head, the longest."""
    heads = {}
    for at, instruction in enumerate(instructions):
        target = re.search(r"BRA.*?`\((\.L\w+)\)", instruction.text)
        head = labels.get(target.group(1)) if target else None
        if head is not None and head < at:  # a branch to itself is the trap behind the end
            heads[head] = max(at, heads.get(head, 0))
    return sorted(heads.items(), key=lambda loop: (loop[0], -loop[1]))


def make_kernel(instructions, labels):
    body = Loop(0, len(instructions) - 1)
    stack = [body]
    for begin, end in find_loops(instructions, labels):
        while not stack[-1].begin <= begin <= end <= stack[-1].end:
            stack.pop()
        loop = Loop(begin, end)
        stack[-1].children.append(loop)
        stack.append(loop)

    def fill(loop):
        at, heads = loop.begin, {child.begin: child for child in loop.children}
        while at <= loop.end:
            loop.items.append(heads.get(at) or instructions[at])
            at = heads[at].end + 1 if at in heads else at + 1
        for child in loop.children:
            fill(child)
    fill(body)
    return Kernel(body, instructions)


def read_cubin(nvdisasm, cubin):
    """Kernel by mangled name."""
    text = subprocess.run([nvdisasm, "-c", "-hex", cubin], capture_output=True, text=True, check=True).stdout
    kernels = {}
    for section in re.split(r"^\s*\.section\s+\.text\.", text, flags=re.M)[1:]:
        instructions, labels = [], {}
        for line in section.splitlines():
            if label := re.match(r"\s*(\.L\w+):", line):
                labels[label.group(1)] = len(instructions)
            elif found := re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(.*?);", line):
                instructions.append(Instruction(found.group(1).strip()))
            elif (upper := re.match(r"\s+/\* 0x([0-9a-f]{16}) \*/", line)) and instructions:
                instructions[-1].schedule(int(upper.group(1), 16))
        kernels[section.split(",")[0]] = make_kernel(instructions, labels)
    return kernels


def read_log(text):
    """Of ptxas -v: registers, bytes of stack and of spills by architecture and mangled name, and what it has to remark."""
    resources, remarks, now = {}, [], None
    for line in text.splitlines():
        if found := re.search(r"Compiling entry function '(\S+)' for 'sm_(\w+)'", line):
            now = resources.setdefault(found.group(2), {}).setdefault(found.group(1), {"registers": 0, "stack": 0, "spills": 0})
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            if now is not None:
                now["stack"], now["spills"] = int(found.group(1)), int(found.group(2)) + int(found.group(3))
        elif (found := re.search(r"Used (\d+) registers", line)) and now is not None:
            now["registers"] = int(found.group(1))
        elif re.search(r"\(C75\d\d\)|Potential Performance Loss", line):
            remarks.append(line.strip())
    return resources, remarks
