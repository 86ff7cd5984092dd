# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a launch takes on a GPU that is not at hand: from the kernel's instructions as ptxas scheduled them, how often its
loops run, and the bytes that the plan says it touches.

The constants are frozen: one changes only with a measurement or a published source, and all lines of the table are
computed anew then. They rank kernels; a time is right within a factor of two at best."""
import math
import re
from dataclasses import dataclass

import sass

# Cycles until the result of an instruction is there that ptxas cannot know them of, and until the operands of one are read;
# of a barrier, from the last warp's arrival on. Estimates.
LATENCY = {"LDG": 450, "LDGSTS": 450, "ATOM": 450, "LOCAL": 200, "LDS": 30, "LDSM": 33, "HMMA": 33, "MUFU": 35}
OTHER_LATENCY, READ_LATENCY, BARRIER = 25, 15, 40
# More steps than any kernel copies ahead.
AHEAD = 8
# Cycles from a block's begin to its first instruction's operands, and from its last store to the next block.
ENDS = 900
# Warp instructions a cycle and multiprocessor that can be issued; cycles of one that a unit of few lanes is busy for.
ISSUED, MUFU_CYCLES = 4, 2
HMMA_OPERATIONS = 4096  # of one m16n8k16
# Of codegen_templates/cuda: steps of k at a time, products a step and thread, results of a tile; and the blocks up to which
# a grid grows with its work.
TILE_DEPTH, TILE_FMAS, TILE_RESULTS = 16, 16, 4096
MOST_BLOCKS = 16384


@dataclass(frozen=True)
class Machine:
    """Rates of one multiprocessor a cycle, bytes a second of all; `peak`: operations a second in 16 and in 32 bits."""
    arch: str
    multiprocessors: int
    hertz: float
    dram: float
    l2: float
    l2_bytes: float
    shared: int
    threads: int
    blocks: int
    mma: float
    peak: dict
    gap: float  # seconds from a kernel's end to the next one's begin, in a stream
    registers: int = 65536


# Clocks under load and bandwidth as published measurements have them, the rest by NVIDIA's data sheets; the gap and the
# L2 rate of the RTX 5090 are estimates. mma.sync reaches two thirds of the tensor core's rate on an H100 (ptxas spaces it so).
MACHINES = {
    "H100": Machine("90", 132, 1.70e9, 3.0e12, 6.8e12, 50e6, 233472, 2048, 32, 2731, {16: 989e12, 32: 494e12}, 1.3e-6),
    "A100": Machine("80", 108, 1.41e9, 1.35e12, 4.8e12, 40e6, 167936, 2048, 32, 2048, {16: 312e12, 32: 156e12}, 1.3e-6),
    "RTX 5090": Machine("120", 170, 2.41e9, 1.6e12, 8.0e12, 96e6, 102400, 1536, 24, 512, {16: 209e12, 32: 105e12}, 1.3e-6),
}


class Passes:
    """How often the loops of a kernel run in a launch whose threads go through `depth` elements, 0 where nothing says so.

    A loop around stores goes over pieces of the output, of which a block has `outer`. Inside, a product's loop goes over
    its depth: as many passes as its multiplications say. Other loops that read go over a row: as many passes as they have
    elements in turn, over the times that the compiler unrolled them, which a rest of the loop beside them shows."""
    def __init__(self, body, depth, outer, fmas):
        self.depth, self.outer, self.fmas = depth, outer, fmas
        self.of, self.are_known = {}, True
        self.visit(body.children)

    def visit(self, loops):
        multiplies = [loop.count("FFMA") if self.fmas and loop.count("LDG") else 0 for loop in loops]
        for loop, count in zip(loops, multiplies):
            reads, stores = loop.count("LDG"), loop.count("STG")
            if stores and (loop.children or not self.depth):
                self.of[id(loop)] = self.outer
                self.visit(loop.children)
            elif count:
                # Beside the loop of most multiplications stands the rest of the unrolled one.
                self.set_product(loop) if count == max(multiplies) else self.skip(loop)
            elif reads or stores:
                self.set_row(loop, loops)
            else:
                self.of[id(loop)] = 1
                self.visit(loop.children)

    def set_product(self, loop):
        own = sum(i.kind == "FFMA" for i in loop.own)
        inner = max(loop.children, key=lambda child: child.count("FFMA"), default=None)
        tile = min(TILE_DEPTH, self.depth) * self.fmas
        if inner is None or inner.count("FFMA") == 0 or own >= tile:
            self.of[id(loop)] = max(1, self.depth * self.fmas / own)
            inner = None
        else:
            self.of[id(loop)] = max(1, math.ceil(self.depth / TILE_DEPTH))
        for child in loop.children:
            self.skip(child)
        if inner is not None:
            self.of[id(inner)] = tile / inner.count("FFMA")

    def skip(self, loop):
        self.of[id(loop)] = 0
        self.visit_rest(loop)

    def visit_rest(self, loop):
        for child in loop.children:
            self.of[id(child)] = 1
            self.visit_rest(child)

    def set_row(self, loop, siblings):
        self.are_known = self.are_known and self.depth > 0
        accesses = loop.count("LDG") or loop.count("STG")
        at = siblings.index(loop)
        beside = [s.count("LDG") or s.count("STG") for s in siblings[max(0, at - 1):at + 2] if s is not loop]
        shorter = [a for a in beside if a and accesses % a == 0 and 2 <= accesses // a <= 16]
        longer = [a for a in beside if a % accesses == 0 and 2 <= a // accesses <= 16]
        unrolled = accesses // min(shorter) if shorter else 1
        self.of[id(loop)] = (self.depth % (max(longer) // accesses) if longer else self.depth // unrolled) if self.depth else 1
        self.visit_rest(loop)


class TilePasses(Passes):
    """Of tiles on the tensor core: their loop goes over the depth by the steps of its products, those that store go over a
    thread's elements, each of which is read from shared memory once. Sums that are done again are not."""
    def __init__(self, body, depth, outer, tile):
        self.tile = tile
        super().__init__(body, depth, outer, 0)

    def visit(self, loops):
        for loop in loops:
            if loop.count("HMMA") and not loop.count("STG"):
                step = self.tile.depth(loop.terms())
                self.are_known = self.are_known and step is not None
                self.of[id(loop)] = math.ceil(math.ceil(self.depth / (step or 64)) / self.tile.slices)
                self.visit_rest(loop)
            elif loop.count("HMMA"):
                self.of[id(loop)] = self.outer
                self.visit(loop.children)
            elif loop.count("STG"):
                self.of[id(loop)] = self.tile.stored_at_once / max(1, sum(i.kind == "LDS" for i in loop.own))
                for child in loop.children:
                    self.skip(child)
            else:
                self.skip(loop)


class AttentionPasses(Passes):
    """Of attention on the tensor core: the loop with its products goes over steps of keys, of which the launch tells how many
    there are. Sums that are done again are not."""
    def __init__(self, body, depth, outer, tile):
        self.tile = tile
        super().__init__(body, depth, outer, 0)

    def visit(self, loops):
        for loop in loops:
            if loop.count("HMMA") and loop.count("STG"):
                self.of[id(loop)] = self.outer
                self.visit(loop.children)
                continue
            read = sum(i.width / 32 for i in loop.own if i.kind == "LDS")
            if loop.count("HMMA"):
                self.of[id(loop)] = self.depth
            elif loop.count("STG"):
                self.of[id(loop)] = self.tile.read_at_end / max(1, read)
            else:
                self.of[id(loop)] = 0
            for child in loop.children:
                self.skip(child)


def add_up(loop, passes, total, times=1):
    """Instructions of all passes by kind, into `total`."""
    for instruction in loop.own:
        total["issued"] = total.get("issued", 0) + times
        total[instruction.kind] = total.get(instruction.kind, 0) + times
        if instruction.kind in ("LDG", "STG", "LDS", "STS"):
            # Lanes may read the same word of shared memory: no more than one line is sure.
            lines = 1 if instruction.kind == "LDS" else max(1, instruction.width / 32)
            total["lines"] = total.get("lines", 0) + times * lines
    for child in loop.children:
        add_up(child, passes, total, times * passes.of[id(child)])


class Warp:
    """One that has the machine to itself: the cycle that it is at, when the barriers open that it may wait for, and when its
    groups of asynchronous copies have landed."""
    def __init__(self):
        self.now, self.opens = 0, [0] * 8
        self.landed, self.landing = [], 0

    def go(self, loop, passes):
        for item in loop.items:
            if id(item) in passes.of:
                self.repeat(item, passes, passes.of[id(item)])
            else:
                self.step(item)

    def step(self, instruction):
        for barrier in range(6):
            if instruction.waits >> barrier & 1:
                self.now = max(self.now, self.opens[barrier])
        latency = LATENCY.get(instruction.kind, OTHER_LATENCY)
        if instruction.kind == "LDGSTS":
            self.landing = self.now + latency
        elif instruction.opcode == "LDGDEPBAR":
            self.landed.append(self.landing)
        elif found := re.match(r"DEPBAR\.LE SB0, 0x(\w+)", instruction.text):
            self.now = max([self.now, *self.landed[:len(self.landed) - int(found.group(1), 16)]])
        for barrier, cycles in ((instruction.writes, latency), (instruction.reads, READ_LATENCY)):
            self.opens[barrier] = max(self.opens[barrier], self.now + cycles)
        self.now += instruction.cycles + (BARRIER if instruction.kind == "BAR" else 0)

    def repeat(self, loop, passes, times):
        """The second pass stands for all that follow, of asynchronous copies some passes more: the first ones find nothing
        under way."""
        alike = AHEAD if loop.count("LDGSTS") and loop.count("DEPBAR") else 1
        warm = min(math.ceil(times), alike)
        for _ in range(warm):
            self.go(loop, passes)
        if times > warm:
            first, some = self.now, min(math.ceil(times - warm), alike)
            for _ in range(some):
                self.go(loop, passes)
            rest = (times - warm - some) / some * (self.now - first)
            self.now += rest
            self.opens = [at + rest for at in self.opens]
            self.landed = [at + rest for at in self.landed]
            self.landing += rest


def count_resident(machine, registers, threads, shared):
    """Blocks that a multiprocessor has room for."""
    warps = math.ceil(threads / 32)
    by_registers = machine.registers // (math.ceil(max(registers, 16) / 8) * 8 * 32 * warps)
    return max(1, min(by_registers, machine.shared // (shared + 1024), machine.threads // threads, machine.blocks))


def memory_seconds(machine, launch):
    """What the plan says is read and written, each tensor once: weights come from memory, and so does what is too large to
    lie in the L2 cache since the kernel before."""
    far = sum(b for b, is_weight, _ in launch["accesses"] if is_weight or b > machine.l2_bytes / 2)
    near = sum(b for b, _, _ in launch["accesses"]) - far
    return far / machine.dram + near / machine.l2


def of_machines(predicted):
    """What was predicted of a model (static's table), by machine: microseconds of a run launched by a stream, the least, and
    by kernel function, all its launches in a run together, and what binds the last of them. `--predicted` of `cameo bench` and
    `cameo explain` and the pack have it so."""
    machines = []
    for name, p in predicted.items():
        steps = {}
        for step, _, us, binds in p["launches"]:
            known = steps.setdefault(step, {"us": 0, "launches": 0})
            known.update(us=round(known["us"] + us, 2), launches=known["launches"] + 1, binds=binds)
        machines.append({"name": name, "arch": MACHINES[name].arch, "us": round(p["kernels_us"] + p["gaps_us"], 1),
                         "limit_us": p["limit_us"], "steps": steps})
    return machines


def limit_seconds(machine, launch, bits):
    return max(memory_seconds(machine, launch), launch["operations"] / machine.peak[bits])


def count_outer(launch, kernel, blocks, threads):
    """How many pieces of the output a block has: more than one only where the grid does not grow with them."""
    if blocks < MOST_BLOCKS:
        return 1
    widths = [i.width for i in kernel.instructions if i.kind == "STG"]
    elements = 8 * sum(written for written, _, writes in launch["accesses"] if writes) / max(widths, default=32)
    tile = sass.find_tile(launch["name"])
    at_once = blocks * (tile.rows * tile.columns if tile else TILE_RESULTS if "multiply_kernel" in launch["name"] else threads)
    return max(1, math.ceil(elements / at_once))


def predict(machine, launch, kernel, resources):
    """Seconds, what binds, and whether all loops' passes were known."""
    blocks, threads = math.prod(launch["grid"]), math.prod(launch["block"])
    fmas = TILE_FMAS if "multiply_kernel" in launch["name"] else 1 if re.search("conv_call|state_sums", launch["name"]) else 0
    outer, tile = count_outer(launch, kernel, blocks, threads), sass.find_tile(launch["name"])
    attention = sass.find_attention_tile(launch["name"])
    passes = (TilePasses(kernel.body, launch["depth"], outer, tile) if tile else
              AttentionPasses(kernel.body, launch["depth"], outer, attention) if attention else
              Passes(kernel.body, launch["depth"], outer, fmas))
    total = {}
    add_up(kernel.body, passes, total)
    warp = Warp()
    warp.go(kernel.body, passes)
    warps = math.ceil(threads / 32)
    of_block = {"issue": total["issued"] * warps / ISSUED, "loads and stores": total.get("lines", 0) * warps,
                "MUFU": total.get("MUFU", 0) * warps * MUFU_CYCLES,
                "tensor core": total.get("HMMA", 0) * warps * HMMA_OPERATIONS / machine.mma}
    unit = max(of_block, key=of_block.get)
    here = math.ceil(blocks / machine.multiprocessors)
    resident = count_resident(machine, resources["registers"], threads, launch["shared"])
    full, rest = divmod(here, resident)
    rounds = [resident] * full + ([rest] if rest else [])
    cycles = sum(max(warp.now, of_block[unit] * count) + ENDS for count in rounds)
    binds = unit if of_block[unit] * max(rounds) > warp.now else "latency"
    memory = memory_seconds(machine, launch)
    seconds = cycles / machine.hertz
    return max(seconds, memory), binds if seconds > memory else "memory", passes.are_known
